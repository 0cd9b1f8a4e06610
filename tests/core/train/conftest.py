"""Run folders of small networks on real data."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_runs import CHANCY_NET, project, table_net

from core.analyse import analyse_project
from core.train import prepare


@pytest.fixture
def small_run(tmp_path: Path) -> Callable[..., Path]:
    """Make run folders of the chancy net on the digits."""

    def make(**training: Any) -> Path:
        settings = {"epochs": 2, "lr": 0.01, "threads": 1, **training}
        found = project(CHANCY_NET, {"source": "digits"}, **settings)
        return prepare(found, analyse_project(found), tmp_path / "runs")

    return make


@pytest.fixture
def iris_run(tmp_path: Path) -> Callable[..., Path]:
    """Make run folders of a small net on iris."""

    def make(**training: Any) -> Path:
        settings = {"epochs": 2, "threads": 1, **training}
        found = project(table_net(4, 3), {"source": "iris"}, **settings)
        return prepare(found, analyse_project(found), tmp_path / "runs")

    return make
