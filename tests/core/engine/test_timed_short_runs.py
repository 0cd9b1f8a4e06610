"""Runs shorter than the steps that are timed, and a step that fails: neither costs another run."""

import gc
import warnings
from pathlib import Path
from typing import Any

import pytest

from core.engine.member import Member
from core.runs.checkpoint import load
from core.runs.listing import view_run
from core.worker import together
from tests.core.small_runs import train_here
from tests.core.worker.test_together import losses, runs
from tests.gpu.engines import apart

CYCLE = {"scheduler": {"name": "OneCycleLR"}}


def test_a_cycle_of_two_steps_is_timed_and_trains_as_alone(tmp_path: Path) -> None:
    settings: dict[str, Any] = {**CYCLE, "epochs": 2, "accumulate": 2}
    shared, single = (runs(tmp_path / way, 0.003, 0.01, **settings) for way in "ab")
    assert together.main("auto", shared) == 0
    for mine, theirs in zip(shared, single, strict=True):
        assert train_here(theirs).state == "finished"
        assert losses(mine) == losses(theirs)
        assert apart(*(load(run_dir, "last")["model"] for run_dir in (mine, theirs))) == 0.0


def test_an_error_in_the_step_of_one_run_ends_that_run_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, made = runs(tmp_path, 0.003, 0.01, epochs=1), Member.make

    def make(self: Member, *output: Any) -> None:
        if self.training["lr"] == 0.01 and self.step == 1:
            raise ValueError("Tried to step 121 times.")
        made(self, *output)

    monkeypatch.setattr(Member, "make", make)
    assert together.main("auto", shared) == 1
    views = [view_run(run_dir) for run_dir in shared]
    assert [view.state for view in views] == ["finished", "failed"]
    assert "Tried to step 121 times." in str(views[1])
    with warnings.catch_warnings():  # the process of a run ends with its files open
        warnings.simplefilter("ignore", ResourceWarning)
        gc.unfreeze()
        gc.collect()
