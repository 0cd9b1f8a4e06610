"""Ranks as processes of their own: by the supervisor, and by torchrun."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.analyse import analyse_project
from core.prepare.create import prepare
from core.runs.files import read_json, read_status
from core.settings.launcher import Launcher
from core.wings.launch.worker import rank_records
from core.wings.launch.worker.rank_environment import RankEnvironment, await_all
from core.worker import child_process, job_queue, launch, warm_worker
from core.worker.job_queue import ResourceRequest, enqueue
from tests.core.small_runs import ended, project, table_net, until

SETTINGS: dict[str, Any] = {"epochs": 2, "threads": 1, "batch_size": 16}


@pytest.fixture
def shared(run_folders: Path) -> Path:
    """A run of a small net on iris for two ranks."""
    found = project(table_net(4, 3), {"source": "iris"}, **SETTINGS)
    return prepare(found, analyse_project(found), run_folders, launcher=Launcher(processes=2))


@pytest.mark.alone
@pytest.mark.slow
def test_a_supervisor_starts_a_worker_for_each_rank(shared: Path) -> None:
    launch.start(shared)
    assert until(shared, ended).state == "finished"
    assert launch.wait(shared)
    ranks = read_status(shared)["ranks"]
    assert [rank["rank"] for rank in ranks] == [0, 1]
    assert ranks[0]["pid"] != ranks[1]["pid"]
    assert read_json(shared / "exit.json")["code"] == 0


@pytest.mark.alone
@pytest.mark.slow
def test_a_sharded_run_trains_in_processes_of_its_own(run_folders: Path) -> None:
    found = project(table_net(4, 3), {"source": "iris"}, **SETTINGS)
    launcher = Launcher("torchrun", 2, sharding="fsdp")
    run_dir = prepare(found, analyse_project(found), run_folders, launcher=launcher)
    launch.start(run_dir)
    assert until(run_dir, ended).state == "finished"
    assert launch.wait(run_dir)


@pytest.mark.alone
@pytest.mark.slow
def test_torchrun_starts_the_ranks_of_a_run(shared: Path) -> None:
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    words = [*command, "-m", "core.worker.main", str(shared)]
    env = {**os.environ, "PYTHONPATH": str(child_process.ROOT)}
    subprocess.run(words, cwd=child_process.ROOT, env=env, check=True, capture_output=True)
    assert read_status(shared)["state"] == "finished"
    assert [rank["rank"] for rank in read_status(shared)["ranks"]] == [0, 1]


def test_a_process_without_ranks_in_its_environment_is_the_only_one() -> None:
    assert RankEnvironment.of_environment({}) == RankEnvironment(0, 1)


def test_an_attempt_names_the_file_by_which_ranks_meet() -> None:
    given = {"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1", "LAYERLOOM_ATTEMPT": "3.1"}
    assert RankEnvironment.of_environment(given) == RankEnvironment(1, 2, 1, "3.1")


def test_several_machines_of_torchrun_meet_by_its_own_address() -> None:
    given = {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"}
    found = RankEnvironment.of_environment(given)
    assert (found.rendezvous, found.one_machine) == ("", False)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"RANK": "2", "WORLD_SIZE": "2"}, "ranks go from 0 to 1"),
        ({"RANK": "one"}, "RANK is 'one', which is not a whole number"),
    ],
)
def test_ranks_that_are_none_are_refused(given: dict[str, str], message: str) -> None:
    with pytest.raises(launch.RunError, match=message):
        RankEnvironment.of_environment(given)


def test_a_rank_that_does_not_arrive_is_named() -> None:
    with pytest.raises(launch.RunError, match="Rank 1 of 2 did not arrive within 0 s"):
        await_all(RankEnvironment(0, 2), lambda rank: rank == 0, 0.0)


def test_a_run_of_two_processes_is_granted_two_free_gpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_queue, "gpus", lambda: ["0", "1", "2", "3"])
    want = ResourceRequest(str(tmp_path), gpu=True, gpus=2)
    ticket = enqueue(tmp_path / "queue", want)
    held: list[dict[str, Any]] = [{"gpu": "0,2"}]
    assert job_queue._allocate(ticket, held, set())
    assert ticket.gpu == "1,3"
    assert not job_queue._allocate(ticket, [*held, {"gpu": "3"}], set())
    ticket.leave()


def test_a_worker_is_no_rank_of_what_started_us(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert RankEnvironment.of_environment(warm_worker.environment(1)) == RankEnvironment(0, 1)


def test_records_of_earlier_attempts_are_cleared_and_nothing_behind_a_link(tmp_path: Path) -> None:
    run_dir, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    (run_dir / "ranks").mkdir(parents=True)
    elsewhere.mkdir()
    for name in ("0.json", "1.error", "notes.txt"):
        (run_dir / "ranks" / name).write_text("{}")
    rank_records.clear(run_dir)
    assert [path.name for path in (run_dir / "ranks").iterdir()] == ["notes.txt"]
    (run_dir / "linked").mkdir()
    (run_dir / "linked" / "ranks").symlink_to(elsewhere)
    (elsewhere / "2026.json").write_text("mine")
    rank_records.clear(run_dir / "linked")
    assert (elsewhere / "2026.json").read_text() == "mine"
    assert not (run_dir / "linked" / "ranks").exists()
