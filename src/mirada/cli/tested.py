"""A model under test: loaded, and asked for the translations of a whole test set."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mirada.cli.failure import fail
from mirada.cli.saying import bar, detail, say
from mirada.cli.translate import EngineChoice

if TYPE_CHECKING:
    from mirada.translator import Translation, Translator

CHUNK = 512  # sentences between two looks of the progress bar: enough to be sorted into full batches


@dataclass(frozen=True)
class Tested:
    """A model that is tested, and what computes it."""

    folder: Path
    translator: "Translator"
    engine: str


@dataclass(frozen=True)
class Translated:
    """The translations of a test set, and the time that they took."""

    translations: "list[Translation]"
    seconds: float


def load_tested(folder: Path, engine: EngineChoice, beam: int) -> Tested:
    """A model, trained or exported; of the latter nothing here imports torch."""
    from mirada.decoding.options import Search
    from mirada.translator import Translator

    translator = Translator.load(folder, engine.value)
    chosen = translator.engine_for(Search(beam=beam))
    detail(f"{folder}: engine: {chosen.engine.name} ({chosen.why})")
    return Tested(folder, translator, chosen.engine.name)


def require_same_languages(tested: Tested, baseline: Tested) -> None:
    """Refuse to compare models that translate between different languages."""
    one, other = tested.translator, baseline.translator
    if (one.source, one.target) != (other.source, other.target):
        fail(
            f"{tested.folder} translates {one.source} to {one.target} and {baseline.folder} {other.source} to "
            f"{other.target}; only models of the same languages can be compared"
        )


def translate_all(tested: Tested, sources: list[str], beam: int) -> Translated:
    """The translations of all sentences, those of a document in order, with a bar on a terminal."""
    from mirada.text.asking import in_documents

    start = time.perf_counter()
    found: list[Translation] = []
    with bar(f"translating by {tested.folder}", len(sources)) as show:
        asked = list(in_documents(sources, tested.translator.context))
        for at in range(0, len(asked), CHUNK):
            found += tested.translator.translate(asked[at : at + CHUNK], beam=beam)
            show(len(found))
    seconds = time.perf_counter() - start
    say(f"{len(found):,} sentences translated by {tested.folder} in {seconds:.1f} seconds")
    for number, one in enumerate(found, start=1):
        if one.flags:
            detail(f"line {number}: {', '.join(map(str, one.flags))}: {one.text}")
    return Translated(found, seconds)
