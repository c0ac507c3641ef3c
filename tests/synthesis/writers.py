"""Models that write what a dictionary says, so that tests know every synthetic pair beforehand."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

from mirada.decoding.limits import Flag
from mirada.decoding.options import Search
from mirada.models.build import build
from mirada.models.folder import save, tensors_of
from mirada.translator import Translation, Translator
from tests.translators import config, subwords


class StoppedError(Exception):
    """What a writer ends with that was told to stop."""


class Writer(Translator):
    """A translator that looks texts up, counts its calls, and may stop before one of them."""

    def __init__(
        self,
        known: Mapping[str, str],
        languages: tuple[str, str] = ("en", "es"),
        stop_at: int | None = None,
        flags: Mapping[str, tuple[Flag, ...]] | None = None,
    ) -> None:
        self._languages = languages
        self.calls = 0
        self.beams: set[int] = set()
        self._known, self._stop_at, self._flags = known, stop_at, flags or {}

    @property
    def source(self) -> str:
        return self._languages[0]

    @property
    def target(self) -> str:
        return self._languages[1]

    def engine_for(self, search: Search) -> SimpleNamespace:
        return SimpleNamespace(engine=SimpleNamespace(name="torch"), why="a test")

    def translate_with(self, texts: Sequence[str], search: Search, *, align: bool = False) -> list[Translation]:
        if self.calls == self._stop_at:
            raise StoppedError
        self.calls += 1
        self.beams.add(search.beam)
        return [Translation(text, self._known[text], 0.0, flags=self._flags.get(text, ())) for text in texts]


def folder_of(folder: Path, source: str = "en", target: str = "es") -> Path:
    """A folder of a model with these languages, that has learnt nothing."""
    made = config().model_copy(update={"source": source, "target": target})
    save(folder, made, tensors_of(build(made.model, made.vocabulary, seed=3)), subwords(), "A model for tests.\n")
    return folder
