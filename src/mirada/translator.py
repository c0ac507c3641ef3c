"""The translator: a model's folder as one object that translates texts, lines as they come, and whole files.

    text → parts → subwords → hypotheses → text

What the command line, the server and the tests use, whichever engine computes. Torch is not imported here, so that an
exported model translates its first sentence at once. A text is cut only where it is too long for the model (see
`mirada.text.sentences`); white space around it and between its parts is kept, and what has no words is kept as it is.
A model that was trained with context reads each text of a document with those before it (`mirada.text.context`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from mirada.corpora.pair import Fault
from mirada.corpora.pieces import has_words
from mirada.decoding.checked import Checked, decode_checked
from mirada.decoding.demand import Demand
from mirada.decoding.engine import About, Engine, Link
from mirada.decoding.hypothesis import Hypothesis
from mirada.decoding.limits import Flag
from mirada.decoding.observing import Observer
from mirada.decoding.options import Search
from mirada.export.choice import Choice, EngineName, Engines, open_engines, open_together
from mirada.text.asking import Asked, in_documents, shared_out
from mirada.text.coding import Coded, decode, encode, pieces, preceded
from mirada.text.placeholders import compare
from mirada.text.sentences import Part, divide, join_translated
from mirada.text.subwords import Subwords

if TYPE_CHECKING:
    from mirada.decoding.ensemble import Mean
    from mirada.models.folder import Loaded

CHUNK_LINES, CHUNK_CHARACTERS = 1_024, 200_000  # of a stream at once: enough to sort by length
LEAST_SHARED = 128  # texts that are worth being shared between two calls of an engine

One = TypeVar("One")


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another translation, and its score."""

    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Translation:
    """A text and what it became.

    The score is log-probability / length^length_penalty. Tokens are subword pieces. The alignment, if it was asked
    for, has for each target token the source token that it was looked up at: (source index, target index).
    """

    source: str
    text: str
    score: float
    tokens: tuple[str, ...] = ()
    source_tokens: tuple[str, ...] = ()
    alignment: tuple[Link, ...] | None = None
    flags: tuple[Flag, ...] = ()
    alternatives: tuple[Alternative, ...] = ()  # the second best and so on


@dataclass(slots=True)
class Tally:
    """How many translations there were, and how many were flagged, and why."""

    translations: int = 0
    flagged: int = 0
    flags: Counter[Flag] = field(default_factory=Counter)

    def add(self, translation: Translation) -> None:
        """Count one more."""
        self.translations += 1
        self.flagged += bool(translation.flags)
        self.flags.update(translation.flags)

    def __str__(self) -> str:
        told = f"{self.translations:,} translation{'s' if self.translations != 1 else ''}"
        if not self.flagged:
            return f"{told}, none flagged"
        reasons = ", ".join(f"{count:,} {flag.meaning}" for flag, count in self.flags.most_common())
        return f"{told}, {self.flagged:,} flagged: {reasons}"


@dataclass(frozen=True, slots=True)
class FileSummary:
    """What became of a file: units translated and left alone, those to be reviewed, and the flags."""

    translated: int
    kept: int
    review: list[Fault]
    tally: Tally


@dataclass(frozen=True, slots=True)
class _Said:
    """What became of one part: its tokens and symbols, its hypotheses with their texts, and the best one's links."""

    source: Coded
    hypotheses: list[Hypothesis]
    texts: list[str]
    flags: tuple[Flag, ...] = ()
    links: list[Link] = field(default_factory=list)


class _Coding:
    """The ids of the texts of one call, and of their parts, each found once: its length decides where a text is cut."""

    def __init__(self, subwords: Subwords, texts: Sequence[str]) -> None:
        self._subwords = subwords
        self._known = dict(zip(texts, encode(subwords, texts), strict=True))

    def of(self, text: str) -> Coded:
        """The ids of a text."""
        if text not in self._known:
            (self._known[text],) = encode(self._subwords, [text])
        return self._known[text]


