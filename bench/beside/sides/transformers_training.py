"""MarianMTModel of Hugging Face's transformers in a plain loop: bf16 by autocast, Adam fused, batches by length."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from telling import Stopwatch, asked
from torch import Tensor
from transformers import MarianConfig, MarianMTModel

PADDING, BEGIN, END = 0, 2, 3


def make_model(shape: dict[str, int], attention: str) -> MarianMTModel:
    """The model of a shape; attention is `sdpa` or `eager`."""
    config = MarianConfig(
        vocab_size=shape["vocabulary"],
        d_model=shape["width"],
        encoder_layers=shape["layers"],
        decoder_layers=shape["layers"],
        encoder_attention_heads=shape["heads"],
        decoder_attention_heads=shape["heads"],
        encoder_ffn_dim=shape["feed_forward"],
        decoder_ffn_dim=shape["feed_forward"],
        dropout=0.1,
        attention_dropout=0.0,
        activation_dropout=0.0,
        activation_function="relu",
        max_position_embeddings=128,
        pad_token_id=PADDING,
        bos_token_id=BEGIN,
        eos_token_id=END,
        decoder_start_token_id=BEGIN,
        forced_eos_token_id=None,
        scale_embedding=True,
        share_encoder_decoder_embeddings=True,
        tie_word_embeddings=True,
        attn_implementation=attention,
    )
    return MarianMTModel(config).train()


def read_ids(path: Path) -> list[list[int]]:
    return [[int(one) for one in line.split()] for line in path.read_text(encoding="ascii").splitlines()]


def batches(source: list[list[int]], target: list[list[int]], tokens: int) -> Iterator[list[int]]:
    """The rows of batches without end: like lengths together, at most so many padded tokens on a side."""
    while True:
        rows = list(range(len(source)))
        random.shuffle(rows)
        rows.sort(key=lambda row: (len(target[row]), len(source[row])))
        made: list[list[int]] = [[]]
        longest = 0
        for row in rows:
            longest = max(longest, len(source[row]), len(target[row]))
            if longest * (len(made[-1]) + 1) > tokens:
                made.append([])
                longest = max(len(source[row]), len(target[row]))
            made[-1].append(row)
        random.shuffle(made)
        yield from made


def padded(rows: list[list[int]]) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([row + [PADDING] * (longest - len(row)) for row in rows])


def train(wanted: dict[str, Any], stopwatch: Stopwatch) -> None:
    """Train until the stopwatch ends the process."""
    folder = Path(wanted["task"])
    source, target = (read_ids(folder / f"train.{side}.ids") for side in ("source", "target"))
    model = make_model(wanted["shape"], wanted["attention"])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)
    criterion = torch.nn.CrossEntropyLoss(ignore_index=PADDING, label_smoothing=0.1)
    for rows in batches(source, target, wanted["batch_tokens"]):
        read, said = padded([source[row] for row in rows]), padded([target[row] for row in rows])
        entered = torch.cat([torch.full((len(rows), 1), BEGIN), said[:, :-1]], 1)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=wanted["precision"] == "bf16"):
            found = model(input_ids=read, attention_mask=read != PADDING, decoder_input_ids=entered, use_cache=False)
        criterion(found.logits.float().flatten(0, 1), said.flatten()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        stopwatch.count(int((read != PADDING).sum() + (said != PADDING).sum()))
        stopwatch.stepped()


def main() -> None:
    wanted = asked()
    torch.set_num_threads(wanted["threads"])
    torch.manual_seed(1)
    random.seed(1)
    train(wanted, Stopwatch(wanted["warm"], wanted["timed"]))


if __name__ == "__main__":
    main()
