"""A model is open on the canvas while it is still compared: what the pages say, and how it ends.

The comparisons are those of a real import in a process of its own; they wait for files.
"""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.process import pool
from app.process import sessions as attended
from app.wings.importing import page
from app.wings.importing import service as imports
from app.wings.importing.service import Import
from core.project import open_project
from core.project.comparison import Comparison, OutputComparison, read_comparison
from tests.app.tab import Tab
from tests.wings.importing import held_comparisons
from tests.wings.importing.test_import_page import lines

pytestmark = pytest.mark.slow

NAMES = ("the sample", "another batch", "another image size", "one training step")
SOURCE = {"source": "python:tests.wings.importing.models:Sizes", "inputs": ["3,32,32"]}


class Held:
    """An import whose verdicts wait to be let go on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.job = Import("Sizes", SOURCE)

    def let(self, *names: str, differ: str = "") -> None:
        """Let verdicts be reached."""
        for name in names:
            part = self.folder / f".{name}"
            part.write_text(differ)
            part.replace(self.folder / name)

    def wait(self, until: Callable[[], bool]) -> None:
        """Wait for something that the import does."""
        begin = time.monotonic()
        while not until():
            assert time.monotonic() < begin + 800, (self.job.state, self.job.message)
            time.sleep(0.02)

    def pid(self) -> int:
        """The process that compares."""
        return self.job._process.pid()

    def drawn(self) -> Import:
        """Wait until it is drawn."""
        self.wait(lambda: self.job.state == "drawn")
        return self.job


@pytest.fixture
def held(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "held"
    folder.mkdir()
    monkeypatch.setenv("LAYERLOOM_TEST_HELD", str(folder))
    monkeypatch.setattr(pool, "_prepare", held_comparisons.prepare)
    found = Held(folder)
    yield found
    found.job.stop("The test is over.")


def on_import_page(job: Import) -> Tab:
    tab = Tab()
    tab.at.session_state[page.JOB] = job
    return tab.go("import")


def gone(pid: int) -> bool:
    """Whether a process has ended; a child of ours may still be listed until it is asked for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.gate
def test_a_drawing_is_opened_before_it_is_compared_and_the_line_goes_with_the_verdicts(held: Held):
    job = held.drawn()
    tab = on_import_page(job)
    tab.assert_calm()
    assert any(">comparing<" in html.body for html in tab.at.get("html"))
    tab.press("import_open").go("build")
    assert job.path is not None
    assert tab.document.path == job.path
    assert read_comparison(job.path) == Comparison(awaited=NAMES)
    assert lines(tab) == ["Comparing with the original: 0 of 4 equal so far"]
    held.let(*NAMES[:2])
    held.wait(lambda: job.comparison().equal == 2)
    tab.at.run()
    assert lines(tab) == ["Comparing with the original: 2 of 4 equal so far"]
    held.let(*NAMES[2:])
    held.wait(lambda: job.state == "done")
    tab.at.run()
    assert lines(tab) == ["Equal to the original in all 4 comparisons."]
    assert read_comparison(job.path) == job.comparison()
    assert imports.live(job.path) is None
    assert lines(tab.press("import_line_close")) == []


def test_a_drawing_that_turns_out_to_differ_says_so_at_once_and_wherever_it_is_opened(held: Held):
    job = held.drawn()
    tab = on_import_page(job).press("import_open").go("build")
    held.let(NAMES[0], differ="result 1 differs by up to 1.0e+00")
    held.wait(lambda: job.comparison().differing == (held_verdict(),))
    tab.at.run()
    message = (
        "As imported, it differs from the original on the sample (result 1 differs by up to "
        "1.0e+00)."
    )
    assert lines(tab) == [message]
    held.let(*NAMES[1:])
    held.wait(lambda: job.state == "done")
    message += " Equal on another batch, another image size, one training step."
    assert lines(Tab("train", project="Sizes.loom.json")) == [message]
    assert [box.value.replace("\\", "") for box in on_import_page(job).at.error] == [message]


def held_verdict() -> OutputComparison:
    return OutputComparison("the sample", False, "result 1 differs by up to 1.0e+00")


def test_a_killed_comparison_leaves_the_drawing_and_says_that_it_ended(held: Held):
    job = held.drawn()
    held.let(NAMES[0])
    held.wait(lambda: job.comparison().equal == 1)
    os.kill(held.pid(), signal.SIGKILL)
    held.wait(lambda: job.state == "ended")
    why = "Its process ended unexpectedly. If it happens again, the machine may be out of memory."
    assert job.comparison() == Comparison((OutputComparison(NAMES[0], True),), NAMES[1:], why)
    tab = on_import_page(job)
    assert tab.texts == [
        f"The comparison ended early. {why} The drawing and its weights are complete."
    ]
    tab.press("import_open").go("build")
    assert lines(tab) == [
        "The comparison with the original ended early: 1 of 4 equal, not compared: another batch, "
        f"another image size, one training step. {why}"
    ]
    assert job.path is not None
    assert open_project(job.path).name == "Sizes"


def test_another_import_ends_the_comparison_and_its_process(held: Held):
    job = held.drawn()
    pid = held.pid()
    tab = on_import_page(job).press("import_again")
    held.wait(lambda: gone(pid))
    assert (job.state, job.message) == ("ended", "Another import replaced it.")
    assert page.JOB not in tab.at.session_state or tab.at.session_state[
        page.JOB
    ] is None  # fmt: skip


def test_a_closed_tab_ends_the_comparison_and_its_process(
    held: Held, monkeypatch: pytest.MonkeyPatch
):
    job = held.drawn()
    path, pid = job.keep(), held.pid()
    monkeypatch.setattr(attended, "any_connected", lambda sessions: False)
    monkeypatch.setattr(imports, "LEFT_S", 0.0)
    held.wait(lambda: job.state == "ended")
    held.wait(lambda: gone(pid))
    why = "The browser tab that started it was closed."
    assert read_comparison(path) == Comparison(awaited=NAMES, ended=why)