class Translator:
    """A model that is ready to translate."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines

    @classmethod
    def load(
        cls,
        folder: Path | str,
        engine: EngineName | str = EngineName.AUTO,
        others: Sequence[Path | str] = (),
        mean: Mean = "probabilities",
    ) -> Translator:
        """The translator of a model's folder, or of an exported one, with the fastest engine or the one asked for.

        With the folders of `others` the models translate together: each token by the mean of what they say.
        """
        if not others:
            return cls(open_engines(Path(folder), EngineName(engine)))
        return cls(open_together([Path(folder), *map(Path, others)], EngineName(engine), mean))

    @classmethod
    def of(cls, loaded: Loaded, observer: Observer | None = None) -> Translator:
        """The translator of a model that is loaded; an observer is told of the search of its first text."""
        from mirada.models.engine import TorchEngine

        return cls(Engines(None, lambda: TorchEngine(loaded, observer=observer), "the model is loaded"))

    @property
    def source(self) -> str:
        """The language that it reads."""
        return self._about.source

    @property
    def target(self) -> str:
        """The language that it writes."""
        return self._about.target

    @property
    def context(self) -> int:
        """How many sentences before a text it reads with it."""
        return self._about.context

    @property
    def subwords(self) -> Subwords:
        """The pieces that texts are cut into."""
        return self._engines.first.subwords

    @property
    def loaded(self) -> Loaded:
        """The model itself, to be looked into; an exported folder has none."""
        return self._engines.loaded

    def engine_for(self, search: Search, phrased: bool = False) -> Choice:
        """The engine that will do a job, and why; `phrased` where translations must contain phrases."""
        return self._engines.choose(search, phrased)

    @property
    def _about(self) -> About:
        return self._engines.first.about

    def translate(
        self,
        texts: Sequence[str | Asked],
        *,
        beam: int = 5,
        n_best: int = 1,
        length_penalty: float = 1.0,
        sampling: bool = False,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int = 0,
        align: bool = False,
        document: bool = False,
    ) -> list[Translation]:
        """A translation for each text, in order; see `Search` for what the settings mean.

        What a translation must begin with or contain is said with its text: `Asked(text, prefix, must)`. Texts are
        alone, unless they are the sentences of a `document`: each is then read with those before it, as many as the
        model knows, and one without words ends a document. `Asked(text, context=(…,))` gives a text its own.
        """
        search = Search(
            beam=beam,
            n_best=n_best,
            length_penalty=length_penalty,
            sampling=sampling,
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            seed=seed,
        )
        if document and not isinstance(texts, str):
            return self.translate_with(list(in_documents(texts, self.context)), search, align=align)
        return self.translate_with(texts, search, align=align)

    def translate_with(self, texts: Sequence[str | Asked], search: Search, *, align: bool = False) -> list[Translation]:
        """A translation for each text, in order. Nothing but white space becomes nothing."""
        if isinstance(texts, str):
            raise ValueError("a single text was given; give a list of texts, such as [text]")
        asked = [Asked(one) if isinstance(one, str) else one.reading(self.context) for one in texts]
        chosen = self.engine_for(search, phrased=any(one.must for one in asked))
        if align:
            chosen.engine.require_alignment()  # a model that cannot says so before it has worked
        if chosen.calls == 1 or len(asked) < LEAST_SHARED:
            return self._translated(asked, chosen.engine, search, align)
        from concurrent.futures import ThreadPoolExecutor  # not above: one sentence need not wait for it

        different = list(dict.fromkeys(asked))
        shares = [different[number :: chosen.calls] for number in range(chosen.calls)]
        with ThreadPoolExecutor(chosen.calls) as crew:
            made = list(crew.map(lambda share: self._translated(share, chosen.engine, search, align), shares))
        found = dict(zip(chain.from_iterable(shares), chain.from_iterable(made), strict=True))
        return [found[one] for one in asked]

    def _translated(self, asked: Sequence[Asked], engine: Engine, search: Search, align: bool) -> list[Translation]:
        """A translation for each text, in one call of the engine."""
        coding = _Coding(self.subwords, [one.text for one in asked])
        divided = [self._divide(one.text, coding) for one in asked]
        shared = [shared_out(one, parts, self.context) for one, parts in zip(asked, divided, strict=True)]
        words = dict.fromkeys(part for parts in shared for part in parts if has_words(part.text) or not part.is_plain)
        said = dict(zip(words, self._say(list(words), coding, engine, search, align), strict=True))
        return [
            self._assembled(one, parts, [said.get(part) or self._kept(part.text) for part in own], search, align)
            for one, parts, own in zip(asked, divided, shared, strict=True)
        ]

    def translate_lines(
        self, lines: Iterable[str | Asked], search: Search, *, align: bool = False, most: int = CHUNK_LINES
    ) -> Iterator[Translation]:
        """A translation for each line, in order, as lines come: at most `most` of them are held at once.

        Lines are those of documents, which end with an empty line.
        """
        for chunk in _chunks(in_documents(lines, self.context) if self.context else lines, most):
            yield from self.translate_with(chunk, search, align=align)

    def translate_file(
        self,
        path_in: Path,
        path_out: Path,
        search: Search,
        *,
        columns: Sequence[str] | None = None,
        overwrite: bool = False,
        listen: Callable[[Translation], None] | None = None,
        prefix: str = "",
        must: Sequence[str] = (),
    ) -> FileSummary:
        """Fill a file in its own format: plain text, TSV, CSV, TMX, XLIFF or PO; see `mirada.corpora.filling`.

        `listen` is called with every translation as it is made, for progress or for a record. The prefix and the
        phrases are asked of every translation.
        """
        from mirada.corpora.filling import fill  # all formats, which lines need not wait for

        tally = Tally()

        def translate(texts: list[Asked]) -> list[str]:
            made = self.translate_with([replace(one, prefix=prefix, must=tuple(must)) for one in texts], search)
            for translation in made:
                tally.add(translation)
                if listen is not None:
                    listen(translation)
            return [translation.text for translation in made]

        filled = fill(path_in, path_out, self.source, self.target, translate, columns, overwrite, self.context)
        return FileSummary(filled.translated, filled.kept, filled.review, tally)

    def _divide(self, text: str, coding: _Coding) -> list[Part]:
        return divide(text, self.source, self._about.longest_text, lambda part: len(coding.of(part).ids))

    def _say(self, asked: list[Asked], coding: _Coding, engine: Engine, search: Search, align: bool) -> list[_Said]:
        """The translations of parts that have words and are short enough."""
        places = self._about.places
        if places is not None:
            search = replace(search, longest=min(places, search.longest or places))
        coded = [coding.of(one.text) for one in asked]
        read = preceded(self.subwords, coded, [one.context for one in asked], self._about.longest)
        sources = [one.ids for one in read]
        plain = all(one.is_plain for one in asked)
        demands = [] if plain else [Demand.of(self.subwords, one) for one in asked]
        decoded = decode_checked(engine, sources, search, demands, [one.ids for one in coded])
        said = [(one.tokens, source) for source, found in zip(coded, decoded, strict=True) for one in found.hypotheses]
        written = iter(decode(self.subwords, [tokens for tokens, _ in said], [source.symbols for _, source in said]))
        best = [found.hypotheses[0].tokens for found in decoded]
        links = engine.align(sources, best, [one.before for one in read]) if align else [[] for _ in coded]
        return [
            _said(source, found, [next(written) for _ in found.hypotheses], linked)
            for source, found, linked in zip(coded, decoded, links, strict=True)
        ]

    def _kept(self, text: str) -> _Said:
        """A part without words, which stays as it is."""
        (coded,) = encode(self.subwords, [text])
        tokens = coded.ids[:-1]
        links = [(place, place) for place in range(len(tokens))]
        return _Said(coded, [Hypothesis(tokens, 0.0, finished=True)], [text], links=links)

    def _assembled(
        self, asked: Asked, parts: list[Part], said: list[_Said], search: Search, align: bool
    ) -> Translation:
        """The translation of a text from those of its parts; the n-th alternative from the n-th of each part."""
        source = asked.text
        if not source.strip():
            return Translation(source, "", 0.0, alignment=() if align else None)
        count = max(len(one.texts) for one in said)
        ranked = [
            Alternative(
                join_translated(parts, [_ranked(one.texts, rank) for one in said], self.target),
                _joined([_ranked(one.hypotheses, rank) for one in said]).score(search.length_penalty),
            )
            for rank in range(count)
        ]
        subwords = self.subwords
        return Translation(
            source,
            ranked[0].text,
            ranked[0].score,
            _pieces(subwords, [(one.hypotheses[0].tokens, one.source.symbols) for one in said]),
            _pieces(subwords, [(one.source.ids[:-1], one.source.symbols) for one in said]),
            _shifted(said) if align else None,
            _flags(asked, ranked[0].text, parts, said),
            tuple(ranked[1:]),
        )


def _chunks(lines: Iterable[str | Asked], most: int) -> Iterator[list[str | Asked]]:
    """Lines in lists, each with few enough lines and characters."""
    chunk: list[str | Asked] = []
    characters = 0
    for line in lines:
        chunk.append(line)
        characters += len(line if isinstance(line, str) else line.text)
        if len(chunk) >= most or characters >= CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


def _said(source: Coded, found: Checked, texts: list[str], links: list[Link]) -> _Said:
    flags = found.flags
    if not texts[0] and Flag.EMPTY not in flags:  # tokens that say nothing
        flags = (*flags, Flag.EMPTY)
    return _Said(source, found.hypotheses, texts, flags, links)


def _ranked(ranked: list[One], rank: int) -> One:
    return ranked[min(rank, len(ranked) - 1)]


def _joined(hypotheses: list[Hypothesis]) -> Hypothesis:
    if len(hypotheses) == 1:
        return hypotheses[0]
    tokens = [token for one in hypotheses for token in one.tokens]
    logs = sum(one.log_probability for one in hypotheses)
    return Hypothesis(tokens, logs, all(one.finished for one in hypotheses))


def _flags(asked: Asked, text: str, parts: list[Part], said: list[_Said]) -> tuple[Flag, ...]:
    found = {flag for one in said for flag in one.flags}
    if any(part.cut for part in parts):
        found.add(Flag.DIVIDED)
    if compare(asked.text, text):
        found.add(Flag.SYMBOLS)
    if asked.lacks(text):
        found.add(Flag.MISSING)
    return tuple(flag for flag in Flag if flag in found) if found else ()


def _pieces(subwords: Subwords, rows: list[tuple[list[int], tuple[str, ...]]]) -> tuple[str, ...]:
    return tuple(chain.from_iterable(pieces(subwords, ids, symbols) for ids, symbols in rows))


def _shifted(said: list[_Said]) -> tuple[Link, ...]:
    """The links of all parts, counted from the beginning of the text."""
    links: list[Link] = []
    before_source = before_target = 0
    for one in said:
        links += [(source + before_source, target + before_target) for source, target in one.links]
        before_source += len(one.source.ids) - 1
        before_target += len(one.hypotheses[0].tokens)
    return tuple(links)
