"""What every test stands on: checked shapes, fixed seeds, and a browser that may not be skipped unnoticed."""

import os
import random
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from jaxtyping import install_import_hook

# Before anything imports mirada: from here on every annotated shape is checked at every call.
install_import_hook("mirada", "beartype.beartype")

import hypothesis  # noqa: E402
import pytest  # noqa: E402
import torch  # noqa: E402

BROWSER_REQUIRED = os.environ.get("MIRADA_REQUIRE_BROWSER") == "1"
browser_outcomes: list[str] = []

torch.set_num_threads(1)  # tiny tensors: a second thread costs more than it gives

# A deadline fails a test when the machine is busy, not when the code is wrong.
hypothesis.settings.register_profile("house", deadline=None, print_blob=True, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("house")


@pytest.fixture(autouse=True)
def seeds() -> None:
    """The same random numbers in every test, whatever ran before."""
    random.seed(0)
    torch.manual_seed(0)


@contextmanager
def _threads(count: int) -> Generator[None]:
    """So many threads, and afterwards as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@pytest.fixture
def one_thread() -> Generator[None]:
    """One thread, with which the compiled library serves."""
    with _threads(1):
        yield


@pytest.fixture(params=[torch.bfloat16, torch.float32], ids=["bf16", "float32"])
def library(request: pytest.FixtureRequest) -> Generator[None]:
    """Each of the compiled libraries in turn: the numbers of the test are of its kind."""
    from mirada.operations.choice import why_not
    from tests.operations import compiled

    if (reason := why_not(request.param)) is not None:
        pytest.skip(reason)
    before = compiled.precision()
    compiled.set_precision(request.param)
    yield
    compiled.set_precision(before)


@pytest.fixture
def two_threads() -> Generator[None]:
    """Two threads, of which a crew is made."""
    with _threads(2):
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a skipped browser test where the browser is required."""
    report = yield
    if item.get_closest_marker("browser") and BROWSER_REQUIRED and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, but MIRADA_REQUIRE_BROWSER is set: {report.longrepr}"
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note how the browser tests went; where tests run in several processes, the first one hears of all."""
    if "browser" in report.keywords and (report.when == "call" or not report.passed):
        browser_outcomes.append(report.outcome)


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Note the browser tests that were left out."""
    browser_outcomes.extend("deselected" for item in items if item.get_closest_marker("browser"))


def _browser_proved() -> bool:
    return "passed" in browser_outcomes and "deselected" not in browser_outcomes


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that requires the browser and left it out; one process of several has seen only its part."""
    if hasattr(session.config, "workerinput"):
        return
    if BROWSER_REQUIRED and not _browser_proved() and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say why such a run failed, before pytest's closing line."""
    if BROWSER_REQUIRED and not _browser_proved():
        terminalreporter.write_line("MIRADA_REQUIRE_BROWSER is set, but not every browser test ran.", red=True)
