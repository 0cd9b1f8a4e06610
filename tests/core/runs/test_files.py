"""What a killed process left half written goes; what a living one is writing stays."""

import errno
import fcntl
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.data.pictures import cache_eviction, decoding
from core.files import folder
from core.runs.files import (
    is_locked,
    read_json,
    remove_leftovers,
    take_lock,
    write_bytes,
    write_json,
)
from core.worker import supervisor


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


def refusing(name: str, number: int, patch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    patch.setattr(fcntl if name in ("lockf", "flock") else os, name, refuse)


def test_on_a_disk_without_locks_nobody_holds_one_and_taking_one_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "worker.lock"
    refusing("lockf", errno.ENOLCK, monkeypatch)
    for take in (take_lock, supervisor.take_lock):
        with pytest.raises(OSError, match="No locks available"):
            take(path)
    assert is_locked(path) is False


def test_pictures_are_decoded_and_kept_on_a_disk_without_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing("flock", errno.ENOLCK, monkeypatch)
    with (tmp_path / "lock").open("ab") as file:
        assert decoding._try_lock(file)
    held = cache_eviction.hold(tmp_path)
    assert held
    held.close()


@pytest.mark.parametrize("write", [write_bytes, folder.write_bytes])
def test_a_disk_that_cannot_sync_folders_keeps_files_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Any
) -> None:
    sync = os.fsync

    def files_only(number: int) -> None:
        if stat.S_ISDIR(os.fstat(number).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        sync(number)

    monkeypatch.setattr(os, "fsync", files_only)
    write(tmp_path / "a.json", b"{}")
    assert (tmp_path / "a.json").read_bytes() == b"{}"
