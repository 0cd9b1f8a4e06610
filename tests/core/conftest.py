"""Run folders of small networks on real data."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.analyse import analyse_project
from core.prepare.create import prepare
from core.worker import launch
from tests.core.small_runs import CHANCY_NET, project, table_net


@pytest.fixture
def run_folders(tmp_path: Path) -> Iterator[Path]:
    """A folder of runs; none outlives its test, as it would keep others waiting in the queue."""
    folder = tmp_path / "runs"
    yield folder
    for run_dir in folder.glob("*/"):
        launch.kill(run_dir, signal.SIGKILL)


@pytest.fixture
def small_run(run_folders: Path) -> Callable[..., Path]:
    """Make run folders of the chancy net on the digits."""

    def make(**training: Any) -> Path:
        settings = {"epochs": 2, "lr": 0.01, "threads": 1, **training}
        found = project(CHANCY_NET, {"source": "digits"}, **settings)
        return prepare(found, analyse_project(found), run_folders)

    return make


@pytest.fixture
def iris_run(run_folders: Path) -> Callable[..., Path]:
    """Make run folders of a small net on iris."""

    def make(**training: Any) -> Path:
        settings = {"epochs": 2, "threads": 1, **training}
        found = project(table_net(4, 3), {"source": "iris"}, **settings)
        return prepare(found, analyse_project(found), run_folders)

    return make
