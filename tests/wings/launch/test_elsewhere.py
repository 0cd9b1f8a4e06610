"""Runs that train elsewhere, from start to end: real workers under a fake ssh and a fake Slurm."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from core.runs.files import read_json, read_status, write_json
from core.runs.listing import read_events, view_run
from core.settings.launcher import KINDS, Launcher, is_elsewhere
from core.wings.launch import driver
from core.worker import launch
from core.worker.launcher_trust import trust
from tests.wings.launch import fake_slurm, fake_ssh
from tests.wings.launch.worker.test_ranks_of_a_run import weights

Make = Callable[..., Path]
pytestmark = [pytest.mark.slow, pytest.mark.alone]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder behind ssh; Slurm is on PATH as well."""
    home = tmp_path / "there"
    fake_ssh.install(tmp_path / "bin", home)
    fake_slurm.install(tmp_path / "bin", tmp_path / "jobs")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return home


def trains_by(run_dir: Path, launcher: Launcher) -> Path:
    """The run, with this launcher in its spec, which the user has chosen."""
    trust(launcher)
    spec = read_json(run_dir / "spec.json")
    write_json(run_dir / "spec.json", {**spec, "launcher": launcher.as_spec()})
    return run_dir


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("kind", ["slurm", "ssh"])
def test_a_run_elsewhere_ends_with_the_same_metrics_as_here(iris_run: Make, kind: str) -> None:
    here, there = iris_run(epochs=3), iris_run(epochs=3)
    address = "box" if kind == "ssh" else ""
    trains_by(there, Launcher(kind, address=address))  # type: ignore[arg-type]
    for run_dir in (here, there):
        launch.start(run_dir)
        assert launch.wait(run_dir, 300.0)
    views = [view_run(each) for each in (here, there)]
    assert [view.state for view in views] == ["finished", "finished"]
    best = [view.best or {} for view in views]
    assert best[0]["metrics"] == best[1]["metrics"] != {}
    assert (there / "ckpt" / "best.pt").exists()


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("kind", ["slurm", "ssh"])
def test_a_run_elsewhere_is_stopped_and_goes_on(iris_run: Make, kind: str) -> None:
    run_dir = iris_run(epochs=100_000)
    address = "box" if kind == "ssh" else ""
    trains_by(run_dir, Launcher(kind, address=address))  # type: ignore[arg-type]
    launch.start(run_dir)
    while view_run(run_dir).step < 1:
        assert launch.listing.alive(run_dir), view_run(run_dir)
    launch.stop(run_dir)
    assert launch.wait(run_dir, 300.0)
    stopped = view_run(run_dir)
    assert (stopped.state, stopped.resumable) == ("stopped", True)
    launch.resume(run_dir)
    while view_run(run_dir).step <= stopped.step:
        assert launch.listing.alive(run_dir), view_run(run_dir)
    assert view_run(run_dir).attempt == 2
    launch.stop(run_dir)
    assert launch.wait(run_dir, 300.0)


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("kind", ["slurm", "ssh"])
def test_two_ranks_elsewhere_are_stopped_and_end_as_one_process_does(
    iris_run: Make, kind: str
) -> None:
    settings = {"epochs": 300, "batch_size": 8, "accumulate": 2, "lr": 0.01}
    alone, shared = iris_run(**settings), iris_run(**settings)
    address = "box" if kind == "ssh" else ""
    trains_by(shared, Launcher(kind, 2, address=address))  # type: ignore[arg-type]
    stopped_and_resumed(shared)
    launch.start(alone)
    assert launch.wait(alone, 300.0)
    assert weights(shared) == weights(alone)
    assert [rank["rank"] for rank in read_status(shared)["ranks"]] == [0, 1]
    assert "Traceback" not in (shared / "log.txt").read_text()


def stopped_and_resumed(run_dir: Path) -> None:
    """Train a run by its launcher, stop it after its first step, and resume it to its end."""
    launch.start(run_dir)
    while view_run(run_dir).step < 1:
        assert launch.listing.alive(run_dir), view_run(run_dir)
    launch.stop(run_dir)
    assert launch.wait(run_dir, 300.0)
    stopped = view_run(run_dir)
    assert (stopped.state, stopped.epoch < 300) == ("stopped", True)
    launch.resume(run_dir)
    assert launch.wait(run_dir, 300.0)
    ended = view_run(run_dir)
    happened = [event["message"] for event in read_events(run_dir)]
    log = (run_dir / "log.txt").read_text()[-2000:]
    assert (ended.state, ended.attempt, ended.epoch) == ("finished", 2, 300), (happened, log)


def test_a_machine_that_does_not_answer_leaves_a_run_that_says_so(
    machine: Path, iris_run: Make
) -> None:
    run_dir = trains_by(iris_run(), Launcher("ssh", address="gone"))
    launch.start(run_dir)
    assert launch.wait(run_dir, 300.0)
    view = view_run(run_dir)
    refused = '"connect to host gone port 22: Connection refused"'
    assert view.message == f"gone does not answer by ssh: {refused}."
    assert (view.state, view.resumable) == ("failed", True)
    assert list(machine.glob("layerloom-runs/*")) == []


def test_every_launcher_elsewhere_has_a_job() -> None:
    assert set(driver.JOBS) == {kind for kind in KINDS if is_elsewhere(kind)}


def test_a_run_on_a_ray_cluster_is_stopped_and_goes_on_to_its_end(iris_run: Make) -> None:
    pytest.importorskip("ray")
    run_dir = trains_by(iris_run(epochs=2000), Launcher("ray"))
    launch.start(run_dir)
    while view_run(run_dir).step < 1:
        assert launch.listing.alive(run_dir), view_run(run_dir)
    launch.stop(run_dir)
    assert launch.wait(run_dir, 300.0)
    stopped = view_run(run_dir)
    assert (stopped.state, stopped.resumable) == ("stopped", True)
    launch.resume(run_dir)
    assert launch.wait(run_dir, 500.0)
    assert (view_run(run_dir).state, view_run(run_dir).attempt) == ("finished", 2)
    assert not (run_dir / "shared.nonce").exists()
