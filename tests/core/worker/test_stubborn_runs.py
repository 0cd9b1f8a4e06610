"""Runs that loop before their first step, or whose spec.json is torn: seen, named, stoppable."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.cli import files
from app.cli.runs import stopping
from core.common.errors import RunError
from core.runs.files import read_json, write_json
from core.runs.listing import list_runs, read_events, view_run
from core.worker import force, launch, supervisor
from core.worker.run_loop import KeptSpec, RunLoop
from tests.core.small_runs import train_here

Make = Callable[..., Path]
LOOPS = (
    "import fcntl, signal, sys; f = open(sys.argv[1], 'ab'); fcntl.lockf(f, fcntl.LOCK_EX);"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); sys.stdin.read()"
)


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No stop waits for what these processes never do."""
    monkeypatch.setattr(force, "ASK_S", 0.05)
    monkeypatch.setattr(force, "TERM_S", 0.05)


@pytest.fixture
def looping(iris_run: Make) -> Iterator[Path]:
    """A run that has its lock, ignores what it is asked, and never comes to its first step."""
    run_dir = iris_run()
    command = [sys.executable, "-I", "-S", "-c", LOOPS, str(run_dir / "worker.lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout
        assert child.stdout.read(1) == b"1"
        worker = supervisor.identity(child.pid)
        write_json(run_dir / "proc.json", {"attempt": 1, "worker": worker})
        write_json(run_dir / "control.json", {"attempt": 1, "want": "run"})
        yield run_dir
        child.kill()


STATES = {
    "before its first step": {},
    "in a step": {"attempt": 1, "state": "running", "step": 4},
    "in a pause": {"attempt": 1, "state": "paused", "step": 4},
    "in another attempt's end": {"attempt": 0, "state": "finished"},
}


@pytest.mark.parametrize("state", STATES)
def test_the_second_stop_ends_a_run_whatever_it_does(looping: Path, state: str) -> None:
    if STATES[state]:
        write_json(looping / "status.json", STATES[state])
    assert launch.stop(looping) == "asked"
    assert launch.listing.alive(looping)
    assert launch.stop(looping) == "ended"
    assert not launch.listing.alive(looping)
    early = "attempt" not in STATES[state] or STATES[state]["attempt"] == 0
    forced = f"It did not respond and was ended by a second stop{' before its first step' * early}."
    assert (view_run(looping).state, view_run(looping).message) == ("stopped", forced)
    assert view_run(looping).resumable
    assert stopping(looping) == f"has stopped. {forced}"


def test_a_first_stop_says_what_a_second_one_does(looping: Path) -> None:
    launch.stop(looping)
    assert stopping(looping) == "will stop when setup is done; `layerloom stop` again ends it now."
    write_json(looping / "status.json", {"attempt": 1, "state": "running", "step": 4})
    assert stopping(looping) == "stops with a checkpoint; a second stop ends it within 10 seconds."


def test_a_foreign_process_with_the_number_of_a_worker_is_left_alone(looping: Path) -> None:
    proc = read_json(looping / "proc.json")
    proc["worker"]["start"] += 1
    write_json(looping / "proc.json", proc)
    launch.stop(looping)
    with pytest.raises(RunError, match="could not be ended"):
        launch.stop(looping)
    assert launch.listing.alive(looping)


def test_runs_that_share_a_process_are_stopped_with_it_and_say_so(
    looping: Path, iris_run: Make
) -> None:
    other = iris_run()
    write_json(other / "proc.json", read_json(looping / "proc.json"))
    for _ in range(2):
        launch.stop(looping)
    assert not launch.listing.alive(looping)
    view = view_run(other)
    shared = f"It was ended with {looping.name}, which it shared a process with."
    assert (view.state, view.message, view.resumable) == ("stopped", shared, True)


def test_what_a_process_has_started_ends_with_it() -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', CHILD])"
    child = "import os; os.write(1, b'12'); input()"  # in one piece, however Python buffers
    command = [sys.executable, "-c", code.replace("CHILD", repr(child))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        assert parent.stdout.read(1) == b"1"
        own = supervisor.identity(parent.pid)
        assert len(force.family(own)) == 1
        force.end_family({"worker": own}, lambda _: True)
        parent.wait()
        assert parent.stdout.read() == b"2"  # ends once nobody holds its other end


@pytest.mark.parametrize("torn", [True, False])
def test_a_run_without_its_spec_is_listed_and_found_as_long_as_it_lives(
    looping: Path, torn: bool
) -> None:
    (looping / "spec.json").write_text('{"form') if torn else (looping / "spec.json").unlink()
    (view,) = list_runs(looping.parent)
    assert (view.name, view.state) == (looping.name, "queued")
    assert (
        view.message
        == f"spec.json of {looping.name} cannot be read, but its process is still running."
    )
    assert files.run_folder(looping.name, looping.parent) == looping
    for _ in range(2):
        launch.stop(looping)
    assert not launch.listing.alive(looping)


def test_a_torn_spec_is_put_back_and_what_others_add_stays(tmp_path: Path) -> None:
    path = tmp_path / "spec.json"
    write_json(path, {"format": 1})
    kept = KeptSpec(tmp_path)
    assert kept.mend() is False
    write_json(path, {"format": 1, "sweep": "a"})
    assert kept.mend() is False
    path.write_text('{"for')
    assert kept.mend() is True
    assert read_json(path) == {"format": 1, "sweep": "a"}
    path.unlink()
    assert kept.mend() is False
    assert not path.exists()


def test_a_run_whose_spec_is_torn_while_it_trains_mends_it_and_finishes(
    iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir, attend, torn = iris_run(), RunLoop.attend, list[int]()
    spec = read_json(run_dir / "spec.json")

    def tear(loop: RunLoop, moment: str) -> str:
        if not torn:
            torn.append((run_dir / "spec.json").write_bytes(b"{"))
        loop.listening = 0.0
        return attend(loop, moment)

    monkeypatch.setattr(RunLoop, "attend", tear)
    assert train_here(run_dir).state == "finished"
    assert read_json(run_dir / "spec.json") == spec
    said = "spec.json was damaged during training and has been restored."
    assert [e["message"] for e in read_events(run_dir) if e["kind"] == "note"] == [said]
