"""Checked decoding: a translation that went wrong gives way to a better one, whatever engine decodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mirada.decoding.demand import Demand
from mirada.decoding.engine import Decoder
from mirada.decoding.hypothesis import Hypothesis
from mirada.decoding.limits import Flag, flags_of
from mirada.decoding.options import Search

# Further attempts are wider than the first, if that was narrow. Two candidates are enough for most failures of a greedy
# search, at a third of the time of five.
WIDTHS = 2, 5


@dataclass(frozen=True)
class Checked:
    """The hypotheses of a source, the best first, and what is wrong with the first."""

    hypotheses: list[Hypothesis]
    flags: tuple[Flag, ...]


def decode_checked(
    decoder: Decoder,
    sources: Sequence[Sequence[int]],
    search: Search,
    demands: Sequence[Demand] = (),
    own: Sequence[Sequence[int]] | None = None,
) -> list[Checked]:
    """What a decoder finds, but a failed translation gives way to a sound one of the same beam, or is tried again.

    Further attempts are reined, and have more candidates, one of which may find an end. Most failures are loops, in
    which every candidate of the beam is caught: more width alone does not free them, and neither does another length
    penalty, which only ranks what has ended.

    `own` are the texts to be translated where the sources hold more, what stands before them: a translation is judged
    by its own text.
    """
    judged_by = sources if own is None else own
    found = _judged_all(decoder, sources, search, demands, judged_by)
    for width in [width for width in WIDTHS if width > search.beam] or [search.beam]:
        failed = [number for number, one in enumerate(found) if one.flags]
        if not failed:
            break
        again = [demands[number] for number in failed] if demands else ()
        rows, texts = [sources[number] for number in failed], [judged_by[number] for number in failed]
        retried = _judged_all(decoder.reined(), rows, replace(search, beam=width), again, texts)
        for number, one in zip(failed, retried, strict=True):
            found[number] = min(found[number], one, key=lambda checked: len(checked.flags))
    return found


def _judged_all(
    decoder: Decoder,
    sources: Sequence[Sequence[int]],
    search: Search,
    demands: Sequence[Demand],
    own: Sequence[Sequence[int]],
) -> list[Checked]:
    # All of the beam, since a sound one may stand behind those that are asked for.
    all_found = search if search.sampling else replace(search, n_best=search.beam)
    decoded = decoder.decode(sources, all_found, demands)
    return [_judged(hypotheses, text, search.n_best) for hypotheses, text in zip(decoded, own, strict=True)]


def _judged(hypotheses: list[Hypothesis], source: Sequence[int], count: int) -> Checked:
    """The first `count` hypotheses; if the best has failed, the best sound one stands before it."""
    flags = flags_of(hypotheses[0], source)
    if not flags:
        return Checked(hypotheses[:count], ())
    sound = next((place for place, one in enumerate(hypotheses) if not flags_of(one, source)), None)
    if sound is None:
        return Checked(hypotheses[:count], flags)
    others = hypotheses[:sound] + hypotheses[sound + 1 :]
    return Checked([hypotheses[sound], *others][:count], ())
