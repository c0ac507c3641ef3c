"""Models: all that a server has, and which of them a request is for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from mirada.corpora.languages import best, is_tag
from mirada.export.choice import WEIGHTS, EngineName
from mirada.export.folder import INSIDE, is_exported
from mirada.serving.problem import Problem
from mirada.serving.served import Predictor, Served, ServedTranslator, Writer
from mirada.translator import Translator

AUTO = "auto"  # the source language is to be found out

Kind = TypeVar("Kind", bound=Served)


class Models:
    """All served models, in the order in which they were named: the first that serves is taken."""

    def __init__(self, served: Sequence[Served]) -> None:
        if not served:
            raise ValueError("no model was given; name at least one folder")
        self.served = tuple(served)
        self.translators = tuple(one for one in served if isinstance(one, ServedTranslator))
        self.writers = tuple(one for one in served if isinstance(one, Writer))
        self.predictors = tuple(one for one in served if isinstance(one, Predictor))

    @classmethod
    def load(cls, folders: Sequence[Path], engine: EngineName | str = EngineName.AUTO) -> Models:
        """The models of these folders; the engine is that of translators."""
        names = names_of(folders)
        return cls([_opened(name, folder, EngineName(engine)) for name, folder in zip(names, folders, strict=True)])

    @property
    def directions(self) -> dict[str, list[str]]:
        """The languages that are written, by the language that is read, each once and in order."""
        found: dict[str, dict[str, None]] = {}
        for one in self.translators:
            found.setdefault(one.source, {})[one.target] = None
        return {source: list(targets) for source, targets in found.items()}

    def named(self, name: str) -> Served:
        """The model of this name."""
        for one in self.served:
            if one.name == name:
                return one
        raise Problem.wrong(f"there is no model of that name; use one of {', '.join(one.name for one in self.served)}")

    def translator(self, name: str | None = None) -> ServedTranslator:
        """The translator of this name, or the first."""
        return self._fitting(self.translators, name, ServedTranslator.what)

    def writer(self, name: str | None = None) -> Writer:
        """The language model of this name, or the first."""
        return self._fitting(self.writers, name, Writer.what)

    def predictor(self, name: str | None = None) -> Predictor:
        """The model of this name, or the first, that says what it sees."""
        return self._fitting(self.predictors, name, Predictor.what)

    def _fitting(self, among: Sequence[Kind], name: str | None, what: str) -> Kind:
        named = None if name is None else self.named(name)
        for one in among:
            if named is None or one is named:
                return one
        if named is not None:
            raise Problem.wrong(f"{named.name} is no {what}; it is a {named.what}, which is asked at {named.address}")
        there = ", ".join(f"{one.name} ({one.what}, {one.address})" for one in self.served)
        raise Problem.wrong(f"no {what} is served here; there is {there}")

    def sources_of(self, target: str) -> list[str]:
        """The languages that can be translated into this one."""
        written = _best(target, [one.target for one in self.translators])
        return list(dict.fromkeys(one.source for one in self.translators if one.target in written))

    def choose(self, source: str, target: str, name: str | None = None) -> ServedTranslator:
        """The translator from a language into another, or the one that is named, which must serve them."""
        first = self.translator(name)
        candidates = self.translators if name is None else (first,)
        read = _best(source, [one.source for one in candidates])
        among = [one for one in candidates if one.source in read]
        written = _best(target, [one.target for one in among])
        for one in among:
            if one.target in written:
                return one
        raise Problem.wrong(f"this language pair is not served; there is {_pairs(candidates)}")

    def told(self) -> str:
        """What can be translated, in words."""
        return _pairs(self.translators)


def _opened(name: str, folder: Path, engine: EngineName) -> Served:
    exported = is_exported(folder)
    if not exported and not is_exported(folder / INSIDE):  # only translators are exported
        from mirada.serving.kinds import open_kind  # with torch, which an exported model does without

        if (other := open_kind(name, folder)) is not None:
            return other
    # Then torch has nothing to load, and nobody can look.
    alone = exported or engine in (EngineName.NATIVE, EngineName.CTRANSLATE2) or not (folder / WEIGHTS).is_file()
    return ServedTranslator(name, Translator.load(folder, engine), alone)


def _pairs(served: Sequence[ServedTranslator]) -> str:
    return ", ".join(dict.fromkeys(one.told for one in served))


def _best(asked: str, found: Sequence[str]) -> list[str]:
    return best(asked, found) if is_tag(asked) else []


def names_of(folders: Sequence[Path]) -> list[str]:
    """A name for each folder, its own, with a number where it is not the first of that name."""
    names: list[str] = []
    for folder in folders:
        own = folder.resolve().name or "model"
        name, number = own, 2
        while name in names:
            name, number = f"{own}-{number}", number + 1
        names.append(name)
    return names
