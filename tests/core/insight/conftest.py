"""One trained run for the tests of this room."""

from pathlib import Path

import pytest

from core.analyse import analyse_project
from core.prepare.create import prepare
from core.project import read_text
from core.runs.listing import view_run
from core.worker.launch import start, wait
from tests.core.insight.drawn import PROJECT


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run: a small convolution on the digits, three epochs."""
    project = read_text(PROJECT)
    folder = tmp_path_factory.mktemp("runs")
    run = prepare(project, analyse_project(project), folder)
    start(run)
    wait(run)
    assert view_run(run).state == "finished", (run / "log.txt").read_text()
    return run
