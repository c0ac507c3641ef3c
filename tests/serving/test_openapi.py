"""The OpenAPI description, and requests made from it."""

from collections.abc import Iterator

import hypothesis
import pytest
import schemathesis
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tests.serving.servers import app_of, app_with, running, shouting

EXAMPLES = 12  # of each address


def test_it_names_every_address() -> None:
    described = app_of(shouting()).openapi()
    assert set(described["paths"]) == {
        *("/translate", "/detect", "/generate", "/predict", "/attention", "/score", "/align"),
        *("/languages", "/models", "/frontend/settings", "/health", "/run", "/metrics"),
    }
    for path, ways in described["paths"].items():
        for way in ways.values():
            assert "422" not in way["responses"], path
            assert {"200", "400", "413", "429", "503", "default"} <= set(way["responses"]), path
    bodies = described["paths"]["/translate"]["post"]["requestBody"]["content"]
    assert set(bodies) == {"application/json", "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def api() -> Iterator[schemathesis.BaseSchema]:
    with running(app_with("translation", "lm", "mlm")) as address:
        yield schemathesis.openapi.from_url(f"{address}/openapi.json")


ASKING = ("/translate", "/detect", "/generate", "/predict", "/attention", "/score", "/align")
TELLING = ("/languages", "/models", "/frontend/settings", "/health", "/run", "/metrics")
SOUND, UNSOUND = GenerationMode.POSITIVE, GenerationMode.NEGATIVE


@pytest.mark.parametrize(
    ("path", "mode"),
    [*((path, mode) for path in ASKING for mode in (SOUND, UNSOUND)), *((path, SOUND) for path in TELLING)],
)
def test_requests_made_from_it_find_nothing(api: schemathesis.BaseSchema, path: str, mode: GenerationMode) -> None:
    operation = api[path]["POST" if path in ASKING else "GET"]

    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    @hypothesis.settings(max_examples=EXAMPLES, suppress_health_check=list(hypothesis.HealthCheck), database=None)
    def asked(case: schemathesis.Case) -> None:
        if mode is SOUND and isinstance(case.body, dict):  # so that the model is reached
            case.body |= {"model": None} | ({"source": "en", "target": "es"} if "source" in case.body else {})
            case.body |= {"tokens": 3, "n": 2} if path == "/generate" else {}
        # Limits are no part of the description, so that sound requests may ask for too much.
        case.call_and_validate(excluded_checks=[positive_data_acceptance])

    asked()
