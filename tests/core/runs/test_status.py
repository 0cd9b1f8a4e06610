"""A run that could not be started is told from one that is about to: failed, with the reason."""

import errno
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import RunError
from core.runs import control_file, run_state
from core.runs.files import boot_id, read_json
from core.runs.listing import view_run
from core.worker import launch, supervisor
from core.worker.launch import resume, start, stop, wait
from tests.core.small_runs import train_here

Make = Callable[..., Path]


def write(run_dir: Path, name: str, value: Any) -> None:
    (run_dir / name).write_text(json.dumps(value))


def asked(ago_s: float, boot: str = "", **more: Any) -> dict[str, Any]:
    """What control.json says of a run that was asked for so many seconds ago."""
    now = {"boot": boot or boot_id(), "asked_s": time.monotonic() - ago_s}
    return {"seq": 1, "want": "run", "attempt": 1, "refused": None, **now, **more}


def refusing(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let the system refuse to start another process."""

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(subprocess, "Popen", refuse)


def test_a_start_that_the_system_refuses_fails_the_run_with_the_reason(
    iris_run: Make, monkeypatch: pytest.MonkeyPatch
):
    run_dir = iris_run()
    with monkeypatch.context() as patch:
        refusing(patch, errno.ENOMEM)
        with pytest.raises(RunError, match="Cannot allocate memory"):
            start(run_dir)
    view = view_run(run_dir)
    assert view.state == "failed"
    assert view.message == (
        f"The supervisor of {run_dir.name} did not start: Cannot allocate memory."
    )
    assert view.hint == "Check the free disk space and the permissions of the folder."
    assert view.resumable


def test_a_disk_that_is_full_when_a_run_starts_is_named_as_the_reason(
    iris_run: Make, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    run_dir = iris_run()
    monkeypatch.setattr(control_file, "write_json", full)
    with pytest.raises(RunError) as found:
        start(run_dir)
    assert found.value.message == (
        f"The supervisor of {run_dir.name} did not start: No space left on device."
    )
    assert found.value.hint.startswith(f"Free some space. {run_dir} has ")
    assert found.value.hint.endswith(" kB free; about 1.0 MB are needed.")


@pytest.mark.gate
def test_a_supervisor_that_fails_says_by_what_and_the_run_can_be_started_again(iris_run: Make):
    run_dir = iris_run(epochs=100_000)
    (run_dir / "proc.json").mkdir()  # what it writes first cannot be written
    with pytest.raises(RunError, match="did not start: Is a directory"):
        start(run_dir)
    assert view_run(run_dir).state == "failed"
    (run_dir / "proc.json").rmdir()
    resume(run_dir)
    view = view_run(run_dir)
    launch.kill(run_dir, signal.SIGKILL)
    assert wait(run_dir)
    assert view.state in ("queued", "running")
    assert view.message == ""


@pytest.mark.gate
def test_a_second_attempt_that_cannot_start_does_not_show_how_the_first_ended(
    iris_run: Make, monkeypatch: pytest.MonkeyPatch
):
    run_dir = iris_run(epochs=3, max_minutes=1e-9)
    assert train_here(run_dir).state == "stopped"
    write(run_dir, "proc.json", {"attempt": 1})
    write(run_dir, "exit.json", {"code": 0, "signal": None})
    with monkeypatch.context() as patch:
        refusing(patch, errno.EAGAIN)
        with pytest.raises(RunError, match="did not start"):
            resume(run_dir)
    view = view_run(run_dir)
    assert (view.state, view.resumable) == ("failed", True)
    assert view.message.endswith("did not start: Resource temporarily unavailable.")


def test_a_supervisor_that_never_answers_is_given_up(
    iris_run: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    run_dir = iris_run()
    silent = tmp_path / "silent.py"
    silent.write_text("import signal\nsignal.pause()\n")
    monkeypatch.setattr(launch, "SUPERVISOR", silent)
    monkeypatch.setattr(launch, "START_S", 0.1)
    with pytest.raises(RunError, match=r"did not start: no answer within 0\.1 s"):
        start(run_dir)
    assert view_run(run_dir).state == "failed"


@pytest.mark.parametrize(
    ("ago_s", "state"), [(0.0, "queued"), (50.0, "queued"), (70.0, "failed"), (86_400.0, "failed")]
)
def test_a_run_that_nothing_came_of_is_about_to_begin_for_a_minute_only(
    iris_run: Make, ago_s: float, state: str
):
    run_dir = iris_run()
    write(run_dir, "control.json", asked(ago_s))
    view = view_run(run_dir)
    assert view.state == state
    if state == "failed":
        assert view.message == (
            f"{run_dir.name} was never started: the process that starts it ended first."
        )
        assert view.hint == "Resume starts it."


@pytest.mark.parametrize("file", ["spec.json", "control.json"])
def test_without_a_steady_clock_the_age_of_the_file_decides(iris_run: Make, file: str):
    run_dir = iris_run()
    if file == "control.json":
        write(run_dir, file, asked(0.0, boot="another start of the machine"))
    assert view_run(run_dir).state == "queued"
    for wrong_s in (-2 * run_state.BEGIN_S, 86_400.0):  # the clock was set back by a day, too
        then = time.time() + wrong_s
        os.utime(run_dir / file, (then, then))
        assert view_run(run_dir).state == "failed"


def test_a_run_asked_to_stop_before_it_began_is_stopped(iris_run: Make):
    run_dir = iris_run()
    stop(run_dir)
    view = view_run(run_dir)
    assert (view.state, view.message) == ("stopped", "It was stopped before it began.")


def test_going_on_is_no_crash_while_the_new_attempt_has_no_process_yet(iris_run: Make):
    run_dir = iris_run()
    write(run_dir, "status.json", {"state": "stopped", "attempt": 1})
    write(run_dir, "proc.json", {"attempt": 1})
    write(run_dir, "exit.json", {"code": 0, "signal": None})
    write(run_dir, "control.json", asked(0.0, attempt=2))
    assert view_run(run_dir).state == "queued"
    write(run_dir, "proc.json", {"attempt": 2})
    write(run_dir, "exit.json", {"code": None, "signal": 9})
    assert view_run(run_dir).state == "crashed"


def test_a_worker_that_cannot_be_started_after_waiting_fails_the_run(tmp_path: Path):
    job = {"run_dir": str(tmp_path), "command": [str(tmp_path / "no")], "queue": "", "attempt": 1}
    write(tmp_path, "spec.json", {"training": {}})
    handlers = {n: signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    try:
        with pytest.raises(FileNotFoundError):
            supervisor.supervise(job, supervisor.launch, lambda: None)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert read_json(tmp_path / "proc.json")["attempt"] == 1
    view = view_run(tmp_path)
    assert view.state == "failed"
    assert view.message.startswith("The training process could not be started: ")
    assert view.message.endswith("could not be started: No such file or directory.")


@pytest.mark.parametrize(("state", "hint"), [("finished", ""), ("stopped", "Resume it first.")])
def test_pausing_what_does_not_run_offers_only_what_can_be_done(
    tmp_path: Path, state: str, hint: str
) -> None:
    run_dir = tmp_path / "lenet-001"
    run_dir.mkdir()
    (run_dir / "spec.json").write_text('{"project": "LeNet", "training": {"epochs": 1}}')
    (run_dir / "status.json").write_text(f'{{"state": "{state}", "attempt": 1}}')
    with pytest.raises(RunError) as caught:
        launch.pause(run_dir)
    assert caught.value.message == "lenet-001 is not running, so it cannot pause."
    assert caught.value.hint == hint
