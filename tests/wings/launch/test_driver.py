"""When a job elsewhere that was asked to stop is ended by force, and how its run is left."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from core.runs.files import read_json, write_json
from core.runs.listing import view_run
from core.wings.launch import driver, ray_driver, ray_worker
from core.wings.launch.remote_job import JobProgress, report_end
from core.worker.restarts import Restarts

WAITS, TRAINS = JobProgress("waiting"), JobProgress("running")


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    """A run folder in its second attempt."""
    write_json(tmp_path / "spec.json", {"project": "Iris"})
    write_json(tmp_path / "control.json", {"attempt": 2, "want": "run"})
    write_json(tmp_path / "status.json", {"attempt": 1, "state": "stopped", "step": 7, "beat": 3})
    return tmp_path


def test_a_job_that_waits_is_cancelled_at_once_and_once() -> None:
    stop = driver.Stop()
    assert not stop.is_due(signalled=False, requested=False, progress=WAITS)
    assert stop.is_due(signalled=False, requested=True, progress=WAITS)
    assert not stop.is_due(signalled=False, requested=True, progress=WAITS)


def test_a_second_stop_cancels_at_once_what_the_first_has_cancelled_already() -> None:
    """A cluster kills half a minute after the first one; nobody waits that long for a second."""
    stop = driver.Stop()
    assert stop.is_due(signalled=False, requested=True, progress=WAITS)
    assert stop.is_due(signalled=False, requested=True, progress=WAITS, forced=True)
    assert not stop.is_due(signalled=False, requested=True, progress=WAITS, forced=True)


def test_a_job_that_trains_has_its_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = driver.Stop()
    assert not stop.is_due(signalled=False, requested=True, progress=TRAINS)
    monkeypatch.setattr(driver, "GRACE_S", 0.0)
    assert stop.is_due(signalled=False, requested=True, progress=TRAINS)


def test_a_signal_ends_a_job_that_trains_at_once() -> None:
    assert driver.Stop().is_due(signalled=True, requested=False, progress=TRAINS)


def test_a_job_that_ended_before_its_run_is_a_failure_that_can_be_resumed(run_dir: Path) -> None:
    assert driver.conclude(run_dir, JobProgress("ended", "Slurm job 7 ended: a node failed.")) == 1
    view = view_run(run_dir)
    assert (view.state, view.message) == ("failed", "Slurm job 7 ended: a node failed.")
    assert (view.hint, view.resumable) == ("Resume starts it again from the beginning.", True)
    assert (view.attempt, view.step) == (2, 7)


def test_a_run_that_was_not_wanted_any_more_is_stopped(run_dir: Path) -> None:
    write_json(run_dir / "control.json", {"attempt": 2, "want": "stop"})
    assert driver.conclude(run_dir, JobProgress("ended")) == 0
    assert view_run(run_dir).state == "stopped"


@pytest.mark.parametrize(("state", "code"), [("finished", 0), ("paused", 0), ("failed", 1)])
def test_what_the_worker_reported_stays(run_dir: Path, state: str, code: int) -> None:
    report_end(run_dir, state, "its own words")
    assert driver.conclude(run_dir, JobProgress("ended", "other words")) == code
    assert read_json(run_dir / "status.json")["message"] == "its own words"


def test_a_run_that_was_stopped_though_nobody_asked_says_so_to_its_sweep(run_dir: Path) -> None:
    report_end(run_dir, "stopped", "")
    assert driver.conclude(run_dir, JobProgress("ended")) == 0
    assert read_json(run_dir / "status.json")["job_failed"] is True
    write_json(run_dir / "control.json", {"attempt": 2, "want": "stop"})
    report_end(run_dir, "stopped", "")
    assert driver.conclude(run_dir, JobProgress("ended")) == 0
    assert read_json(run_dir / "status.json")["job_failed"] is False


def test_a_place_that_was_written_in_after_the_question_is_not_gone_to(
    run_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_HOME", str(run_dir / "home"))
    write_json(run_dir / "spec.json", {"launcher": {"kind": "ssh", "address": "eve@box"}})
    monkeypatch.setattr(driver.signal, "signal", lambda *_: None)
    monkeypatch.setattr(driver.SshJob, "begin", lambda _: pytest.fail("It was gone to."))
    assert driver.main(run_dir) == 1
    assert 'would send its data to "eve@box" by ssh.' in view_run(run_dir).message


def test_the_reason_of_a_worker_is_taken_out_of_what_ray_wraps_it_in() -> None:
    wrapped = RuntimeError(
        "rank 1:\n  Traceback ...\n  RuntimeError: @@rank|Rank 1 ended.|See there.@@\n"
    )
    reason = ray_driver.explain(wrapped)
    assert (reason.message, reason.hint) == ("Rank 1 ended.", "See there.")


def test_versions_of_a_cluster_that_differ_are_named() -> None:
    text = (
        "Version mismatch: The cluster was started with:\n    Ray: 2.60.0\n    Python: 3.12.1\n"
        "This process on node 10.0.0.2 was started with:\n    Ray: 2.60.0\n    Python: 3.11.9\n"
    )
    reason = ray_driver.explain(RuntimeError(text))
    assert reason.message == "The Ray cluster has Python 3.12.1, this machine has 3.11.9."


def test_a_machine_without_a_cluster_says_so() -> None:
    error = ConnectionError("Could not find any running Ray instance. Please specify the one ...")
    assert ray_driver.explain(error).message == "No Ray cluster runs here."


def test_a_worker_of_ray_that_is_lost_may_be_tried_again() -> None:
    class WorkerCrashedError(Exception):
        """As Ray names it."""

    reason = ray_driver.explain(WorkerCrashedError("The worker died unexpectedly."))
    assert reason.subject == "rank"


def test_a_node_with_another_torch_is_refused_before_anything_trains(tmp_path: Path) -> None:
    (tmp_path / "shared.nonce").write_text("7")
    config = {"run_dir": str(tmp_path), "nonce": "7", "torch": "1.0.0"}
    with pytest.raises(RuntimeError) as refused:
        ray_worker.check_node(config, "The worker")
    reason = ray_driver.explain(refused.value)
    assert " has torch 2." in reason.message
    assert reason.message.endswith(", the machine that started the run has 1.0.0.")
    ray_worker.check_node({**config, "torch": version("torch")}, "The worker")


def test_an_error_of_ray_is_its_last_line_made_safe() -> None:
    reason = ray_driver.explain(ValueError("first\n\x1b[2Jlast"))
    assert reason.message == 'Ray could not train: "\\u001b[2Jlast".'


FAILED = JobProgress("ended", "Slurm job 7 ended: a node failed.", failed=True)


def test_a_job_that_failed_is_tried_twice_without_a_newer_checkpoint(
    run_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_ENDED", "")
    limit = Restarts(run_dir)
    assert [driver.restart(run_dir, limit, FAILED) for _ in range(3)] == [True, True, False]


def test_a_newer_checkpoint_allows_more_tries(
    run_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_ENDED", "")
    (run_dir / "ckpt").mkdir()
    write_json(run_dir / "status.json", {"attempt": 2, "state": "running", "checkpoint": 5})
    limit = Restarts(run_dir)
    for step in (5, 6, 7, 8):
        write_json(run_dir / "ckpt" / "last.json", {"step": step})
        assert driver.restart(run_dir, limit, FAILED)
    assert os.environ["LAYERLOOM_ENDED"] == "Slurm job 7 ended: a node failed"
    assert read_json(run_dir / "control.json")["from"] == "last"


def test_what_was_reported_or_stopped_is_not_tried_again(run_dir: Path) -> None:
    assert not driver.restart(
        run_dir, Restarts(run_dir), JobProgress("ended", "its memory ran out")
    )
    write_json(run_dir / "control.json", {"attempt": 2, "want": "stop"})
    assert not driver.restart(run_dir, Restarts(run_dir), FAILED)
    write_json(run_dir / "control.json", {"attempt": 2, "want": "run"})
    report_end(run_dir, "failed", "its own words")
    assert not driver.restart(run_dir, Restarts(run_dir), FAILED)


@pytest.mark.skipif(sys.platform != "linux", reason="the death signal is one of Linux")
def test_a_process_ends_with_the_one_that_started_it() -> None:
    child = (
        "import subprocess, sys, time; from core.wings.launch.ray_rank import end_with_parent; "
        "end_with_parent(); print('up', flush=True); time.sleep(60)"
    )
    parent = (
        "import subprocess, sys; subprocess.Popen([sys.executable, '-c', sys.argv[1]], "
        "stdout=1); sys.stdin.read(1)"
    )
    command = [sys.executable, "-c", parent, child]
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == b"up\n"
        started.kill()
        assert started.stdout.read() == b""  # the child had the other end, and is gone
