"""eole's own trainer: `eole train` with a config, watched from outside."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from telling import Stopwatch, asked
from torch.optim.optimizer import register_optimizer_step_post_hook

MANY = 100_000  # steps until anything but training happens


def config_of(wanted: dict[str, Any], folder: str) -> dict[str, object]:
    """What eole calls a config; YAML, of which JSON is a part."""
    task, shape = wanted["task"], wanted["shape"]
    return {
        "save_data": f"{folder}/data",
        "src_vocab": f"{task}/counted.txt",
        "tgt_vocab": f"{task}/counted.txt",
        "share_vocab": True,
        "src_vocab_size": shape["vocabulary"],
        "tgt_vocab_size": shape["vocabulary"],
        "overwrite": True,
        "seed": 42,
        "report_every": MANY,
        "data": {
            "corpus": {
                "path_src": f"{task}/train.source.pieces",
                "path_tgt": f"{task}/train.target.pieces",
                "transforms": [],
            }
        },
        "training": training_of(wanted) | {"model_path": f"{folder}/model"},
        "model": {
            "architecture": "transformer",
            "layers": shape["layers"],
            "heads": shape["heads"],
            "hidden_size": shape["width"],
            "transformer_ff": shape["feed_forward"],
            "share_embeddings": True,
            "share_decoder_embeddings": True,
            "embeddings": {
                "word_vec_size": shape["width"],
                "position_encoding_type": "SinusoidalInterleaved",
            },
        },
    }


def training_of(wanted: dict[str, Any]) -> dict[str, object]:
    """The part of the config that says how to train."""
    return {
        "num_workers": 0,
        "world_size": 1,
        "gpu_ranks": [],
        "bucket_size": 29_000,
        "batch_size": wanted["batch_tokens"],
        "batch_type": "tokens",
        "batch_size_multiple": 1,
        "normalization": "tokens",
        "accum_count": [1],
        "accum_steps": [0],
        "compute_dtype": wanted["precision"],
        "optim": "adam",
        "adam_beta2": 0.998,
        "learning_rate": 2.0,
        "decay_method": "noam",
        "warmup_steps": 1_000,
        "max_grad_norm": 1.0,
        "label_smoothing": 0.1,
        "param_init_method": "xavier_uniform",
        "dropout": [0.1],
        "dropout_steps": [0],
        "attention_dropout": [0.0],
        "train_steps": MANY,
        "valid_steps": MANY,
        "save_checkpoint_steps": MANY,
    }


def watch(stopwatch: Stopwatch) -> None:
    """Let the trainer tell the stopwatch of each batch and each update."""
    from eole.trainer import BatchProcessor

    process = BatchProcessor.process_batch

    def counted(self: BatchProcessor, batch: dict[str, Any], *others: Any) -> bool:
        # Sources have no end mark here, and none is counted for the begin mark of targets.
        padding = self.train_loss.padding_idx
        said = int(batch["tgt"][:, 1:].ne(padding).sum())
        stopwatch.count(int(batch["srclen"].sum()) + len(batch["srclen"]) + said)
        return process(self, batch, *others)

    BatchProcessor.process_batch = counted
    register_optimizer_step_post_hook(stopwatch.stepped)


def main() -> None:
    wanted = asked()
    torch.set_num_threads(wanted["threads"])
    watch(Stopwatch(wanted["warm"], wanted["timed"]))
    from eole.bin.main import main as eole

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.yaml"
        path.write_text(json.dumps(config_of(wanted, folder)), encoding="utf-8")
        sys.argv = ["eole", "train", "-config", str(path)]
        eole()


if __name__ == "__main__":
    main()
