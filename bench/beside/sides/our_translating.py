"""An exported model through our translator: from text to text, in bulk and one sentence at a time.

And through its engine alone, as CTranslate2 is called: from ids to ids, with nothing tried again.
"""

from __future__ import annotations

import time
from functools import partial
from statistics import median

from telling import asked, passes, peak_memory, read_lines, tell, write_lines

from mirada.decoding.options import Search
from mirada.evaluation.translation import score
from mirada.translator import Translator


def main() -> None:
    wanted = asked()
    lines, references = read_lines(wanted["source"]), read_lines(wanted["target"])
    translator = Translator.load(wanted["model"])
    engine = translator.engine_for(Search()).engine
    ids = engine.subwords.encode_many(lines, end=True)
    found: dict[str, float | str] = {"engine": engine.name}
    said = {}
    for name, beam in (("greedy", 1), ("beam 5", 5)):
        search = Search(beam=beam)
        translator.translate_with(lines[:40], search)
        made, found[name] = passes(len(lines), partial(translator.translate_with, lines, search))
        said[name] = [one.text for one in made]
        decoded, found[f"{name}, alone"] = passes(len(lines), partial(engine.decode, ids, search))
        said[f"{name}, alone"] = engine.subwords.decode_many([hypotheses[0].tokens for hypotheses in decoded])
    greedy = Search(beam=1)
    seconds = []
    for line in lines[: wanted["single"]]:
        start = time.perf_counter()
        translator.translate_with([line], greedy)
        seconds.append(time.perf_counter() - start)
    found |= {"single": median(seconds), "memory": peak_memory()}  # before scoring, which needs memory of its own
    for name, texts in said.items():
        write_lines(f"{wanted['said']} {name}.txt", texts)
        found[f"BLEU {name}"] = score(texts, references).bleu.score
    tell(**found)


if __name__ == "__main__":
    main()
