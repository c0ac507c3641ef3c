"""Language tags: their form, how they match, and where names of files hold them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.corpora.languages import best, in_name, is_known, is_tag, normalise, pair_in_name, rank, wrong_languages


@pytest.mark.parametrize(
    ("tag", "normal"),
    [
        ("en", "en"),
        ("ES", "es"),
        ("en_us", "en-US"),
        ("pt_BR", "pt-BR"),
        ("zh-hant-tw", "zh-Hant-TW"),
        ("eng", "en"),
        ("spa-MX", "es-MX"),
        ("gn", "gn"),
        ("nah", "nah"),
        ("es-419", "es-419"),
        ("X-None", "x-none"),
        ("en_US.UTF-8", "en-US"),
        ("sr@latin", "sr-Latn"),
        ("ca@valencia", "ca"),
        (" de ", "de"),
    ],
)
def test_the_recommended_form(tag: str, normal: str) -> None:
    assert normalise(tag) == normal
    assert normalise(normal) == normal


@pytest.mark.parametrize("word", ["", "english", "e", "en us", "en-", "en--US", "12", "en/us", "en-" + "a" * 40, "ñe"])
def test_what_is_no_tag_is_refused(word: str) -> None:
    assert not is_tag(word)
    with pytest.raises(ValueError, match="is no language tag; use one such as"):
        normalise(word)


@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing(word: str) -> None:
    if is_tag(word):
        assert normalise(normalise(word)) == normalise(word)


def test_the_nearest_tag_serves() -> None:
    assert [rank("en", tag) for tag in ("en", "en-US", "EN_gb", "de", "English")] == [0, 1, 1, None, None]
    assert [rank("pt-BR", tag) for tag in ("pt_BR", "pt", "pt-PT")] == [0, 2, None]
    assert best("pt-BR", ["en", "pt", "pt_BR"]) == ["pt_BR"]
    assert best("pt-BR", ["en", "pt", "pt-PT"]) == ["pt"]
    assert best("es", ["es-ES", "en", "es-MX"]) == ["es-ES", "es-MX"]
    assert best("es", ["es-ES", "es"]) == ["es"]
    assert best("de", ["en", "", "x-none", "????"]) == []


def test_known_languages_are_not_other_suffixes() -> None:
    assert all(is_known(word) for word in ("en", "gn", "spa", "pt-BR", "DE"))
    assert not any(is_known(word) for word in ("txt", "src", "tgt", "xx", "x-none", ""))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("train.en", ("train", "en")),
        ("validators.pt_BR", ("validators", "pt_BR")),
        ("news.2016.zh-Hant-TW", ("news.2016", "zh-Hant-TW")),
        ("corpus-es", ("corpus", "es")),
        ("test_2016_flickr.de", ("test_2016_flickr", "de")),
        ("es", ("", "es")),
        ("train.txt", None),
        ("readme", None),
        ("train.nah", None),
    ],
)
def test_the_language_at_the_end_of_a_name(name: str, found: tuple[str, str] | None) -> None:
    assert in_name(name) == found


def test_an_asked_language_needs_no_short_code() -> None:
    assert in_name("train.nah", ["es", "nah"]) == ("train", "nah")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("en-es.tsv", ("en", "es")),
        ("docs.en-es.tmx", ("en", "es")),
        ("news-en-pt_BR.tsv.gz", ("en", "pt_BR")),
        ("en-pt-BR.tsv", ("en", "pt-BR")),
        ("eng-spa.csv", ("eng", "spa")),
        ("train.en-US.tsv", None),
        ("my-data.tsv", None),
        ("en.tsv", None),
    ],
)
def test_the_pair_in_a_name(name: str, found: tuple[str, str] | None) -> None:
    assert pair_in_name(Path(name)) == found


def test_the_error_lists_what_was_found() -> None:
    told = str(wrong_languages(Path("x.tmx"), ["fr", "en-US"], "en", "de"))
    assert "x.tmx" in told
    assert "en-US, fr" in told
    assert "en and de were asked for" in told
