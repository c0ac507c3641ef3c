"""Served models: the translators that a server has, and which of them a request is for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mirada.corpora.languages import best, is_tag
from mirada.decoding.options import Search
from mirada.export.choice import EngineName
from mirada.export.folder import is_exported
from mirada.serving.problem import Problem
from mirada.translator import Translator

AUTO = "auto"  # the source language is to be found out


@dataclass(frozen=True, eq=False)
class Served:
    """A translator with the name that clients know it by: that of its folder, never its path."""

    name: str
    translator: Translator
    exported: bool  # then there is nothing to look into

    @property
    def source(self) -> str:
        """The language that it reads."""
        return self.translator.source

    @property
    def target(self) -> str:
        """The language that it writes."""
        return self.translator.target

    @cached_property
    def engine(self) -> str:
        """What computes."""
        return self.translator.engine_for(Search()).engine.name


class Models:
    """All served models, in the order in which they were named: the first that serves is taken."""

    def __init__(self, served: Sequence[Served]) -> None:
        if not served:
            raise ValueError("no model was given; name at least one folder")
        self.served = tuple(served)

    @classmethod
    def load(cls, folders: Sequence[Path], engine: EngineName | str = EngineName.AUTO) -> Models:
        """The models of these folders."""
        only = EngineName(engine) is EngineName.CTRANSLATE2
        names = names_of(folders)
        return cls(
            [
                Served(name, Translator.load(folder, engine), only or is_exported(folder))
                for name, folder in zip(names, folders, strict=True)
            ]
        )

    @property
    def directions(self) -> dict[str, list[str]]:
        """The languages that are written, by the language that is read, each once and in order."""
        found: dict[str, dict[str, None]] = {}
        for one in self.served:
            found.setdefault(one.source, {})[one.target] = None
        return {source: list(targets) for source, targets in found.items()}

    def named(self, name: str) -> Served:
        """The model of this name."""
        for one in self.served:
            if one.name == name:
                return one
        raise Problem.wrong(f"there is no model of that name; use one of {', '.join(one.name for one in self.served)}")

    def sources_of(self, target: str) -> list[str]:
        """The languages that can be translated into this one."""
        written = _best(target, [one.target for one in self.served])
        return list(dict.fromkeys(one.source for one in self.served if one.target in written))

    def choose(self, source: str, target: str, name: str | None = None) -> Served:
        """The model from a language into another, or the one that is named, which must serve them."""
        candidates = self.served if name is None else (self.named(name),)
        read = _best(source, [one.source for one in candidates])
        among = [one for one in candidates if one.source in read]
        written = _best(target, [one.target for one in among])
        for one in among:
            if one.target in written:
                return one
        raise Problem.wrong(f"this language pair is not served; there is {self.told(candidates)}")

    def told(self, served: Sequence[Served] | None = None) -> str:
        """What can be translated, in words."""
        pairs = dict.fromkeys(f"{one.source} → {one.target}" for one in served or self.served)
        return ", ".join(pairs)


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
