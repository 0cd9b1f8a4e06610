"""What a killed process left half written goes; what a living one is writing stays."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.runs.files import read_json, remove_leftovers, write_json


def gone() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_files_of_processes_that_are_gone_are_deleted(tmp_path: Path) -> None:
    mine, parents = f".last.pt.{os.getpid()}.tmp", f".proc.json.{os.getppid()}.tmp"
    left = [f".last.pt.{gone()}.tmp", f".status.json.{2**70}.tmp", ".status.json.tmp"]
    for name in (mine, parents, *left, "last.pt"):
        (tmp_path / name).touch()
    remove_leftovers(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {mine, parents, "last.pt"}


def test_a_request_is_kept_though_a_worker_starts_while_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def at_the_worst_moment(self: Path, target: Path) -> Path:
        remove_leftovers(self.parent)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", at_the_worst_moment)
    write_json(tmp_path / "control.json", {"state": "stop"})
    assert read_json(tmp_path / "control.json") == {"state": "stop"}
