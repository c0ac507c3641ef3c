"""Works: what the thread of a server does with a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mirada.decoding.engine import Engine
from mirada.decoding.options import Search
from mirada.decoding.scoring import Scorer
from mirada.serving.messages import WrittenText
from mirada.serving.served import Predictor, Served, ServedTranslator, Writer
from mirada.text.coding import Coded, encode, encode_beside, pieces
from mirada.text.subwords import END
from mirada.text.words import word_links
from mirada.translator import Translation

Pair = tuple[str, str]  # a text and its translation


@dataclass(frozen=True)
class Translating:
    """Texts become translations."""

    model: ServedTranslator
    search: Search

    def do(self, items: Sequence[str]) -> Sequence[Translation]:
        return self.model.translator.translate_with(items, self.search)


@dataclass(frozen=True)
class Generating:
    """Seeds become texts that begin alike.

    What begins otherwise is another work: it would be written after these, and who leaves could not stop it.
    """

    model: Writer
    prompt: str
    length: int  # tokens to write
    search: Search

    def do(self, items: Sequence[int]) -> Sequence[WrittenText]:
        return self.model.write(self.prompt, items, self.length, self.search)


@dataclass(frozen=True)
class Predicting:
    """Texts become what a model says of them, as JSON, which the thread writes better than the server."""

    model: Predictor
    count: int  # candidates for each gap

    def do(self, items: Sequence[str]) -> Sequence[str]:
        return [one.model_dump_json() for one in self.model.predict(items, self.count)]


@dataclass(frozen=True)
class Look:
    """A sentence to look at, and what the model is made to say, if anything."""

    text: str
    reference: str | None


@dataclass(frozen=True)
class Looking:
    """Sentences become views, as JSON: a hundred kilobytes each, which the thread writes better than the server."""

    model: Served
    beam: int

    def do(self, items: Sequence[Look]) -> Sequence[str]:
        return [self.model.look(one.text, one.reference, self.beam).model_dump_json() for one in items]


@dataclass(frozen=True)
class Aligned:
    """The tokens of a pair, and which of them belong together: (source, target), by token and by word."""

    source_tokens: tuple[str, ...]
    tokens: tuple[str, ...]
    links: tuple[tuple[int, int], ...]
    words: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Aligning:
    """Pairs become links between their tokens."""

    model: ServedTranslator

    def do(self, items: Sequence[Pair]) -> Sequence[Aligned]:
        engine = self._engine()
        engine.require_alignment()
        coded = [_coded(engine, pair) for pair in items]
        worded = [pair for pair in coded if len(pair[0].ids) > 1]  # to an end mark alone nothing is linked
        links = iter(engine.align([source.ids for source, _ in worded], [target for _, target in worded]))
        return [self._aligned(*pair, next(links) if len(pair[0].ids) > 1 else []) for pair in coded]

    def _aligned(self, source: Coded, target: list[int], links: Sequence[tuple[int, int]]) -> Aligned:
        known = self._engine().subwords
        read, written = (pieces(known, ids, source.symbols) for ids in (source.ids[:-1], target))
        return Aligned(tuple(read), tuple(written), tuple(links), tuple(word_links(links, read, written)))

    def _engine(self) -> Engine:
        return self.model.translator.engine_for(Search()).engine


@dataclass(frozen=True)
class Scored:
    """log p of each token of a translation, the end mark last."""

    tokens: tuple[str, ...]
    log_probabilities: tuple[float, ...]


@dataclass(frozen=True)
class Scoring:
    """Pairs become the probabilities of their tokens."""

    model: ServedTranslator

    def do(self, items: Sequence[Pair]) -> Sequence[Scored]:
        engine = self.model.translator.engine_for(Search()).engine
        if not isinstance(engine, Scorer):
            raise ValueError("this model does not score translations; use another one")
        coded = [_coded(engine, pair) for pair in items]
        logs = engine.score([source.ids for source, _ in coded], [[*target, END] for _, target in coded])
        return [
            Scored(tuple(pieces(engine.subwords, [*target, END], source.symbols)), tuple(row))
            for (source, target), row in zip(coded, logs, strict=True)
        ]


def _coded(engine: Engine, pair: Pair) -> tuple[Coded, list[int]]:
    """The ids of a pair, the symbols of the target in the slots of the source; both must fit the model."""
    text, translation = pair
    (source,) = encode(engine.subwords, [text])
    target = encode_beside(engine.subwords, translation, text)
    longest, places = engine.about.longest, engine.about.places or engine.about.longest
    if len(source.ids) > longest or len(target) + 1 > max(places, longest):
        raise ValueError(
            f"a pair has {len(source.ids):,} and {len(target) + 1:,} tokens, and this model reads up to {longest:,} "
            "at once; give it sentence by sentence"
        )
    return source, target
