"""Slurm: the script that is submitted, and how a job is followed to its end."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from core.common.errors import RunError
from core.runs.files import read_json, write_json
from core.runs.listing import view_run
from core.settings.launcher import Launcher
from core.wings.launch import driver, slurm
from core.wings.launch.remote_job import JobProgress, read_record, write_record
from core.wings.launch.slurm import SlurmJob, sbatch_text
from tests.wings.launch import fake_slurm

GOLDEN = Path(__file__).parents[2] / "golden" / "launch" / "slurm.sh"


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the jobs of a cluster whose programs are on PATH."""
    fake_slurm.install(tmp_path / "bin", tmp_path / "jobs")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return tmp_path / "jobs"


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    """A run folder as far as a job needs one."""
    folder = tmp_path / "runs" / "iris-001"
    folder.mkdir(parents=True)
    launcher = Launcher("slurm", processes=4, machines=2).as_spec()
    training = {"device": "cuda", "epochs": 2}
    write_json(folder / "spec.json", {"threads": 3, "training": training, "launcher": launcher})
    write_json(folder / "control.json", {"attempt": 1, "want": "run"})
    return folder


def script_of(worker: str) -> Callable[..., list[str]]:
    """What stands for the command of a worker: a shell script."""
    return lambda *_: ["sh", "-c", worker]


def test_the_script_of_a_job_is_the_golden_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_dir: Path, golden: bool
) -> None:
    def command(name: str, _: str) -> list[str]:
        return [
            "/usr/bin/python",
            "-P",
            "/shared/layerloom/run_module.py",
            name,
            "/shared/my runs/iris-001",
        ]

    for name in slurm.HANDED_ON:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", "/shared/my work")
    monkeypatch.setattr(slurm.child_process, "module", command)
    text = sbatch_text(run_dir, Launcher("slurm", 4, 2, "gpu"), 3)
    if golden:
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()


def test_gpus_are_requested_for_the_device_cuda_only() -> None:
    launcher = Launcher("slurm", processes=2)
    assert slurm.options(launcher, {"training": {"device": "auto"}}) == [
        "--nodes=1",
        "--ntasks=2",
        "--ntasks-per-node=2",
        "--cpus-per-task=1",
    ]
    assert "--gpus-per-node=2" in slurm.options(launcher, {"training": {"device": "cuda"}})


def test_a_job_waits_trains_and_ends(
    cluster: Path, run_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cluster / "hold").touch()
    monkeypatch.setattr(slurm.child_process, "module", script_of('echo "$RANK of $WORLD_SIZE"'))
    job = SlurmJob(run_dir, Launcher("slurm", processes=2))
    job.begin()
    assert read_record(run_dir, "slurm") == {"kind": "slurm", "job": "101", "attempt": 1}
    assert job.look() == JobProgress("waiting", "Slurm job 101 waits: Resources.")
    (cluster / "hold").unlink()
    job.look_s = 0.01
    ended = driver.follow(run_dir, job, [])
    assert ended.message == "Slurm job 101 ended: its run did not report how it ended."
    assert sorted((run_dir / "log.txt").read_text().split("\n")) == ["", "0 of 2", "1 of 2"]


def test_every_rank_of_two_machines_knows_its_number_and_how_many_there_are(
    cluster: Path, run_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = 'echo "$RANK $WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE $LAYERLOOM_MACHINES"'
    attempt = 'echo "$LAYERLOOM_ATTEMPT" > attempt.$RANK'
    worker = script_of(f"{told}; cd {run_dir}; {attempt}")
    monkeypatch.setattr(slurm.child_process, "module", worker)
    job = SlurmJob(run_dir, Launcher("slurm", processes=2, machines=2))
    job.look_s = 0.01
    job.begin()
    assert driver.follow(run_dir, job, []).state == "ended"
    lines = sorted((run_dir / "log.txt").read_text().splitlines())
    assert lines == ["0 4 0 2 2", "1 4 1 2 2", "2 4 0 2 2", "3 4 1 2 2"]
    attempts = {(run_dir / f"attempt.{rank}").read_text() for rank in range(4)}
    assert attempts == {"1.101\n"}


def test_a_job_that_waits_is_cancelled_by_a_stop(cluster: Path, run_dir: Path) -> None:
    (cluster / "hold").touch()
    job = SlurmJob(run_dir, Launcher("slurm"))
    job.look_s = 0.01
    job.begin()
    write_json(run_dir / "control.json", {"attempt": 1, "want": "stop"})
    ended = driver.follow(run_dir, job, [])
    assert driver.conclude(run_dir, ended) == 0
    view = view_run(run_dir)
    assert (view.state, view.message) == ("stopped", "Slurm job 101 ended: it was cancelled.")


def test_a_signal_cancels_a_job_that_trains(
    cluster: Path, run_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slurm.child_process, "module", script_of("sleep 60"))
    job = SlurmJob(run_dir, Launcher("slurm"))
    job.look_s = 0.01
    job.begin()
    ended = driver.follow(run_dir, job, [signal.SIGTERM])
    assert ended.message == "Slurm job 101 ended: it was cancelled."


def test_a_driver_that_begins_again_takes_up_the_job_that_still_waits(
    cluster: Path, run_dir: Path
) -> None:
    (cluster / "hold").touch()
    SlurmJob(run_dir, Launcher("slurm")).begin()
    write_json(run_dir / "control.json", {"attempt": 2, "want": "run"})
    again = SlurmJob(run_dir, Launcher("slurm"))
    again.begin()
    assert again.number == "101"
    assert read_json(run_dir / "control.json")["attempt"] == 1
    again.cancel()


def test_a_job_that_has_ended_is_not_taken_up(cluster: Path, run_dir: Path) -> None:
    (cluster / "50").mkdir()
    (cluster / "50" / "state").write_text("TIMEOUT")
    (cluster / "hold").touch()
    write_record(run_dir, "slurm", job="50", attempt=1)
    job = SlurmJob(run_dir, Launcher("slurm"))
    job.begin()
    assert job.number == "102"
    job.cancel()


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("TIMEOUT", "its time limit was reached"),
        ("OUT_OF_MEMORY", "its memory ran out"),
        ("CANCELLED by 1000", "it was cancelled"),
        ("\x1b[2JODD", "the cluster did not report why"),
    ],
)
def test_the_end_of_a_job_is_a_sentence(cluster: Path, run_dir: Path, state: str, why: str) -> None:
    (cluster / "7").mkdir()
    (cluster / "7" / "state").write_text(state)
    job = SlurmJob(run_dir, Launcher("slurm"))
    job.number = "7"
    ended = job.look()
    assert (ended.state, ended.message) == ("ended", f"Slurm job 7 ended: {why}.")
    assert not ended.failed


def test_a_partition_that_is_closed_is_refused_before_anything_is_submitted(cluster: Path) -> None:
    with pytest.raises(RunError) as refused:
        slurm.check(Launcher("slurm", address="closed"), {})
    text = 'sbatch refuses the job: "sbatch: error: invalid partition specified: closed".'
    assert refused.value.message == text
    assert list(cluster.iterdir()) == []


def test_a_scheduler_that_does_not_answer_ends_no_job(
    run_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "squeue"
    broken.write_text("#!/bin/sh\necho 'Unable to contact slurm controller' >&2; exit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    job = SlurmJob(run_dir, Launcher("slurm"))
    job.last = JobProgress("running")
    assert job.look() == JobProgress("running")


def test_a_name_that_is_an_option_is_no_partition() -> None:
    with pytest.raises(RunError, match="is not the name of a partition"):
        slurm.check(Launcher("slurm", address="a b"), {})
