"""Patterns: `allows` is the truth, and every structural fact, picture and text agrees with it."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some
from torch import Tensor

from mirada.attention import Causal, Fixed, Full, Grid, Pattern, PatternError, Strided, Window, parse
from mirada.attention.pattern import Both, Either, cells, tiles
from tests.oracle import allowed

LONGEST = 29  # longer than a grid's tile of 8 × 8 is wide, so that there are several

small = some.integers(0, 7)
sizes = some.integers(1, 7)
single = some.one_of(
    some.just(Full()),
    some.just(Causal()),
    some.builds(Window, small, small),
    some.builds(Strided, sizes),
    sizes.flatmap(lambda block: some.builds(Fixed, some.just(block), some.integers(0, block))),
    some.builds(Grid, some.integers(4, 11), some.integers(4, 11), some.integers(0, 3), some.integers(0, 2)),
)
composed = some.recursive(
    single, lambda inner: some.builds(Both, inner, inner) | some.builds(Either, inner, inner), max_leaves=4
)
held = settings(max_examples=150, derandomize=True)


@some.composite
def places(draw: some.DrawFn) -> tuple[Pattern, int]:
    """A pattern, and a length that it knows."""
    pattern = draw(composed)
    longest = LONGEST if pattern.places is None else min(LONGEST, pattern.places)
    return pattern, draw(some.integers(0, longest))


def pairs(pattern: Pattern, length: int) -> Tensor:
    """The mask of `allows`."""
    place = torch.arange(length)
    return pattern.allows(place[:, None], place[None, :]).expand(length, length)


@held
@given(places())
def test_allows_is_the_definition(found: tuple[Pattern, int]) -> None:
    pattern, length = found
    looped = [[allowed(pattern, i, j) for j in range(length)] for i in range(length)]
    assert pairs(pattern, length).tolist() == looped


@held
@given(single)
def test_every_place_sees_itself(pattern: Pattern) -> None:
    length = pattern.places or LONGEST
    assert pairs(pattern, length).diagonal().all()


@held
@given(places())
def test_the_band_holds_every_allowed_pair(found: tuple[Pattern, int]) -> None:
    pattern, length = found
    i, j = torch.nonzero(pairs(pattern, length), as_tuple=True)
    band = pattern.band
    assert band.left is None or (j >= i - band.left).all()
    assert band.right is None or (j <= i + band.right).all()


def count_in_tiles(pattern: Pattern, length: int) -> Tensor:
    """How often the tiles of a pattern count each pair."""
    counted = torch.zeros(length, length, dtype=torch.int64)
    for part in tiles(pattern, length):
        i, j = part.queries[:, :, None], part.keys[:, None, :]
        counts = part.pattern.allows(i, j) & (i >= 0) & (j >= 0)
        i, j = i.expand(counts.shape), j.expand(counts.shape)
        one = torch.ones((), dtype=torch.int64)
        counted.index_put_((i[counts], j[counts]), one, accumulate=True)
    return counted


@held
@given(places())
def test_the_tiles_count_every_allowed_pair_once(found: tuple[Pattern, int]) -> None:
    pattern, length = found
    assert torch.equal(count_in_tiles(pattern, length), pairs(pattern, length).long())


@pytest.mark.parametrize(
    "pattern",
    [
        Window(5, 3),
        Strided(5),
        Fixed(5, 2),
        Grid(19, 23, 2, prefix=1),
        Causal() & (Window(5, 0) | Strided(7)),
        Fixed(7, 2) & Strided(3) | Window(2, 2),
    ],
    ids=str,
)
def test_the_tiles_of_a_longer_sequence(pattern: Pattern) -> None:
    length = pattern.places or 211
    assert torch.equal(count_in_tiles(pattern, length), pairs(pattern, length).long())


@held
@given(places())
def test_no_query_and_no_key_stands_twice_in_a_tile(found: tuple[Pattern, int]) -> None:
    for part in tiles(*found):
        for row in (*part.queries, *part.keys):
            present = row[row >= 0].tolist()
            assert len(present) == len(set(present))


@held
@given(places())
def test_cells_are_those_of_the_tiles(found: tuple[Pattern, int]) -> None:
    pattern, length = found
    assert cells(pattern, length) == sum(part.queries.numel() * part.keys.shape[1] for part in tiles(pattern, length))


@held
@given(composed, some.integers(0, 9), some.integers(0, 5), some.integers(0, 13))
def test_a_pattern_covers_only_what_it_allows(pattern: Pattern, first: int, queries: int, keys: int) -> None:
    if pattern.covers(first, queries, keys):
        i, j = torch.arange(first, first + queries), torch.arange(keys)
        assert pattern.allows(i[:, None], j[None, :]).all()


@pytest.mark.parametrize(
    ("pattern", "first", "queries", "keys"),
    [
        (Full(), 0, 5, 7),
        (Causal(), 6, 1, 7),
        (Window(6, 0), 6, 1, 7),
        (Window(6, 6), 0, 7, 7),
        (Causal() & Window(6, 0), 6, 1, 7),
        (Causal() | Full(), 0, 5, 7),
    ],
    ids=str,
)
def test_a_pattern_that_forbids_nothing_says_so(pattern: Pattern, first: int, queries: int, keys: int) -> None:
    assert pattern.covers(first, queries, keys)


@held
@given(composed)
def test_text_and_back_allows_the_same(pattern: Pattern) -> None:
    again = parse(str(pattern))
    length = LONGEST if pattern.places is None else min(LONGEST, pattern.places)
    assert str(again) == str(pattern)
    assert torch.equal(pairs(again, length), pairs(pattern, length))


@held
@given(composed)
def test_text_and_back_is_the_same_pattern(pattern: Pattern) -> None:
    again = parse(str(pattern))
    assert again == pattern
    assert hash(again) == hash(pattern)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("full", Full()),
        ("full()", Full()),
        ("Causal", Causal()),
        (" window( 8,0 ) ", Window(8, 0)),
        ("window(left=2, right=3)", Window(2, 3)),
        ("strided(4)", Strided(4)),
        ("fixed(8, 2)", Fixed(8, 2)),
        ("grid(3, 5, 1)", Grid(3, 5, 1)),
        ("grid(3, 5, 1, prefix=2)", Grid(3, 5, 1, 2)),
        ("grid(3, 5, 1, 2)", Grid(3, 5, 1, 2)),
        ("window(8,\n0)", Window(8, 0)),
        ("((full))", Full()),
        ("window(8,0)&strided(4)", Window(8, 0) & Strided(4)),
        ("causal & strided(4) | window(2, 0)", (Causal() & Strided(4)) | Window(2, 0)),
        ("causal & (strided(4) | window(2, 0))", Causal() & (Strided(4) | Window(2, 0))),
    ],
)
def test_text_that_is_read(text: str, pattern: Pattern) -> None:
    assert parse(text) == pattern


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "cannot read the pattern ''.*known: full, causal, window"),
        ("   ", "cannot read the pattern.*known: full"),
        ("full causal", "cannot read the pattern 'full causal'.*known: full"),
        ("window(8, 0", "cannot read.*known: full"),
        ("full\n& causal", "cannot read.*known: full"),
        ("full; causal", r"at character \d+.*known: full"),
        ("full\0", "cannot read.*known: full"),
        ("(" * 900, "known: full"),
        ("(" * 400 + "full" + ")" * 400, "known: full"),
        ("~" * 900 + "full", "known: full"),
        ("-" * 900 + "1", "known: full"),
        ("x" * 1_001, "1001 characters; at most 1000"),
        ("windw(8, 0)", "'windw' is no pattern; known: full"),
        ("1", "'1' is no pattern; known"),
        ("'full'", "is no pattern; known"),
        ("[full]", r"'\[full\]' is no pattern; known"),
        ("full.allows", "'full.allows' is no pattern; known"),
        ("full.__class__()", "is no pattern; known"),
        ("window(8, 0).left", "is no pattern; known"),
        ("full[0]", "is no pattern; known"),
        ("__import__('os')", "__import__"),
        ("open", "'open' is no pattern; known"),
        ("window(8, 0)(1)", "is no pattern; known"),
        ("(lambda: full)()", "is no pattern; known"),
        ("full if full else causal", "is no pattern; known"),
        ("full and causal", r"'full and causal' is no pattern; .*joined by & and \|"),
        ("full + causal", r"'full \+ causal' is no pattern; .*joined by & and \|"),
        ("not full", "'not full' is no pattern"),
        ("~full", "'~full' is no pattern"),
        ("window(8)", r"window\(8\): the numbers wanted are \(left, right\)"),
        ("window", r"the numbers wanted are \(left, right\)"),
        ("window(1, 2, 3)", r"the numbers wanted are \(left, right\)"),
        ("full(1)", r"full\(1\): the numbers wanted"),
        ("window(1, wide=2)", r"window\(1, wide=2\): the numbers wanted are \(left, right\)"),
        ("window(1, left=2)", r"the numbers wanted are \(left, right\)"),
        ("window(1, right=2, right=3)", "right"),
        ("window(*[1, 2])", "is no whole number"),
        ("window(**{})", "is no whole number"),
        ("window(8.0, 0)", r"'8\.0' in the pattern .* is no whole number"),
        ("window(True, 0)", "'True' in the pattern .* is no whole number"),
        ("window(a, 0)", "'a' in the pattern .* is no whole number"),
        ("window('8', 0)", "is no whole number"),
        ("window(2 ** 9, 0)", "is no whole number"),
        ("window(full, 0)", "'full' in the pattern .* is no whole number"),
        ("window(" + "9" * 900 + ", 0)", "is no whole number up to"),
        ("strided(99999999999999999999)", "'99999999999999999999' .* is no whole number up to"),
        ("window(-1, 0)", r"window\(-1, 0\): .* use 0 or more"),
        ("window(0, -1)", r"window\(0, -1\): .* use 0 or more"),
        ("strided(0)", r"strided\(0\): .* use 1 or more"),
        ("strided(-3)", r"strided\(-3\): .* use 1 or more"),
        ("fixed(0, 0)", r"fixed\(0, 0\): a block holds 1 place or more"),
        ("fixed(4, 5)", r"fixed\(4, 5\): .* use 0 to 4"),
        ("fixed(4, -1)", r"fixed\(4, -1\): .* use 0 to 4"),
        ("grid(0, 5, 1)", r"grid\(0, 5, 1\): height and width are 1 or more"),
        ("grid(3, 5, -1)", r"grid\(3, 5, -1\): radius and prefix are 0 or more"),
    ],
    ids=lambda text: text[:24] if len(text) < 200 else f"{text[:8]} and {len(text) - 8} more",
)
def test_text_that_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(PatternError, match=f"(?s){sentence}"):
        parse(text)


def test_the_longest_text_is_read() -> None:
    text = "&".join(["full"] * 200)
    assert len(text) == 999
    assert pairs(parse(text), 3).all()


def test_equal_patterns_are_one_key() -> None:
    counted = {Window(2, 3): "one", Causal() & Strided(2): "two"}
    assert counted[Window(2, 3)] == "one"
    assert counted[Causal() & Strided(2)] == "two"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Window(2, 3), Window(3, 2)),
        (Full(), Causal()),
        (Strided(2), Strided(3)),
        (Causal() & Strided(2), Causal() | Strided(2)),
        (Grid(3, 5, 1), Grid(3, 5, 1, prefix=1)),
    ],
    ids=str,
)
def test_different_patterns_differ(one: Pattern, other: Pattern) -> None:
    assert one != other


def test_a_pattern_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Window(2, 3).left = 4  # type: ignore[misc]
