"""How a run stands is told from locks, heartbeat and exit record, whatever the clock says."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.runs.files import boot_id, is_locked
from core.runs.listing import list_runs, view_run
from core.worker import launch, supervisor

Make = Callable[..., Path]
HOLD = """
import fcntl, sys
file = open(sys.argv[1], "ab")
fcntl.lockf(file, fcntl.LOCK_EX)
print(1, flush=True)
input()
"""


@pytest.fixture
def hold() -> Iterator[Callable[[Path], None]]:
    """Let another process hold a lock."""
    started: list[subprocess.Popen[bytes]] = []

    def take(path: Path) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        process = subprocess.Popen([sys.executable, "-I", "-S", "-c", HOLD, str(path)], **pipes)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.read(1) == b"1"

    yield take
    for process in started:
        process.kill()
        process.communicate()


def write(run_dir: Path, name: str, value: Any) -> None:
    (run_dir / name).write_text(json.dumps(value))


def status(state: str, age_s: float = 0.0, **more: Any) -> dict[str, Any]:
    beat = {"boot": boot_id(), "monotonic_s": time.monotonic() - age_s, "hang_after_s": 30.0}
    return {"state": state, "attempt": 1, **beat, **more}


def test_a_prepared_run_is_queued(iris_run: Make) -> None:
    assert view_run(iris_run()).state == "queued"


@pytest.mark.gate
@pytest.mark.parametrize(
    ("recorded", "age_s", "state"),
    [
        ("starting", 100.0, "hung"),
        ("starting", 5.0, "queued"),
        ("running", 1.0, "running"),
        ("running", 100.0, "hung"),
        ("paused", 1.0, "paused"),
        ("finished", 1.0, "running"),
    ],
)
@pytest.mark.parametrize("lock", ["shim.lock", "worker.lock"])
def test_with_a_lock_held_the_heartbeat_decides(
    iris_run: Make, hold: Callable[[Path], None], lock: str, recorded: str, age_s: float, state: str
) -> None:
    run_dir = iris_run()
    write(run_dir, "status.json", status(recorded, age_s))
    hold(run_dir / lock)
    assert view_run(run_dir).state == state


@pytest.mark.parametrize("jump_s", [-86_400.0, 86_400.0])
def test_a_jump_of_the_clock_makes_no_run_dead(
    iris_run: Make,
    hold: Callable[[Path], None],
    monkeypatch: pytest.MonkeyPatch,
    jump_s: float,
) -> None:
    run_dir = iris_run()
    write(run_dir, "status.json", status("running"))
    hold(run_dir / "shim.lock")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + jump_s)
    assert view_run(run_dir).state == "running"


@pytest.mark.gate
@pytest.mark.parametrize(
    ("recorded", "end", "state", "words"),
    [
        ("finished", {"code": 0}, "finished", ""),
        ("stopped", {"code": 0}, "stopped", ""),
        ("paused", {"code": 0}, "paused", ""),
        ("failed", {"code": 1}, "failed", "said"),
        ("running", {"signal": 9, "oom_kills": 0}, "crashed", "was killed (signal 9)"),
        ("running", {"signal": 9, "oom_kills": 1}, "crashed", "because memory ran out"),
        ("running", {"signal": 11}, "crashed", "crashed in native code (signal 11)"),
        ("starting", {"code": 1}, "crashed", "ended with status 1; log.txt"),
        ("running", {}, "crashed", "ended without reporting why"),
    ],
)
def test_with_no_lock_held_the_last_word_decides(
    iris_run: Make, recorded: str, end: dict[str, Any], state: str, words: str
) -> None:
    run_dir = iris_run()
    write(run_dir, "status.json", status(recorded, message="said" if recorded == "failed" else ""))
    if end:
        write(run_dir, "exit.json", end)
    view = view_run(run_dir)
    assert view.state == state
    assert words in view.message


def test_a_crashed_run_offers_the_step_it_goes_on_from(iris_run: Make) -> None:
    run_dir = iris_run()
    write(run_dir, "status.json", status("running"))
    assert view_run(run_dir).hint == "Resume starts it again from the beginning."
    (run_dir / "ckpt").mkdir()
    entry = {"which": "last", "sha256": "0", "bytes": 9, "epoch": 2, "step": 40}
    write(run_dir / "ckpt", "manifest.json", {"files": [entry]})
    assert view_run(run_dir).hint == "Resume continues from step 40."
    assert view_run(run_dir).resumable


def test_a_folder_that_is_no_run_is_lost_and_not_listed(tmp_path: Path, iris_run: Make) -> None:
    first, second = iris_run(), iris_run()
    (first.parent / "other").mkdir()
    assert view_run(first.parent / "other").state == "lost"
    assert [view.name for view in list_runs(first.parent)] == [second.name, first.name]
    assert list_runs(tmp_path / "none") == []


@pytest.mark.gate
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("spec.json", '{"training": 5}'),
        ("spec.json", '{"training": {"epochs": 1e400}}'),
        ("spec.json", "[" * 100_000),
        ("status.json", '{"state": "finished", "best": 5}'),
        ("status.json", '{"state": "finished", "metrics": []}'),
        ("status.json", '{"attempt": "first"}'),
        ("control.json", '{"attempt": null}'),
    ],
)
def test_a_folder_with_strange_files_is_lost_and_the_others_are_listed(
    name: str, text: str, iris_run: Make
) -> None:
    first, second = iris_run(), iris_run()
    write(first, "status.json", status("finished"))
    (first / name).write_text(text)
    states = {view.name: view.state for view in list_runs(first.parent)}
    assert states == {first.name: "lost", second.name: "queued"}
    assert view_run(first).hint == "Delete the folder."


@pytest.mark.gate
def test_the_supervisor_tells_how_the_worker_ended(tmp_path: Path) -> None:
    cases = {
        "raise SystemExit(3)": (3, None),
        "import os; os.kill(os.getpid(), 9)": (None, 9),
        "import os; os.abort()": (None, 6),
    }
    for number, (code, expected) in enumerate(cases.items()):
        run_dir = tmp_path / str(number)
        run_dir.mkdir()
        worker = [sys.executable, "-I", "-S", "-c", code]
        job = {"run_dir": str(run_dir), "command": worker, "queue": "", "threads": 1, "gpu": False}
        command = [sys.executable, "-I", "-S", supervisor.__file__, json.dumps(job)]
        assert subprocess.run(command, check=False).returncode == 0
        assert launch.wait(run_dir, 20)
        end = json.loads((run_dir / "exit.json").read_text())
        assert (end["code"], end["signal"]) == expected
        assert end["max_rss_bytes"] > 1_000_000


def test_a_killed_supervisor_leaves_the_worker_seen_by_its_own_lock(
    tmp_path: Path, hold: Callable[[Path], None], iris_run: Make
) -> None:
    run_dir = iris_run()
    write(run_dir, "status.json", status("running"))
    hold(run_dir / "worker.lock")
    assert not is_locked(run_dir / "shim.lock")
    assert view_run(run_dir).state == "running"


def test_only_the_process_that_was_written_down_is_ever_signalled(
    iris_run: Make, hold: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir = iris_run()
    sent: list[int] = []
    monkeypatch.setattr("os.kill", lambda pid, number: sent.append(pid))
    hold(run_dir / "shim.lock")
    other = supervisor.identity(1) | {"start": -1}
    write(run_dir, "proc.json", {"shim": other, "worker": other})
    launch.kill(run_dir, 15)
    launch.kill(run_dir, 9)
    assert sent == []
    write(run_dir, "proc.json", {"shim": supervisor.identity(1), "worker": other})
    launch.kill(run_dir, 15)
    assert sent == [1]
