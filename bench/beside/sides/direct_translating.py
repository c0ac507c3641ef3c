"""The same exported model through CTranslate2 called directly: from pieces to pieces, cutting and joining not timed."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import ctranslate2
from telling import asked, passes, peak_memory, read_lines, tell

from mirada.evaluation.translation import score
from mirada.text.subwords import Subwords

# Each measure is told under the name of its setting, and the best one counts.
SETTINGS: dict[str, dict[str, Any]] = {
    "32 sentences": {"max_batch_size": 32, "batch_type": "examples"},
    "1,024 tokens": {"max_batch_size": 1_024, "batch_type": "tokens"},
    "256 tokens": {"max_batch_size": 256, "batch_type": "tokens"},
}
LONGEST = 100


def main() -> None:
    wanted = asked()
    lines, references = read_lines(wanted["source"]), read_lines(wanted["target"])
    subwords = Subwords.load(Path(wanted["model"]) / "subwords.model")
    pieces = [[subwords.pieces[one] for one in ids] for ids in subwords.encode_many(lines)]
    translator = ctranslate2.Translator(wanted["model"], inter_threads=wanted["threads"], intra_threads=1)
    options = {"max_decoding_length": LONGEST, "use_vmap": wanted["map"]}
    found: dict[str, float | str] = {"version": ctranslate2.__version__}
    said = {}
    for name, beam in (("greedy", 1), ("beam 5", 5)):
        translator.translate_batch(pieces[:40], beam_size=beam)
        for setting, batches in SETTINGS.items():
            translate = partial(translator.translate_batch, pieces, beam_size=beam, **options, **batches)
            said[name], found[f"{name}, {setting}"] = passes(len(lines), translate)
    seconds = []
    for one in pieces[: wanted["single"]]:
        start = time.perf_counter()
        translator.translate_batch([one], beam_size=1, **options)
        seconds.append(time.perf_counter() - start)
    found |= {"single": median(seconds), "memory": peak_memory()}  # before scoring, which needs memory of its own
    ids = {piece: one for one, piece in enumerate(subwords.pieces)}
    for name, results in said.items():
        texts = subwords.decode_many([[ids[piece] for piece in result.hypotheses[0]] for result in results])
        found[f"BLEU {name}"] = score(texts, references).bleu.score
    tell(**found)


if __name__ == "__main__":
    main()
