"""The command as its own process: training, Ctrl-C, resume and pause."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from core.worker import launch
from tests.core.small_runs import ended, light_spares, until

ROOT = Path(__file__).resolve().parents[3]
IRIS = str(ROOT / "projects/mlp_iris.loom.json")
pytestmark = pytest.mark.slow
Capture = pytest.CaptureFixture[str]


def layerloom(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, cwd=ROOT, **more)


COMMAND = [sys.executable, "-m", "app.cli"]


def begin(runs: Path, *words: str) -> tuple[subprocess.Popen[str], Path]:
    """Start a long training, and give its process and folder once it has told of an epoch."""
    process = subprocess.Popen(
        [*COMMAND, "train", IRIS, "--runs", str(runs), "--set", "epochs=100000", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    while not (line := process.stderr.readline()).startswith("epoch "):
        assert line, "it ended before its first epoch"
    return process, runs / "mlp-on-iris-001"


def test_a_run_begins_in_a_process_that_was_made_while_the_network_was_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LAYERLOOM_SPARE")
    light_spares(monkeypatch)
    words = ["train", IRIS, "--runs", str(tmp_path), "--set", "epochs=100000", "--detach"]
    assert main(words) == 0
    run_dir = tmp_path / "mlp-on-iris-001"
    try:
        until(run_dir, lambda view: view.state == "running")
        worker = json.loads((run_dir / "proc.json").read_text())["worker"]["pid"]
        assert b"--spare" in Path(f"/proc/{worker}/cmdline").read_bytes()
    finally:
        launch.stop(run_dir)
        until(run_dir, ended)


@pytest.mark.gate
def test_train_ends_with_the_final_metrics_as_one_document(tmp_path: Path) -> None:
    done = layerloom("train", IRIS, "--runs", str(tmp_path), "--set", "epochs=30", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert (found["state"], found["epoch"], found["run"]) == ("finished", 30, "mlp-on-iris-001")
    assert found["metrics"]["val_accuracy"] > 0.9
    assert done.stderr.count("\nepoch ") == 30


def test_a_wrong_override_is_status_2_and_makes_no_run(tmp_path: Path, capsys: Capture) -> None:
    for pair in ("lr=fast", "lr=-1", "optimizer=LBFGS", "epochs=0"):
        words = ["train", IRIS, "--runs", str(tmp_path / "runs"), "--set", pair]
        assert (pair, main(words)) == (pair, 2)
        assert capsys.readouterr().err.startswith("error: ")
        assert not (tmp_path / "runs").exists()


def test_a_network_that_does_not_suit_its_data_is_status_1(tmp_path: Path, capsys: Capture) -> None:
    project = json.loads(Path(IRIS).read_text("utf-8"))
    project["graph"]["nodes"]["fc3"]["settings"]["out_features"] = 5
    file = tmp_path / "five.loom.json"
    file.write_text(json.dumps(project), "utf-8")
    assert main(["train", str(file), "--runs", str(tmp_path / "runs")]) == 1
    assert "needs a score for each of 3 classes, (N, 3)" in capsys.readouterr().err


def test_ctrl_c_stops_with_a_checkpoint_and_resume_goes_on_from_there(tmp_path: Path) -> None:
    process, folder = begin(tmp_path, "--json")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=900)
    assert process.returncode == 0
    stopped = json.loads(out)
    assert stopped["state"] == "stopped"
    assert stopped["epoch"] >= 1
    assert "Stopping with a checkpoint" in err
    again = subprocess.Popen(
        [*COMMAND, "resume", folder.name, "--runs", str(tmp_path), "--json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    epoch_after(folder, stopped["epoch"])
    assert layerloom("stop", folder.name, "--runs", str(tmp_path)).returncode == 0
    out, _ = again.communicate(timeout=900)
    assert again.returncode == 0
    assert json.loads(out)["epoch"] > stopped["epoch"]


def epoch_after(folder: Path, epoch: int, patience_s: float = 800.0) -> None:
    """Wait until a run has got past an epoch."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        if json.loads((folder / "status.json").read_text("utf-8"))["epoch"] > epoch:
            return
        time.sleep(0.05)
    raise TimeoutError(f"{folder} stayed at epoch {epoch}")


def test_killing_the_command_leaves_the_training_alone(tmp_path: Path) -> None:
    process, folder = begin(tmp_path)
    process.kill()
    process.wait()
    before = json.loads((folder / "status.json").read_text("utf-8"))["epoch"]
    epoch_after(folder, before)
    assert main(["stop", str(folder)]) == 0
    assert until(folder, ended).state == "stopped"


def test_what_does_not_run_can_neither_pause_nor_stop(tmp_path: Path, capsys: Capture) -> None:
    assert main(["train", IRIS, "--runs", str(tmp_path), "--set", "epochs=1"]) == 0
    for command in ("pause", "stop", "resume"):
        capsys.readouterr()
        words = [command, "mlp-on-iris-001", "--runs", str(tmp_path)]
        assert (command, main(words)) == (command, 1)
        assert capsys.readouterr().err.startswith("error: ")


def test_a_reader_that_closes_the_pipe_early_is_no_error() -> None:
    process = subprocess.Popen(
        [*COMMAND, "blocks", "--json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait(timeout=900) == 0
    assert process.stderr.read() == b""
