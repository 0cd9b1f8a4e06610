"""Runs on several processes: the same weights as on one, whoever dies, and one message for all."""

import hashlib
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from core.analyse import analyse_project
from core.common.errors import TrainingError
from core.prepare.create import prepare
from core.runs.control_file import change_control
from core.runs.files import read_json, read_status
from core.settings.launcher import Launcher
from core.wings.launch.engine.ranked_trainer import RankedTrainer
from core.wings.launch.worker.rank_processes import RankProcesses, Silence
from core.worker import launch
from tests.core.small_runs import CHANCY_NET, project, table_net, train_here
from tests.wings.launch.worker.forked_workers import train_on_ranks

pytestmark = pytest.mark.alone
Make = Callable[..., Path]
IRIS: dict[str, Any] = {"epochs": 3, "threads": 1, "batch_size": 16, "lr": 0.01}


@pytest.fixture
def shared_run(run_folders: Path) -> Make:
    """Make run folders of a small net on iris for several ranks."""

    def make(world: int, net: Any = None, data: str = "iris", **training: Any) -> Path:
        found = project(net or table_net(4, 3), {"source": data}, **{**IRIS, **training})
        report = analyse_project(found)
        return prepare(found, report, run_folders, launcher=Launcher(processes=world))

    return make


def weights(run_dir: Path) -> str:
    """The hash of the weights in the last checkpoint of a run."""
    state = torch.load(run_dir / "ckpt" / "last.pt", weights_only=True)
    digest = hashlib.sha256()
    for name, value in state["model"].items():
        digest.update(name.encode() + value.numpy().tobytes())
    return digest.hexdigest()


def losses(run_dir: Path) -> list[float]:
    """The loss of each step in metrics.jsonl."""
    lines = records(run_dir / "metrics.jsonl", "step")
    return [loss for line in lines for loss in line["loss"]]


def events(run_dir: Path, kind: str) -> list[str]:
    """The messages of the events of a kind."""
    return [event["message"] for event in records(run_dir / "events.jsonl", kind)]


