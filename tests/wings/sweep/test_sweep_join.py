"""`layerloom sweep --join`: two processes on one sweep, one of which is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app import cli
from core import open_project
from core.runs.files import read_json
from core.wings.sweep import files, start

ROOT = Path(__file__).resolve().parents[3]
IRIS = ROOT / "projects/mlp_iris.loom.json"
WAIT_S = 900.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a sweep of six trials of the small net on iris."""
    fixed = {"epochs": 60, "threads": 1}
    more: dict[str, Any] = {"together": "off", "prune": False, "name": "shared"}
    iris = open_project(IRIS)
    asked = start.request_of(iris, IRIS, ["lr=1e-3..0.1:log"], 6, fixed, **more)
    return files.entered(tmp_path / "runs", asked, iris)


def joined(folder: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "app.cli", "sweep", "--join", str(folder), "--json"]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def until(good: Callable[[], Any]) -> Any:
    end = time.monotonic() + WAIT_S
    while not (found := good()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


def unfinished_of(folder: Path, process: int) -> list[str]:
    """The workers of a process that have a trial under way."""
    rows = read_json(folder / files.RESULTS).get("trials", [])
    workers = {row["worker"] for row in rows if row["state"] == "unfinished" and row["run"]}
    return [worker for worker in workers if f"-{process}-" in worker]


@pytest.mark.alone
@pytest.mark.slow
def test_a_worker_takes_up_what_a_killed_one_left_and_no_trial_is_trained_twice(
    folder: Path,
) -> None:
    with joined(folder) as first, joined(folder) as second:
        (killed,) = until(lambda: unfinished_of(folder, first.pid))
        until(lambda: unfinished_of(folder, second.pid))
        os.kill(first.pid, signal.SIGKILL)
        first.communicate(timeout=WAIT_S)
        out, err = second.communicate(timeout=WAIT_S)
    assert second.returncode == 0, err
    rows = json.loads(out)["trials"]
    assert sorted(row["trial"] for row in rows) == [1, 2, 3, 4, 5, 6]
    assert [row["state"] for row in rows] == ["finished"] * 6
    assert len({row["run"] for row in rows}) == 6
    retried = [row["worker"] for row in rows if row["retries"]]
    assert killed not in retried
    assert len(retried) == 1
    assert f"-{second.pid}-" in retried[0]
    assert "its worker is gone, so this one continues it" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--join", "none"], "none is not the folder of a sweep."),
        (["--join", "none", "--trials", "3"], "A worker joins a sweep as it is."),
        ([str(IRIS), "--search", "lr=1..2", "--objective", "acuracy"], "acuracy cannot be an"),
        ([str(IRIS), "--search", "lr=1..2", "--objective", "params"], "params alone need no"),
    ],
)
def test_wrong_use_is_status_2(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["sweep", *words, "--runs", str(tmp_path / "runs")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()
