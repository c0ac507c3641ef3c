"""Languages: names, what is served, and what a text is in."""

import pytest

from mirada.serving.languages import all_languages, guess_among, guesses, name_of
from mirada.serving.models import Models, names_of
from mirada.serving.problem import Problem
from mirada.serving.served import ServedTranslator
from mirada.translator import Translator
from tests.serving.servers import MODEL, shouting


class Speaking(Translator):
    """As much of a translator as a choice needs."""

    def __init__(self, source: str, target: str) -> None:
        self._languages = (source, target)

    @property
    def source(self) -> str:
        return self._languages[0]

    @property
    def target(self) -> str:
        return self._languages[1]


def models(*pairs: tuple[str, str]) -> Models:
    return Models(
        [ServedTranslator(f"model-{number}", Speaking(*pair), exported=False) for number, pair in enumerate(pairs)]
    )


def test_names() -> None:
    assert [name_of(tag) for tag in ("en", "pt-BR", "gn", "x-mine", "tlh")] == [
        "English",
        "Portuguese (BR)",
        "Guarani",
        "x (mine)",
        "tlh",
    ]


def test_the_first_model_that_serves_is_taken() -> None:
    served = models(("en", "es"), ("en", "pt-BR"), ("es", "en"), ("en", "es"), ("en", "pt-PT"))
    assert served.choose("en", "es").name == "model-0"
    assert served.choose("en", "es", "model-3").name == "model-3"
    assert served.choose("eng", "pt").name == "model-1"
    assert served.choose("en-GB", "pt-PT").name == "model-4"
    assert served.sources_of("en") == ["es"]
    assert all_languages(served) == {"en": ["es", "pt-BR", "pt-PT"], "es": ["en"], "pt-BR": [], "pt-PT": []}
    for source, target, name in (("en", "fr", None), ("no tag", "es", None), ("es", "en", "model-0")):
        with pytest.raises(Problem, match="this language pair is not served; there is e"):
            served.choose(source, target, name)
    with pytest.raises(Problem, match="there is no model of that name"):
        served.choose("en", "es", "../model-0")


def test_names_of_folders(tmp_path) -> None:
    (tmp_path / "a").mkdir()
    folders = [tmp_path / "a", tmp_path / "b" / ".." / "a", tmp_path / "b"]
    assert names_of(folders) == ["a", "a-2", "b"]
    with pytest.raises(ValueError, match="no model was given"):
        Models([])


def test_a_text_is_guessed_among_what_is_served() -> None:
    assert guesses("¿Dónde está la estación de tren?")[0].language == "es"
    assert guess_among("¿Dónde está\nla estación de tren?", ["en", "es-MX"]).language == "es-MX"
    assert guess_among("12 + 3", ["pt", "en"]) == guess_among("", ["pt", "en"])
    assert guess_among("", ["pt", "en"]).chance == 0
    assert guesses(" \n…") == []


def test_a_served_model_tells_its_engine() -> None:
    one = ServedTranslator("here", shouting(), exported=False)
    assert (one.engine, one.source, one.target) == ("torch", "en", "es")
    assert Models.load([MODEL, MODEL]).named("schema-1-2").exported is False
