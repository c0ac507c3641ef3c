"""Word alignments against those of people: alignment error rate, precision and recall (Och and Ney 2003).

People mark links S of which they are sure, and links P that are possible too, S ⊆ P. For the links A that were found:

    precision = |A ∩ P| / |A|      recall = |A ∩ S| / |S|      AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

Counts are summed over all sentences first. Where there is nothing to count, nothing is wrong: precision and recall are
1 and AER is 0.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from mirada.decoding.engine import Link

LARGEST_NUMBER = 6  # digits of a word's number; no line has so many words
WRITTEN_LINK = re.compile(rf"(\d{{1,{LARGEST_NUMBER}}})([-p])(\d{{1,{LARGEST_NUMBER}}})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Gold:
    """The links of one sentence that people are sure of, and all that are possible, the sure ones among them."""

    sure: frozenset[Link]
    possible: frozenset[Link]

    @classmethod
    def of(cls, sure: Iterable[Link], possible: Iterable[Link] = ()) -> Gold:
        """Links that are sure, and others that are only possible."""
        known = frozenset(sure)
        return cls(known, known | frozenset(possible))


@dataclass(frozen=True, slots=True)
class AlignmentScores:
    """How well links agree with those of people; all three from 0 to 1, the error the less the better."""

    error: float
    precision: float
    recall: float
    links: int  # that were found
    sure: int  # that people are sure of

    def as_json(self) -> dict[str, object]:
        """The scores for programs."""
        return {
            "aer": round(self.error, 6),
            "precision": round(self.precision, 6),
            "recall": round(self.recall, 6),
            "links": self.links,
            "sure": self.sure,
        }


def score(found: Sequence[Collection[Link]], gold: Sequence[Gold]) -> AlignmentScores:
    """The scores of the links of many sentences."""
    if len(found) != len(gold):
        raise ValueError(f"{len(found):,} alignments for {len(gold):,} gold ones; there must be one for each")
    links = sure = among_sure = among_possible = 0
    for own, theirs in zip(map(frozenset, found), gold, strict=True):
        links += len(own)
        sure += len(theirs.sure)
        among_sure += len(own & theirs.sure)
        among_possible += len(own & theirs.possible)
    return AlignmentScores(
        error=1 - _share(among_sure + among_possible, links + sure),
        precision=_share(among_possible, links),
        recall=_share(among_sure, sure),
        links=links,
        sure=sure,
    )


def read_gold(line: str, first: int = 0) -> Gold:
    """The gold links in a line: `3-4` is sure, `3p4` possible; the first word of a sentence has the number `first`.

    In a line with tabs they stand in its last column that is not empty, as in tables of source, target and links.
    """
    columns = [column for column in line.split("\t") if column.strip()]
    links: dict[str, set[Link]] = {"-": set(), "p": set()}
    for word in columns[-1].split() if columns else ():
        parts = WRITTEN_LINK.fullmatch(word)
        if parts is None:
            raise ValueError(f"{word[:40]!r} is no link; write 3-4 for a sure one and 3p4 for a possible one")
        links[parts[2]].add((int(parts[1]) - first, int(parts[3]) - first))
    return Gold.of(links["-"], links["p"])


def require_within(gold: Gold, source_words: int, target_words: int, first: int = 0) -> None:
    """Refuse links to words that a pair of sentences does not have; `first` is the number that the first word has."""
    for source, target in sorted(gold.possible):
        if not (0 <= source < source_words and 0 <= target < target_words):
            raise ValueError(
                f"the link {source + first}-{target + first} names a word that is not there: the source has "
                f"{source_words} words and the target {target_words}, counted from {first}"
            )


def write_links(links: Collection[Link]) -> str:
    """Links as Pharaoh wrote them, `0-0 1-2`, in the order of the target; the first word has the number 0."""
    ordered = sorted(links, key=lambda link: (link[1], link[0]))
    return " ".join(f"{source}-{target}" for source, target in ordered)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
