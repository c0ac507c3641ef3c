"""Forms: a running text parted as treebanks part it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.text.forms import forms_of

TEXTS = {
    "The old man reads a long book.": "The old man reads a long book .",
    '"Yes, 50%," he said...': '" Yes , 50 % , " he said ...',
    "¿Dónde está la estación?": "¿ Dónde está la estación ?",
    "It costs $5 (or 4€)!!": "It costs $ 5 ( or 4 € ) !!",
    "Mr. J. Smith of the U.S., e.g. here": "Mr . J. Smith of the U.S. , e.g. here",
    "do n't , it 's :) #here @you C# well-known a/b": "do n't , it 's :) #here @you C# well-known a/b",
    "«Слово», 1,000.5 ‘quoted’": "« Слово » , 1,000.5 ‘ quoted’",
    "So do I.": "So do I .",
    " \t ": "",
}


@pytest.mark.parametrize("text", TEXTS)
def test_marks_stand_apart_from_words(text: str) -> None:
    assert " ".join(forms_of(text)) == TEXTS[text]


@given(st.text())
def test_nothing_is_lost_and_what_is_parted_stays(text: str) -> None:
    forms = forms_of(text)
    assert "".join(forms) == "".join(text.split())
    assert all(forms)
    assert forms_of(" ".join(forms)) == forms
