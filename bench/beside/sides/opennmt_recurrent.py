"""OpenNMT-py's own trainer with its recurrent model, watched from outside."""

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
    """What OpenNMT-py calls a config; YAML, of which JSON is a part."""
    task, shape = wanted["task"], wanted["shape"]
    sides = {
        part: {"path_src": f"{task}/{name}.source.pieces", "path_tgt": f"{task}/{name}.target.pieces"}
        for part, name in (("corpus", "train"), ("valid", "val"))
    }
    return {
        "save_data": f"{folder}/data",
        "save_model": f"{folder}/model",
        "src_vocab": f"{task}/counted.txt",
        "tgt_vocab": f"{task}/counted.txt",
        "share_vocab": True,
        "src_vocab_size": shape["vocabulary"],
        "tgt_vocab_size": shape["vocabulary"],
        "data": sides,
        "overwrite": True,
        "seed": 42,
        "report_every": MANY,
        # Encoder and decoder must be equally wide here, both directions of the encoder together.
        "encoder_type": "brnn",
        "decoder_type": "rnn",
        "rnn_type": "LSTM",
        "enc_layers": 1,
        "dec_layers": 1,
        "hidden_size": shape["decoder"],
        "word_vec_size": shape["width"],
        "global_attention": "mlp",
        "input_feed": int(wanted["feeding"]),
        "share_embeddings": True,
        "share_decoder_embeddings": True,
    } | training_of(wanted)


def training_of(wanted: dict[str, Any]) -> dict[str, object]:
    """The part of the config that says how to train."""
    return {
        "num_workers": 0,
        "bucket_size": 29_000,
        "batch_size": wanted["batch_tokens"],
        "batch_type": "tokens",
        "batch_size_multiple": 1,
        "normalization": "tokens",
        "accum_count": [1],
        "model_dtype": "fp32",
        "optim": "adam",
        "learning_rate": 0.001,
        "max_grad_norm": 1.0,
        "label_smoothing": 0.1,
        "dropout": [0.1],
        "dropout_steps": [0],
        "train_steps": MANY,
        "valid_steps": MANY,
        "save_checkpoint_steps": MANY,
    }


def watch(stopwatch: Stopwatch) -> None:
    """Let the trainer tell the stopwatch of each batch and each update."""
    from onmt.trainer import Trainer

    learn = Trainer._gradient_accumulation  # noqa: SLF001 it has no public name

    def counted(self: Trainer, batches: list[dict[str, Any]], *others: Any) -> None:
        padding = self.train_loss.padding_idx
        for batch in batches:  # sources have no end mark here, and none is counted for the begin mark of targets
            said = int(batch["tgt"][:, 1:].ne(padding).sum())
            stopwatch.count(int(batch["srclen"].sum()) + len(batch["srclen"]) + said)
        learn(self, batches, *others)

    Trainer._gradient_accumulation = counted  # noqa: SLF001
    register_optimizer_step_post_hook(stopwatch.stepped)


def main() -> None:
    wanted = asked()
    torch.set_num_threads(wanted["threads"])
    watch(Stopwatch(wanted["warm"], wanted["timed"]))
    from onmt.bin.train import main as opennmt

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.yaml"
        path.write_text(json.dumps(config_of(wanted, folder)), encoding="utf-8")
        sys.argv = ["onmt_train", "-config", str(path)]
        opennmt()


if __name__ == "__main__":
    main()