def records(file: Path, kind: str) -> list[dict[str, Any]]:
    """The lines of a kind in a file of a run."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return [line for line in lines if line["kind"] == kind]


def when_at(run_dir: Path, step: int, act: Callable[[], None]) -> None:
    """Act once a run has a checkpoint at a step or later."""
    end = time.monotonic() + 60
    while read_json(run_dir / "ckpt" / "last.json").get("step", -1) < step:
        assert time.monotonic() < end
        time.sleep(0.005)
    act()


def killing(run_dir: Path, rank: int, step: int) -> Callable[[RankProcesses], None]:
    """What kills a rank once."""

    def watch(processes: RankProcesses) -> None:
        when_at(run_dir, step, lambda: os.kill(processes.processes[rank].pid, signal.SIGKILL))

    return watch


def test_two_ranks_train_a_run_as_one_process_does(shared_run: Make, iris_run: Make) -> None:
    shared, alone = shared_run(2), iris_run(**{**IRIS, "batch_size": 8, "accumulate": 2})
    assert train_on_ranks(shared, 2)[0] == 0
    train_here(alone)
    assert weights(shared) == weights(alone)
    assert losses(shared) == losses(alone)
    status = read_status(shared)
    assert status["state"] == "finished"
    assert [(r["rank"], r["step"], r["alive"]) for r in status["ranks"]] == [
        (0, 24, False),
        (1, 24, False),
    ]
    assert not list(shared.glob("rendezvous.*"))


@pytest.mark.slow(keep=["1"])
@pytest.mark.parametrize("rank", [0, 1])
def test_a_killed_rank_costs_no_bit_of_the_result(
    rank: int, shared_run: Make, iris_run: Make
) -> None:
    settings = {"epochs": 60, "checkpoint_every_s": 0.05}
    shared = shared_run(2, **settings)
    alone = iris_run(**{**IRIS, **settings, "batch_size": 8, "accumulate": 2})
    code, processes = train_on_ranks(shared, 2, killing(shared, rank, 3))
    train_here(alone)
    assert (code, processes.restarts) == (0, 1)
    assert weights(shared) == weights(alone)
    assert losses(shared) == losses(alone)
    (text,) = events(shared, "rank_ended")
    assert text.startswith(f"Rank {rank} ended (signal 9); training continues from step ")


def stopping(run_dir: Path, step: int) -> Callable[[RankProcesses], None]:
    """What asks a run to stop."""

    def ask() -> None:
        with change_control(run_dir) as control:
            control |= {"seq": control.get("seq", 0) + 1, "want": "stop"}

    return lambda _: when_at(run_dir, step, ask)


@pytest.mark.slow
def test_a_run_with_dropout_goes_on_with_any_number_of_processes(shared_run: Make) -> None:
    settings = {"batch_size": 64, "net": CHANCY_NET, "data": "digits", "checkpoint_every_s": 0.05}
    whole, moved = shared_run(4, **settings), shared_run(4, **settings)
    assert train_on_ranks(whole, 4)[0] == 0
    train_on_ranks(moved, 2, stopping(moved, 8))
    assert read_status(moved)["state"] == "stopped"
    for world, step in ((1, 20), (4, 99)):
        launch.share(moved, world)
        with change_control(moved) as control:
            control |= {"want": "run"}
        train_on_ranks(moved, world, stopping(moved, step) if step < 69 else None)
    assert read_status(moved)["attempt"] == 3
    assert read_status(moved)["state"] == "finished"
    assert read_status(moved)["warnings"] == []
    assert weights(moved) == weights(whole)
    assert losses(moved) == losses(whole)


@pytest.mark.slow
def test_an_error_of_a_rank_is_reported_once_with_its_number(
    shared_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_step = RankedTrainer.make_step

    def failing(self: RankedTrainer, group: Any) -> None:
        if self.ranks.rank == 1 and self.step == 5:
            raise ValueError("no such row")
        make_step(self, group)

    monkeypatch.setattr(RankedTrainer, "make_step", failing)
    run_dir = shared_run(2)
    assert train_on_ranks(run_dir, 2)[0] == 1
    status = read_status(run_dir)
    assert status["state"] == "failed"
    assert status["message"] == "Rank 1: Training stopped: ValueError: no such row"
    assert [text for text in events(run_dir, "failed")] == [status["message"]]


@pytest.mark.slow
def test_a_loss_that_is_not_finite_ends_all_ranks(shared_run: Make) -> None:
    run_dir = shared_run(2, lr=1e30, optimizer="SGD", epochs=40)
    assert train_on_ranks(run_dir, 2)[0] == 1
    status = read_status(run_dir)
    assert status["state"] == "failed"
    assert "not a finite number" in status["message"] or "became" in status["message"]


@pytest.mark.slow
def test_a_rank_that_dies_again_and_again_ends_the_run(
    shared_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_step = RankedTrainer.make_step

    def dying(self: RankedTrainer, group: Any) -> None:
        if self.ranks.rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        make_step(self, group)

    monkeypatch.setattr(RankedTrainer, "make_step", dying)
    run_dir = shared_run(2)
    code, processes = train_on_ranks(run_dir, 2)
    assert (code, processes.details) == (-9, {"restarts": 2, "rank": 1})


def test_a_rank_is_silent_where_others_wait_for_it(tmp_path: Path) -> None:
    silence = Silence(tmp_path)
    working = {"rank": 1, "waits": False, "beat": 7}
    waiting = {"rank": 0, "waits": True, "beat": 3}
    assert silence.silent([waiting, working], 0.0, 60.0) is None
    assert silence.silent([waiting, working], 59.0, 60.0) is None
    assert silence.silent([waiting, working], 61.0, 60.0) == 1
    assert silence.silent([waiting, {**working, "beat": 8}], 62.0, 60.0) is None


def test_a_run_is_not_resumed_by_processes_that_cannot_share_its_steps(shared_run: Make) -> None:
    run_dir = shared_run(2)
    with pytest.raises(TrainingError) as refused:
        launch.share(run_dir, 3)
    assert refused.value.message == (
        "A step has 2 micro-batches (accumulate), which 3 processes cannot share equally."
    )
