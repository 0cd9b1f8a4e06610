"""Runs with sharded weights: ordinary run folders, which go on with any number of processes."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from core.analyse import analyse_project
from core.prepare.create import prepare
from core.runs.control_file import change_control
from core.runs.files import read_json, read_status
from core.settings.launcher import Launcher
from core.wings.launch.worker.rank_processes import RankProcesses
from core.worker import launch
from tests.core.small_runs import CHANCY_NET, project, train_here
from tests.wings.launch.worker.forked_workers import train_on_ranks
from tests.wings.launch.worker.test_ranks_of_a_run import events, losses, stopping, when_at

pytestmark = [pytest.mark.alone, pytest.mark.slow]
Make = Callable[..., Path]
SETTINGS: dict[str, Any] = {
    "epochs": 3, "threads": 1, "batch_size": 64, "ema_decay": 0.9, "channels_last": "off",
    "optimizer": "SGD", "optimizer_settings": {"momentum": 0.9}, "lr": 0.02,
}  # fmt: skip
QUIET = {
    "nodes": {**CHANCY_NET["nodes"], "drop1": {"block": "ReLU"}},
    "edges": CHANCY_NET["edges"],
}
"""Convolutions with batch norm; nothing is random."""


@pytest.fixture
def made(run_folders: Path) -> Make:
    """Make run folders of a small net on digits."""

    def make(launcher: Launcher | None, **training: Any) -> Path:
        found = project(QUIET, {"source": "digits"}, **{**SETTINGS, **training})
        return prepare(found, analyse_project(found), run_folders, launcher=launcher)

    return make


def checkpoint(run_dir: Path) -> dict[str, Any]:
    """The last checkpoint."""
    return torch.load(run_dir / "ckpt" / "last.pt", weights_only=True)


def close(one: Path, other: Path) -> None:
    """Both runs ended with the same state, to rounding."""
    mine, theirs = checkpoint(one), checkpoint(other)
    assert mine.keys() == theirs.keys()
    for part in ("model", "average"):
        for name, value in theirs[part].items():
            torch.testing.assert_close(mine[part][name], value, rtol=1e-3, atol=1e-4)
    for index, state in theirs["optimizers"][0]["state"].items():
        for name, value in state.items():
            found = mine["optimizers"][0]["state"][index][name]
            torch.testing.assert_close(found, value, rtol=1e-2, atol=1e-3)
    assert losses(one) == pytest.approx(losses(other), rel=1e-4)


def test_a_sharded_run_is_an_ordinary_one_and_goes_on_with_any_number(made: Make) -> None:
    alone = made(None, batch_size=16, accumulate=4)
    train_here(alone)
    moved = made(Launcher("torchrun", 4, sharding="fsdp"), checkpoint_every_s=0.05)
    for world, step in ((2, 12), (1, 30), (4, 99)):
        launch.share(moved, world)
        with change_control(moved) as control:
            control |= {"want": "run"}
        assert train_on_ranks(moved, world, stopping(moved, step) if step < 69 else None)[0] == 0
    status = read_status(moved)
    assert (status["state"], status["attempt"]) == ("finished", 3)
    assert "together" in status["warnings"][0]
    close(moved, alone)
    final = read_json(moved / "final.json")["metrics"]
    wanted = read_json(alone / "final.json")["metrics"]
    assert final["val_accuracy"] == pytest.approx(wanted["val_accuracy"], abs=0.01)


def test_a_killed_rank_of_a_sharded_run_begins_again_from_the_checkpoint(made: Make) -> None:
    run_dir = made(Launcher("torchrun", 2, sharding="fsdp"), checkpoint_every_s=0.05)

    def kill(processes: RankProcesses) -> None:
        when_at(run_dir, 8, lambda: os.kill(processes.processes[1].pid, signal.SIGKILL))

    code, processes = train_on_ranks(run_dir, 2, kill)
    assert (code, processes.restarts) == (0, 1)
    assert read_status(run_dir)["state"] == "finished"
    (text,) = events(run_dir, "rank_ended")
    assert text.startswith("Rank 1 ended (signal 9); training continues from step ")
    whole = made(None, batch_size=32, accumulate=2)
    train_here(whole)
    close(run_dir, whole)
