"""Preparing captions: pictures to bytes and their texts to tokens in the run's folder, made once and used again."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.pair import CorpusError
from mirada.corpora.pictures.arrays import Values
from mirada.corpora.pictures.picture import Picture, PictureShape
from mirada.corpora.pictures.store import PictureStore
from mirada.corpora.store import Store, StoreWriter, fingerprint
from mirada.models.folder import SUBWORDS, write_file
from mirada.text.subwords import Subwords
from mirada.text.tags import tag_ids, tag_of
from mirada.text.vocabulary import collect, learn_from
from mirada.training.caption_config import CaptionDataConfig
from mirada.training.facts import PreparedFacts
from mirada.training.picture_gathering import gather
from mirada.training.preparing import DATA, FACTS, PARTS, Files, Say, read_facts
from mirada.training.reuse import reuse_or_make

FORMAT = 1  # of what lies in the folder `data`; a change makes old ones be built again
AT_ONCE = 10_000  # captions
MOST_LANGUAGES = 200
TEXTS, OF = "captions.jsonl", "of.npy"


class CaptionFacts(PreparedFacts):
    """What a preparation found and made."""

    made_from: str
    task: Literal["caption"] = "caption"
    pictures: dict[str, int]  # by part
    captions: dict[str, int]
    dropped: dict[str, int]
    languages: tuple[str, ...]
    shape: PictureShape
    values: tuple[float, float] | None  # the range of the numbers of npz files
    vocabulary: int

    def told(self) -> str:
        train, dev, test = (self.pictures[part] for part in PARTS)
        languages = ", ".join(self.languages) if self.languages != ("",) else "one language"
        return (
            f"{train:,} pictures with {self.captions['train']:,} captions ({languages}) to train on, {dev:,} to look "
            f"at, {test:,} to test with; {self.vocabulary:,} subwords."
        )


@dataclass(frozen=True, slots=True)
class Caption:
    """A text, its language, and the number of its picture."""

    picture: int
    language: str
    text: str


@dataclass(frozen=True, eq=False)
class Part:
    """The pictures and captions of training, development or test."""

    folder: Path

    @property
    def pictures(self) -> PictureStore:
        """The pictures."""
        return PictureStore(self.folder)

    @property
    def texts(self) -> Store:
        """The captions as tokens."""
        return Store.open(self._beside("tokens"))

    @property
    def of(self) -> NDArray[np.int64]:
        """The number of the picture of each caption."""
        return np.load(self._beside(OF), mmap_mode="r", allow_pickle=False)

    def captions(self) -> Iterator[Caption]:
        """The captions as text, in the order of the tokens, which leave out languages that were not trained on."""
        with self._beside(TEXTS).open(encoding="utf-8") as file:
            for line in file:
                yield Caption(*json.loads(line))

    @property
    def path(self) -> Path:
        """Where the captions lie."""
        return self._beside(TEXTS)

    def _beside(self, name: str) -> Path:
        return self.folder.with_name(f"{self.folder.name}.{name}")


@dataclass(frozen=True, eq=False)
class PreparedCaptions:
    """Captions that are ready to train on."""

    parts: Mapping[str, Part]
    subwords: Subwords
    facts: CaptionFacts


def parts_of(folder: Path) -> dict[str, Part]:
    """The parts of the data in a run's folder."""
    return {part: Part(folder / DATA / part) for part in PARTS}


def prepare_captions(folder: Path, files: Files, config: CaptionDataConfig, say: Say) -> PreparedCaptions:
    """The captions of a run, from its folder where they were made from the same files and settings, else made now."""
    prepared_by = config.model_dump(mode="json", exclude={"shift", "flip"})  # which change no stored byte
    made_from = fingerprint({"format": FORMAT, "task": "caption", "files": files.identities, "config": prepared_by})
    return reuse_or_make(
        folder / DATA / FACTS,
        made_from,
        lambda: _open(folder),
        lambda: _make(folder, files, config, made_from, say),
        say,
    )


def _open(folder: Path) -> PreparedCaptions:
    facts = read_facts(folder / DATA, CaptionFacts)
    parts = parts_of(folder)
    for part in parts.values():
        if len(part.texts) != len(part.of) or part.pictures.shape != facts.shape:
            raise CorpusError(f"{part.folder} and the captions beside it do not fit")
    return PreparedCaptions(parts, Subwords.load(folder / SUBWORDS), facts)


def _make(folder: Path, files: Files, config: CaptionDataConfig, made_from: str, say: Say) -> None:
    """Make all that `_open` opens; the facts come last, so that a folder that has them is whole."""
    data = folder / DATA
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    parts = parts_of(folder)
    found: Counter[tuple[str, str]] = Counter()  # by part and language
    with ExitStack() as stack:
        sinks = {name: stack.enter_context(part.path.open("w", encoding="utf-8")) for name, part in parts.items()}

        def take(part: str, number: int, picture: Picture) -> None:
            for language, text in picture.texts.items():
                found[part, language] += 1
                sinks[part].write(json.dumps([number, language, " ".join(text.split())], ensure_ascii=False) + "\n")

        gathered = gather(data, files, config, made_from, _judge, take, say)
    languages = tuple(sorted({language for part, language in found if part == "train"}))
    if len(languages) > MOST_LANGUAGES:
        raise CorpusError(f"{len(languages)} languages were found; at most {MOST_LANGUAGES} are written by one model")
    say("Learning subwords.")
    collected = collect(caption.text for caption in parts["train"].captions())
    marks = tuple(tag_of(language) for language in languages if language)
    subwords = learn_from(collected, config.vocabulary, marks=marks).subwords
    write_file(folder / SUBWORDS, subwords.to_bytes())
    for part in parts.values():
        _encode(part, subwords, tag_ids(subwords, languages), made_from)
    facts = CaptionFacts(
        made_from=made_from,
        pictures=gathered.counts,
        captions={part: sum(count for (one, _), count in found.items() if one == part) for part in PARTS},
        dropped=gathered.dropped,
        languages=languages,
        shape=gathered.shape,
        values=_pair(gathered.values),
        vocabulary=subwords.size,
    )
    write_file(data / FACTS, (facts.model_dump_json(indent=2) + "\n").encode())
    say(facts.told())


def _judge(picture: Picture) -> str | None:
    return None if picture.texts else "there is no caption"


def _encode(part: Part, subwords: Subwords, tags: Mapping[str, int], made_from: str) -> None:
    """The captions of a part as tokens, each with the mark of its language as its source.

    Languages that were never trained on are left out.
    """
    of: list[NDArray[np.int64]] = []
    with StoreWriter(part.folder.with_name(f"{part.folder.name}.tokens"), made_from, subwords.size) as writer:
        waiting = (one for one in part.captions() if one.language in tags)
        while some := list(islice(waiting, AT_ONCE)):
            marks = np.array([tags[one.language] for one in some], dtype=np.uint32)
            texts = subwords.encode_flat([one.text for one in some], end=True)
            writer.add([(marks, np.ones(len(some), dtype=np.int64))], [texts])
            of.append(np.array([one.picture for one in some], dtype=np.int64))
    np.save(part.folder.with_name(f"{part.folder.name}.{OF}"), np.concatenate([np.zeros(0, dtype=np.int64), *of]))


def _pair(values: Values | None) -> tuple[float, float] | None:
    return None if values is None else (values.least, values.largest)
