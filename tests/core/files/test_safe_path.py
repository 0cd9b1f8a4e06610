"""What is no plain file is not read: a pipe would keep its reader waiting for ever."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from app.process import custom_code
from core.common.errors import RunError
from core.common.network_ref import RunRef
from core.files.safe_path import open_file, read_file
from core.insight import live, samples
from core.runs import checkpoint, jsonl
from core.runs.files import read_json, take_lock, write_json
from core.runs.listing import view_run
from core.runs.verdict import verdict_of
from core.settings.launcher import Launcher
from core.worker import job_queue, launch, supervisor

Make = Callable[..., Path]
PIPES = ("model.py", "metrics.jsonl", "events.jsonl", "project.loom.json", "curves.json", "log.txt")


def test_a_plain_file_is_read_and_nothing_else_is_there(tmp_path: Path) -> None:
    file, pipe, link = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    file.write_bytes(b"text")
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    assert read_file(file) == b"text"
    for other in (pipe, link, tmp_path, tmp_path / "missing", Path(os.devnull)):
        with pytest.raises(FileNotFoundError):
            open_file(other)


def test_locks_requests_and_arrays_that_are_pipes_hold_nobody_up(tmp_path: Path) -> None:
    made = tmp_path / "live" / "made"
    made.mkdir(parents=True)
    for name in ("control.lock", "control.json", "metrics.jsonl"):
        os.mkfifo(tmp_path / name)
    os.mkfifo(made / "000001.npz")
    os.mkfifo(tmp_path / "live" / "samples.npz")
    with pytest.raises(RunError, match="It is not a file"):
        launch.request(tmp_path, "stop")
    with pytest.raises(OSError, match="It is not a file"):
        jsonl.Lines(tmp_path / "metrics.jsonl")
    for take in (take_lock, supervisor.take_lock):
        with pytest.raises(OSError, match="It is not a file"):
            take(tmp_path / "control.lock")
    assert not supervisor.unwanted(tmp_path)
    assert job_queue._read_record(tmp_path / "control.json") == {}
    assert samples.read_samples(tmp_path, 1) is None
    assert live.samples(tmp_path) == []


@pytest.mark.gate
def test_a_run_folder_of_pipes_is_looked_at_and_moved(iris_run: Make) -> None:
    run_dir = iris_run()
    for name in PIPES:
        (run_dir / name).unlink(missing_ok=True)
        os.mkfifo(run_dir / name)
    write_json(run_dir / "status.json", {"attempt": 0, "state": "failed", "step": 3, "epoch": 1})
    view = view_run(run_dir)
    assert verdict_of(run_dir, view).kind in ("none", "broken")
    assert jsonl.read(run_dir / "metrics.jsonl") == ([], 0)
    assert not custom_code.concerned([RunRef(run_dir)])
    with pytest.raises(FileNotFoundError):
        checkpoint.hash_of(run_dir / "model.py")
    sharded = Launcher(processes=2, sharding="fsdp")
    spec = read_json(run_dir / "spec.json")
    write_json(run_dir / "spec.json", {**spec, "training": {**spec["training"], "accumulate": 2}})
    with pytest.raises(RunError, match="has no readable file model"):
        launch.move(run_dir, sharded)
