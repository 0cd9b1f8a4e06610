"""Whatever pages, terminals and threads ask of a run in the same milliseconds, none is lost."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from core.common.errors import RunError
from core.runs import control_file
from core.runs.files import read_json, take_lock
from core.worker import launch

ASK = """
import sys
from core.runs import control_file, listing
from core.worker import launch
control_file.WAIT_S = 600
listing.alive = lambda run_dir: True
for _ in range(100):
    launch.request_checkpoint(sys.argv[1])
"""
HOLD = """
import sys, time
from core.runs.files import take_lock
lock = take_lock(__import__("pathlib").Path(sys.argv[1]) / "control.lock")
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def running(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every folder is one of a run that has a process."""
    monkeypatch.setattr(launch.listing, "alive", lambda _: True)


@pytest.mark.gate
def test_what_four_processes_and_four_threads_ask_at_once_all_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_file, "WAIT_S", 600)  # eight on a slow machine, not one that hangs

    def ask() -> None:
        for _ in range(100):
            launch.request_checkpoint(tmp_path)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    others = [subprocess.Popen([sys.executable, "-c", ASK, str(tmp_path)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [other.wait() for other in others] == [0, 0, 0, 0]
    assert read_json(tmp_path / "control.json") == {"seq": 800, "want": "run", "save": 800}


def test_a_stop_stays_whoever_asks_for_a_checkpoint_or_a_pause_right_after_it(
    tmp_path: Path,
) -> None:
    launch.request(tmp_path, "stop")
    launch.request_checkpoint(tmp_path)
    with pytest.raises(RunError, match="is already stopping, so it cannot pause"):
        launch.pause(tmp_path)
    with pytest.raises(RunError, match="is running already"):
        launch.resume(tmp_path)
    assert read_json(tmp_path / "control.json") == {"seq": 2, "want": "stop", "save": 1}


def test_whoever_is_killed_while_asking_keeps_nobody_waiting(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        assert take_lock(tmp_path / "control.lock") is None
        os.kill(other.pid, signal.SIGKILL)
        other.wait()
    began = time.monotonic()
    launch.request(tmp_path, "stop")
    assert time.monotonic() - began < 0.5


def test_whoever_hangs_while_asking_cannot_forbid_a_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_file, "WAIT_S", 0.1)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        launch.request(tmp_path, "stop")
        os.kill(other.pid, signal.SIGKILL)
    assert read_json(tmp_path / "control.json")["want"] == "stop"
