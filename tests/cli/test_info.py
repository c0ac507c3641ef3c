"""`mirada info`, as a user meets it: on a finished model, on one in training, and on what is neither."""

import json
from pathlib import Path

import pytest
import torch
import typer
from typer.testing import CliRunner, Result

from mirada.cli.info import info
from mirada.export.ctranslate2 import write
from mirada.models import folder as model_folder
from mirada.models.build import build
from mirada.models.config import StackConfig, TransformerConfig
from mirada.models.folder import FolderConfig, MetricRecord
from mirada.tasks.task import Score
from mirada.text.subwords import Subwords
from mirada.text.vocabulary import learn
from mirada.training import averaging, checkpoint, record
from mirada.training.budget import Budget
from mirada.training.checkpoint import Progress
from mirada.training.config import BudgetConfig, RunConfig
from mirada.training.preparing import DATA, FACTS, Facts
from mirada.training.record import RunRecord

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(info)

SHAPE = TransformerConfig(width=12, feed_forward=20, encoder=StackConfig(layers=2), decoder=StackConfig(layers=1))
SCORES = (
    Score(step=5, loss=4.0, values={"chrf": 21.5, "bleu": 3.0}),
    Score(step=10, loss=3.5, values={"chrf": 31.25, "bleu": 7.5}),
    Score(step=15, loss=3.25, values={"chrf": 30.0, "bleu": 8.5}),
)
BUDGET = Budget(steps=20, validations=4, epochs=2.5, why="as asked")
TEST = {
    "bleu": MetricRecord(score=41.02, signature="nrefs:1|case:mixed|tok:13a"),
    "chrf": MetricRecord(score=65.43, signature="nrefs:1|nc:6"),
}


def facts(vocabulary: int) -> Facts:
    return Facts(
        made_from="x",
        read=120,
        dropped={"duplicate": 10},
        train=90,
        dev=12,
        test=8,
        vocabulary=vocabulary,
        variants=8,
        preset="tiny",
    )


@pytest.fixture(scope="module")
def subwords() -> Subwords:
    return learn(["the cat sees a dog and the bird finds an old book on the long road to the town"], 400).subwords


def a_run(status: str) -> RunRecord:
    settings = RunConfig(model=SHAPE).model_dump(mode="json")
    return RunRecord.model_validate(
        {
            "status": status,
            "identity": {"data": {"from": "en", "to": "de"}, "settings": settings, "start": None},
            "asked": BudgetConfig(steps=20).model_dump(),
            "budget": BUDGET.model_dump(),
            "decided": {"rate": 0.002, "dropout": 0.1},
        }
    )


def begin_training(folder: Path, subwords: Subwords, step: int, status: str = "running") -> Path:
    (folder / DATA).mkdir(parents=True, exist_ok=True)
    (folder / DATA / FACTS).write_text(facts(subwords.size).model_dump_json())
    record.write(folder, a_run(status))
    progress = Progress(step=step, tokens=1_000, seconds=90.0, scores=SCORES)
    checkpoint.save(folder, progress, {"x": torch.zeros(3)})
    return folder


def finish(folder: Path, subwords: Subwords) -> int:
    config = FolderConfig(source="en", target="de", vocabulary=subwords.size, model=SHAPE, scores=TEST)
    model = build(SHAPE, subwords.size)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    model_folder.save(folder, config, model_folder.tensors_of(model), subwords, "A card.\n")
    return parameters


def run(folder: Path, *more: str) -> Result:
    return CliRunner().invoke(app, [str(folder), *more], catch_exceptions=False)


def found(folder: Path) -> dict[str, dict[str, object]]:
    result = run(folder, "--json")
    assert result.exit_code == 0
    return json.loads(result.stdout)


def test_a_finished_model(tmp_path: Path, subwords: Subwords) -> None:
    begin_training(tmp_path, subwords, 20, "finished")
    parameters = finish(tmp_path, subwords)
    told = found(tmp_path)
    assert (told["task"], told["from"], told["to"]) == ("translation", "en", "de")
    assert "context" not in told
    assert (told["parameters"], told["vocabulary"]) == (parameters, subwords.size)
    assert told["model"] == SHAPE.model_dump(mode="json")
    assert told["scores"]["bleu"] == {"score": 41.02, "signature": TEST["bleu"].signature}
    assert told["scores"]["chrf"] == {"score": 65.43, "signature": TEST["chrf"].signature}
    assert told["budget"] == BUDGET.model_dump()
    assert (told["training"]["status"], told["training"]["can_go_on"]) == ("finished", False)
    assert told["files"]["model.safetensors"] == (tmp_path / "model.safetensors").stat().st_size
    assert told["bytes"] == sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())

    text = run(tmp_path).stdout
    assert f"transformer: 2 + 1 layers, width 12, feed-forward 20, 4 heads, {parameters:,} parameters" in text
    assert "decoder: 4 heads, causal, scaled_dot" in text
    assert "test: BLEU 41.02  nrefs:1|case:mixed|tok:13a" in text
    assert "finished after 20 of 20 steps" in text


