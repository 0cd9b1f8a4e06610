"""Trials whose files are pipes hold nobody up."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from core.wings.sweep.together import grouped
from tests.core.files.test_safe_path import PIPES


@pytest.mark.gate
def test_a_trial_of_pipes_is_grouped_alone(iris_run: Callable[..., Path]) -> None:
    run_dir = iris_run()
    for name in PIPES:
        (run_dir / name).unlink(missing_ok=True)
        os.mkfifo(run_dir / name)
    assert grouped([run_dir], "auto") == [[run_dir]]
