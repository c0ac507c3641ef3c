"""An exported model behind the server: without torch, and with the same scores as with it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mirada.export.choice import WEIGHTS
from mirada.export.ctranslate2 import write
from mirada.export.folder import INSIDE
from mirada.serving.models import Models
from mirada.serving.served import ServedTranslator
from mirada.serving.works import Aligning, Scoring
from mirada.translator import Translator
from tests.export.models import model_folder, random_model, shape
from tests.serving.servers import app_of

PAIRS = [("Go home.", "One two."), ("The quick brown fox.", "Wait for me, then go."), ("a", "b"), ("Open it.", "")]
SCRIPT = """
import asyncio, sys
from pathlib import Path
import httpx
from mirada.serving.app import make_app
from mirada.serving.models import Models
from mirada.serving.served import ServedTranslator
from mirada.serving.service import Options

async def main():
    app = make_app(Models.load([Path(sys.argv[1])]), Options(run=Path(sys.argv[1])))
    app.state.service.batcher.start()
    about = {"source": "en", "target": "es", "q": "Go home."}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client:
        for path, more in (("translate", {}), ("score", {"translation": "a"}), ("align", {"translation": "a"})):
            answer = await client.post(path, json={**about, **more})
            assert answer.status_code == 200, answer.text
        (model,) = (await client.get("models")).json()
        assert (model["engine"], model["attention"]) == ("ctranslate2", sys.argv[2] == "seen")
        if not model["attention"]:
            refused = await client.post("attention", json=about)
            assert (refused.status_code, "is an exported model" in refused.text) == (400, True), refused.text
        for path in ("", "languages", "metrics", "run", "models"):
            assert (await client.get(path)).status_code == 200, path
    app.state.service.batcher.close(5)

asyncio.run(main())
heavy = {name.partition(".")[0] for name in sys.modules} & {"torch", "matplotlib", "lxml", "sacrebleu"}
assert not heavy, heavy
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    write(random_model(shape()), folder)
    return folder


@pytest.fixture(scope="module")
def inside_alone(exported: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone")
    shutil.copytree(exported, folder / INSIDE)
    return folder


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = model_folder(tmp_path_factory.mktemp("inside"))
    (folder / INSIDE).mkdir()
    write(random_model(shape()), folder / INSIDE, weights=folder / WEIGHTS)
    return folder


@pytest.mark.parametrize(("kind", "looks"), [("exported", "unseen"), ("inside_alone", "unseen"), ("inside", "seen")])
def test_no_torch(kind: str, looks: str, request: pytest.FixtureRequest) -> None:
    run = [sys.executable, "-c", SCRIPT, str(request.getfixturevalue(kind)), looks]
    done = subprocess.run(run, capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 0, done.stderr


def test_a_model_with_an_export_inside_can_be_looked_into(inside: Path) -> None:
    (model,) = Models.load([inside]).served
    assert model.look("Go home.", None, 1).task == "translation"


def test_both_engines_score_and_align_alike(exported: Path) -> None:
    torch = ServedTranslator("torch", Translator.of(random_model(shape())), exported=False)
    (other,) = Models.load([exported]).served
    for one, two in zip(Scoring(torch).do(PAIRS), Scoring(other).do(PAIRS), strict=True):
        assert one.tokens == two.tokens
        assert one.log_probabilities == pytest.approx(two.log_probabilities, abs=1e-3)
        assert len(one.tokens) == len(one.log_probabilities)
    spoken = PAIRS[:3]
    assert [one.tokens for one in Aligning(torch).do(spoken)] == [one.tokens for one in Aligning(other).do(spoken)]
    assert Aligning(other).do([PAIRS[3]])[0].links == ()
    assert Aligning(torch).do([("", "b")])[0].links == Aligning(other).do([(" ", "b")])[0].links == ()


def test_the_application_can_be_made_of_it(exported: Path) -> None:
    assert app_of(Translator.load(exported)).title == "Mirada"
