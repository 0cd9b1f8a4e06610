"""Steps that are tried and undone leave no trace: whatever the optimiser, schedule and scaler."""

import gc
import warnings
from pathlib import Path
from typing import Any

import pytest

from core.engine.member import Member
from core.runs.checkpoint import load
from core.runs.listing import view_run
from core.settings.lr_schedulers import SCHEDULES
from core.settings.optimizers import OPTIMIZERS
from core.worker import together
from tests.core.small_runs import train_here
from tests.core.worker.test_together import losses, runs
from tests.gpu.engines import apart

CASES = {
    **{f"OneCycleLR, {name}": {"optimizer": name} for name in OPTIMIZERS},
    **{name: {"scheduler": {"name": name}} for name in SCHEDULES if name != "OneCycleLR"},
    "average": {"ema_decay": 0.9},
    "skips": {"on_not_finite": "skip"},
    "several batches": {"accumulate": 2},
    "clipped": {"clip_norm": 1.0},
    "half": {"precision": "bfloat16"},
}
"""Settings by name; the schedule is OneCycleLR, which moves at each step, unless one is named."""
OFTEN = ("OneCycleLR, AdamW", "OneCycleLR, NAdam")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in OFTEN else pytest.mark.slow) for n in CASES]
)
def test_runs_that_share_a_process_end_as_alone(tmp_path: Path, name: str) -> None:
    """The first is the one whose steps are timed."""
    settings: dict[str, Any] = {"scheduler": {"name": "OneCycleLR"}, "epochs": 2, **CASES[name]}
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
