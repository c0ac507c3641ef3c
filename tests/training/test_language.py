"""Runs of language models: learning, going on bit for bit, the same data used again, and other models' units."""

from pathlib import Path

import pytest

from mirada.generator import Generator
from mirada.models.config import LanguageModelConfig
from mirada.models.folder import FolderError
from mirada.training import record
from mirada.training.decisions import decide_optimizer
from mirada.training.language import LanguageFamily, preset_tree
from mirada.training.language_config import LanguageRunConfig
from mirada.training.preparing import Files
from mirada.training.result import LanguageResult
from mirada.training.run import Request
from mirada.training.settings import ConfigError, Tree, merge, validate_as
from tests.training.small import run

SETTINGS: Tree = {
    "data": {"dev_share": 0.1, "test_share": 0.1},
    "model": {"context": 12, "width": 16, "feed_forward": 32, "stack": {"layers": 1, "heads": 2}},
    "training": {"batch_tokens": 240, "dropout": 0.1, "budget": {"steps": 60}, "save_minutes": 0.001},
}
SENTENCES = ("the cat sleeps on the mat", "the dog sees the cat", "a bird sings", "the mat is red")


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("".join(SENTENCES[number * number % 7 % 4] + ".\n" for number in range(300)))
    return path


def request(text: Path, output: Path, **changes: object) -> Request:
    return Request(Files((text,)), output, None, merge(SETTINGS, changes), task="lm")


