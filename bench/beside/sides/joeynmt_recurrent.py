"""JoeyNMT's own trainer with its recurrent model, watched from outside."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import torch
from telling import Stopwatch, asked
from torch.optim.optimizer import register_optimizer_step_post_hook

MANY = 100_000  # steps until anything but training happens


def config_of(wanted: dict[str, Any], folder: str) -> dict[str, object]:
    """What JoeyNMT calls a config; YAML, of which JSON is a part."""
    task = wanted["task"]
    side = {"max_length": 101, "lowercase": False, "normalize": False, "level": "word"}
    side |= {"voc_file": f"{task}/vocabulary.txt"}
    special = {"unk": "<unk>", "pad": "<pad>", "bos": "<s>", "eos": "</s>"}  # in the order that JoeyNMT insists on
    symbols: dict[str, object] = {f"{name}_token": piece for name, piece in special.items()}
    symbols |= {f"{name}_id": number for number, name in enumerate(special)}
    return {
        "name": "recurrent",
        "joeynmt_version": "2.3.0",
        "model_dir": f"{folder}/model",
        "use_cuda": False,
        "fp16": False,
        "random_seed": 42,
        "data": {
            "train": f"{folder}/train",
            "dev": f"{folder}/val",
            "dataset_type": "plain",
            "src": side | {"lang": "source"},
            "trg": side | {"lang": "target"},
            "special_symbols": symbols,
        },
        "testing": {"n_best": 1, "beam_size": 1, "batch_size": 64, "batch_type": "sentence", "eval_metrics": ["bleu"]},
        "training": training_of(wanted),
        "model": model_of(wanted["shape"], wanted["feeding"]),
    }


def training_of(wanted: dict[str, Any]) -> dict[str, object]:
    """The part of the config that says how to train."""
    return {
        "optimizer": "adam",
        "normalization": "tokens",
        "adam_betas": [0.9, 0.98],
        "scheduling": "warmupinversesquareroot",
        "learning_rate_warmup": 500,
        "learning_rate": 0.001,
        "learning_rate_min": 0.0,
        "label_smoothing": 0.1,
        "loss": "crossentropy",
        "clip_grad_norm": 1.0,
        "batch_size": wanted["batch_tokens"],
        "batch_type": "token",
        "batch_multiplier": 1,
        "early_stopping_metric": "bleu",
        "epochs": 100,
        "updates": MANY,
        "validation_freq": MANY,
        "logging_freq": MANY,
        "overwrite": True,
        "shuffle": True,
        "keep_best_ckpts": 1,
    }


def model_of(shape: dict[str, int], feeding: bool) -> dict[str, object]:
    """The part of the config that says what the model is."""
    embeddings = {"embedding_dim": shape["width"], "scale": False, "dropout": 0.1}
    layers = {"rnn_type": "lstm", "num_layers": 1, "embeddings": embeddings, "dropout": 0.1}
    return {
        "initializer": "xavier_uniform",
        "embed_initializer": "xavier_uniform",
        "tied_embeddings": True,
        "tied_softmax": True,
        "encoder": layers | {"type": "recurrent", "hidden_size": shape["encoder"] // 2, "bidirectional": True},
        "decoder": layers
        | {
            "type": "recurrent",
            "hidden_size": shape["decoder"],
            "hidden_dropout": 0.1,
            "init_hidden": "bridge",
            "input_feeding": feeding,
            "attention": "bahdanau",
        },
    }


def watch(stopwatch: Stopwatch) -> None:
    """Let the trainer tell the stopwatch of each batch and each update."""
    from joeynmt.training import TrainManager

    step = TrainManager._train_step  # noqa: SLF001 it has no public name

    def counted(self: TrainManager, batch: Any) -> tuple[float, int]:
        stopwatch.count(int((batch.src != self.model.pad_index).sum()) + int(batch.ntokens))
        return step(self, batch)

    TrainManager._train_step = counted  # noqa: SLF001
    register_optimizer_step_post_hook(stopwatch.stepped)


def main() -> None:
    wanted = asked()
    torch.set_num_threads(wanted["threads"])
    watch(Stopwatch(wanted["warm"], wanted["timed"]))
    from joeynmt.config import load_config
    from joeynmt.helpers import make_model_dir
    from joeynmt.training import train

    with tempfile.TemporaryDirectory() as folder:
        for part in ("train", "val"):  # JoeyNMT adds the language as a suffix
            for side in ("source", "target"):
                (Path(folder) / f"{part}.{side}").symlink_to(f"{wanted['task']}/{part}.{side}.pieces")
        path = Path(folder) / "config.yaml"
        path.write_text(json.dumps(config_of(wanted, folder)), encoding="utf-8")
        config = load_config(path)
        make_model_dir(Path(config["model_dir"]), overwrite=True)
        train(rank=0, world_size=None, cfg=config, skip_test=True)


if __name__ == "__main__":
    main()