def test_a_model_in_training(tmp_path: Path, subwords: Subwords) -> None:
    begin_training(tmp_path, subwords, 15)
    told = found(tmp_path)
    assert (told["from"], told["to"], told["vocabulary"]) == ("en", "de", subwords.size)
    assert told["model"] == SHAPE.model_dump(mode="json")
    assert told["parameters"] is None
    assert told["scores"] == {"development": SCORES[1].model_dump()}  # the best by chrF, and no test yet
    assert told["training"] | {"decided": None} == {
        "status": "running",
        "can_go_on": True,
        "step": 15,
        "steps": 20,
        "seconds": 90.0,
        "tokens": 1_000,
        "decided": None,
    }
    text = run(tmp_path, "-v").stdout
    assert "at step 15 of 20; if it is not running, the same command goes on from there" in text
    assert "development, best at step 10: loss 3.500, chrF 31.25, BLEU 7.50" in text
    assert "rate 0.002, dropout 0.1" in text
    assert "1,000 tokens in 1.5 minutes" in text


def test_parameters_are_known_once_weights_are_kept(tmp_path: Path, subwords: Subwords) -> None:
    begin_training(tmp_path, subwords, 15)
    averaging.keep(tmp_path, 10, {"a": torch.zeros(3, 4), "b": torch.zeros(5)})
    assert found(tmp_path)["parameters"] == 17


def test_a_run_that_stopped_early(tmp_path: Path, subwords: Subwords) -> None:
    begin_training(tmp_path, subwords, 15, "finished")
    finish(tmp_path, subwords)
    assert "finished after 15 of 20 steps; nothing got better, so it stopped early" in run(tmp_path).stdout


def test_a_torn_checkpoint_leaves_the_one_before(tmp_path: Path, subwords: Subwords) -> None:
    begin_training(tmp_path, subwords, 10)
    begin_training(tmp_path, subwords, 15)
    path = tmp_path / checkpoint.CURRENT
    path.write_bytes(path.read_bytes()[:9])
    assert found(tmp_path)["training"]["step"] == 10


def test_before_anything_is_saved(tmp_path: Path, subwords: Subwords) -> None:
    begin_training(tmp_path, subwords, 15)
    (tmp_path / checkpoint.CURRENT).unlink()
    assert "begun, and nothing is saved yet of 20 steps" in run(tmp_path).stdout
    (tmp_path / record.NAME).unlink()
    text = run(tmp_path).stdout
    assert "the data is prepared; no step was made yet" in text
    assert "none yet" in text


def test_a_model_from_elsewhere(tmp_path: Path, subwords: Subwords) -> None:
    finish(tmp_path, subwords)
    told = found(tmp_path)
    assert (told["training"]["status"], told["training"]["can_go_on"]) == ("trained", False)
    assert told["budget"] is None
    assert told["scores"]["bleu"]["score"] == 41.02  # type: ignore[index]
    assert "trained elsewhere" in run(tmp_path).stdout


@pytest.mark.parametrize("name", ["absent", "other", "file"])
def test_what_is_no_model(tmp_path: Path, name: str) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "file").write_text("text")
    result = run(tmp_path / name)
    assert result.exit_code == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert str(tmp_path / name) in line


@pytest.mark.parametrize("name", [model_folder.CONFIG, record.NAME])
def test_a_damaged_file_is_named(tmp_path: Path, subwords: Subwords, name: str) -> None:
    begin_training(tmp_path, subwords, 20, "finished")
    finish(tmp_path, subwords)
    (tmp_path / name).write_text('{"schema_number": 1, "source"')
    result = run(tmp_path)
    assert result.exit_code == 1
    assert f"{tmp_path / name} is damaged" in result.stderr


def test_an_exported_model(tmp_path: Path, subwords: Subwords) -> None:
    finish(tmp_path / "model", subwords)
    (tmp_path / "exported").mkdir()
    write(model_folder.load(tmp_path / "model"), tmp_path / "exported", "int8")
    text = run(tmp_path / "exported").stdout
    assert "translation from en to de" in text
    assert "exported for CTranslate2, int8" in text
    assert f"{subwords.size:,} subwords" in text
    assert "model.bin" in text
    (tmp_path / "exported" / "model.bin").unlink()
    result = run(tmp_path / "exported")
    assert result.exit_code == 1
    assert "model.bin is missing" in result.stderr


def test_a_config_of_a_later_version(tmp_path: Path, subwords: Subwords) -> None:
    finish(tmp_path, subwords)
    (tmp_path / model_folder.CONFIG).write_text('{"schema_number": 99}')
    result = run(tmp_path)
    assert result.exit_code == 1
    assert "install a newer one" in result.stderr