@pytest.fixture(scope="module")
def trained(text: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "model"
    outcome, listener = run(request(text, folder))
    assert outcome.finished
    assert isinstance(outcome.result, LanguageResult)
    assert outcome.result.test is not None
    assert outcome.result.development.loss < 2.0, "a uniform choice among its characters loses 3.1"
    assert any("characters to train on" in said for said in listener.said)
    return folder


def weights_of(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


@pytest.mark.parametrize("at", [7, 59])
def test_a_stopped_run_goes_on_as_if_it_had_not_been(text: Path, trained: Path, tmp_path: Path, at: int) -> None:
    asked = request(text, tmp_path / "model")
    assert run(asked, stop_at=at)[0].step == at
    outcome, listener = run(asked)
    assert outcome.finished
    assert any("was prepared before" in said for said in listener.said)
    assert weights_of(tmp_path / "model") == weights_of(trained)


def test_a_finished_folder_holds_what_is_needed(trained: Path) -> None:
    names = {path.name for path in trained.iterdir()}
    assert {"config.json", "model.safetensors", "characters.json", "card.md", "curves.png", "metrics.jsonl"} <= names
    assert "bits per character" in (trained / "card.md").read_text()


def test_another_run_is_refused(text: Path, trained: Path) -> None:
    with pytest.raises(FolderError, match=r"model\.context: 12 before, 10 now"):
        run(request(text, trained, model={"context": 10}))


def test_a_model_goes_on_from_another(text: Path, trained: Path, tmp_path: Path) -> None:
    settings: Tree = {"training": {"budget": {"steps": 3}, "batch_tokens": 240}}
    asked = Request(Files((text,)), tmp_path / "model", None, settings, start=trained, task="lm")
    outcome, _ = run(asked)
    assert outcome.result is not None
    assert outcome.result.development.loss < 2.0
    with pytest.raises(ConfigError, match="brings its own model"):
        run(Request(Files((text,)), tmp_path / "other", None, {"model": {"width": 8}}, start=trained, task="lm"))


def test_subwords_and_own_sets(text: Path, tmp_path: Path) -> None:
    held = tmp_path / "held.txt"
    held.write_text("the cat sings.\n" * 9)
    files = Files((text,), (held,), (held,))
    changes: Tree = {"data": {"units": "subwords", "vocabulary": 400}, "training": {"budget": {"steps": 5}}}
    asked = Request(files, tmp_path / "model", None, merge(SETTINGS, changes), task="lm")
    result = run(asked)[0].result
    assert isinstance(result, LanguageResult)
    assert result.test is not None
    assert result.test.characters == 9 * len("the cat sings.\n")
    assert result.test.tokens < result.test.characters
    assert Generator.load(tmp_path / "model").score(["the cat sings."] * 9).loss == pytest.approx(result.test.loss)


def test_what_cannot_be_trained_on_is_told(tmp_path: Path, text: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    with pytest.raises(ValueError, match="holds no text that can be read"):
        run(request(empty, tmp_path / "model"))
    with pytest.raises(ConfigError, match=r"model\.encoder is not known"):
        run(request(text, tmp_path / "model", model={"encoder": {"layers": 2}}))
    with pytest.raises(ConfigError, match=r"data\.vocabulary counts subwords"):
        run(request(text, tmp_path / "model", data={"units": "characters", "vocabulary": 400}))


def test_one_line_is_trained_on_and_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "line.txt"
    path.write_text("a single line without an end")
    outcome, listener = run(request(path, tmp_path / "model", training={"budget": {"steps": 2}}))
    assert outcome.finished
    assert any("No line could be set aside" in said for said in listener.said)


def test_a_stopped_recurrent_run_goes_on_as_if_it_had_not_been(text: Path, tmp_path: Path) -> None:
    model: Tree = {"kind": "recurrent_language", "context": 12, "width": 8, "stack": {"width": 12, "layers": 2}}
    settings = {**SETTINGS, "model": model, "training": {"batch_tokens": 240, "dropout": 0.2, "budget": {"steps": 9}}}
    asked = [Request(Files((text,)), tmp_path / name, None, settings, task="lm") for name in ("whole", "broken")]
    assert run(asked[0])[0].finished
    run(asked[1], stop_at=4)
    assert run(asked[1])[0].finished
    assert weights_of(tmp_path / "broken") == weights_of(tmp_path / "whole")
    assert Generator.load(tmp_path / "whole").generate("the", 9)[0].text.startswith("the")


@pytest.mark.parametrize("optimizer", ["adam", "muon"])
def test_whatever_it_learns_by_a_stopped_run_goes_on_as_if_it_had_not_been(
    text: Path, tmp_path: Path, optimizer: str
) -> None:
    asked = [request(text, tmp_path / name, training={"optimizer": optimizer}) for name in ("whole", "broken")]
    run(asked[0])
    run(asked[1], stop_at=7)
    run(asked[1])
    assert weights_of(asked[0].output) == weights_of(asked[1].output)
    found = record.read(asked[0].output)
    assert found is not None
    assert found.decided["optimizer"] == optimizer


@pytest.mark.parametrize(
    ("said", "kind", "decided"),
    [
        ({}, "language", "muon"),
        ({}, "recurrent_language", "adam"),
        ({"optimizer": "adam"}, "language", "adam"),
        ({"optimizer": "muon"}, "recurrent_language", "muon"),
    ],
)
def test_muon_is_for_attention(said: Tree, kind: str, decided: str) -> None:
    config = validate_as(LanguageRunConfig, {"model": {"kind": kind}, "training": said}, "a test")
    assert decide_optimizer(config, None) == decided


@pytest.mark.parametrize(
    ("kind", "decay", "variants", "counted"),
    [
        ("language", 0.25, 1, 11.0),
        ("language", 0.0, 1, 22.0),
        ("recurrent_language", 0.25, 1, 22.0),
        ("language", 0.25, 11, 2.0),
        ("recurrent_language", 0.0, 11, 2.0),
    ],
)
def test_what_decays_and_what_is_moved_is_later_known_by_heart(
    kind: str, decay: float, variants: int, counted: float
) -> None:
    config = validate_as(LanguageRunConfig, {"model": {"kind": kind}, "training": {"decay": decay}}, "a test")
    assert config.passes_by_heart(22.0, variants) == counted


def test_a_run_that_was_begun_before_muon_was_there_keeps_to_adam(text: Path, tmp_path: Path) -> None:
    asked = request(text, tmp_path / "model")
    run(asked, stop_at=7)
    before = record.read(asked.output)
    assert before is not None
    before.decided.pop("optimizer")
    assert "optimizer" not in str(before.identity), "what is not said is not part of what a run is known by"
    assert decide_optimizer(LanguageRunConfig(), before) == "adam"


@pytest.mark.parametrize(
    ("preset", "kind", "changes"),
    [
        ("tiny", "language", {"model": {"context": 256, "convolution": 6, "stack": {"layers": 4}}}),
        ("tiny", "recurrent_language", {"model": {"context": 256}}),
        ("gpt", "language", {}),
    ],
)
def test_music_is_read_further_back_and_more_of_it_enters_together(preset: str, kind: str, changes: Tree) -> None:
    """And no event after the next is foretold."""
    text, music = (preset_tree(preset, kind, music=music) for music in (False, True))
    expected = merge(text, changes)
    assert isinstance(expected["model"], dict)
    expected["model"].pop("after_next", None)
    assert music == expected


def test_text_is_read_sixty_four_characters_back_and_four_enter_together() -> None:
    text = config_of("a.txt", {}).model
    assert isinstance(text, LanguageModelConfig)
    assert (text.context, text.convolution) == (64, 4)


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Music."""
    path = tmp_path_factory.mktemp("music") / "pieces.json"
    path.write_text(str([[[60 + step % 5, 48] for step in range(30)] for _ in range(6)]))
    return path


@pytest.fixture(scope="module")
def player(pieces: Path) -> Path:
    """A model of music."""
    settings: Tree = {"data": {"units": "events"}, "training": {"budget": {"steps": 2}}}
    run(Request(Files((pieces,)), pieces.parent / "model", None, merge(SETTINGS, settings), task="lm"))
    return pieces.parent / "model"


def config_of(name: str, settings: Tree, start: Path | None = None) -> LanguageRunConfig:
    return LanguageFamily(Files((Path(name),)), Path("model"), settings, "a test", start).config("tiny")


def test_music_is_known_by_what_is_said_and_by_its_files() -> None:
    said, named, text = config_of("a.json", {"data": {"units": "events"}}), config_of("a.mid", {}), config_of("a", {})
    assert said.model == named.model != text.model


def test_a_model_that_goes_on_keeps_its_units(player: Path) -> None:
    assert config_of("a.json", {}, player).data.units == "events"
    with pytest.raises(ConfigError, match=r"--start .* reads events, and no characters; leave out data\.units"):
        config_of("a.txt", {"data": {"units": "characters"}}, player)


def test_music_is_moved_while_it_is_trained_on_and_text_is_not(text: Path, pieces: Path, tmp_path: Path) -> None:
    weights = []
    for name, semitones in (("moved", 3), ("again", 3), ("still", 0)):
        changes: Tree = {"data": {"units": "events"}, "training": {"transpose": semitones, "budget": {"steps": 8}}}
        asked = Request(Files((pieces,)), tmp_path / name, None, merge(SETTINGS, changes), task="lm")
        if name == "again":
            run(asked, stop_at=3)
        run(asked)
        weights.append(weights_of(asked.output))
    assert weights[0] == weights[1] != weights[2]
    often = tmp_path / "often"
    passes: Tree = {
        "data": {"units": "events"},
        "model": SETTINGS["model"],
        "training": {"batch_tokens": 240, "budget": {"epochs": 60}},
    }
    run(Request(Files((pieces,)), often, None, passes, task="lm"))
    decided = record.read(often)
    assert decided is not None
    assert decided.decided["segmentations"] == 11, "music that is passed over often is moved unasked"
    assert decided.decided["dropout"] == 0.0, "each key is passed over five times"
    with pytest.raises(ConfigError, match=r"training\.transpose = 3 is for music, and this text is none"):
        run(request(text, tmp_path / "text", training={"transpose": 3}))
