"""The two steps of stopping what makes tries of a run, and the lock that none leaves behind."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.common.errors import RunError
from core.runs.files import write_json
from core.wings.shrink import files, stopping
from core.wings.shrink.run import hold_lock
from core.wings.shrink.way import ShrinkError
from core.worker import force
from tests.core.stubborn import stubborn


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run folder; no stop waits for what does not come."""
    monkeypatch.setattr(force, "ASK_S", 0.05)
    files.folder_of(tmp_path).mkdir()
    return tmp_path


@pytest.fixture
def busy(run: Path) -> Iterator[Path]:
    """A run of which a process makes tries that ignores what it is asked."""
    with stubborn(files.folder_of(run) / files.LOCK) as process:
        write_json(files.folder_of(run) / stopping.PROCESS, process)
        (files.folder_of(run) / ".making-1-fuse").mkdir()
        yield run


def test_the_first_request_asks_and_the_second_ends_the_process(busy: Path) -> None:
    assert stopping.is_alive(busy)
    assert stopping.stop(busy) == "asked"
    assert stopping.is_alive(busy)
    assert stopping.stop(busy) == "ended"
    assert not stopping.is_alive(busy)
    assert list(files.folder_of(busy).glob(".making-*")) == []


def test_a_disk_that_takes_no_request_keeps_no_process_running(
    busy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files, "request_stop", full)
    assert stopping.stop(busy) == "ended"
    assert not stopping.is_alive(busy)
    with pytest.raises(RunError, match="It cannot be stopped: No space left on device"):
        stopping.stop(busy)


def test_another_process_neither_begins_nor_forgets_a_request(busy: Path) -> None:
    stopping.stop(busy)
    with pytest.raises(RunError, match="is being compressed by another process"):
        stopping.write_process(busy)
    assert files.stop_requested(busy)


def test_a_process_forgets_an_older_request(run: Path) -> None:
    files.request_stop(run)
    stopping.write_process(run)
    assert not files.stop_requested(run)
    assert stopping.is_alive(run)  # this one


def test_no_lock_is_left_after_the_work(run: Path) -> None:
    lock = files.folder_of(run) / files.LOCK
    with hold_lock(run):
        assert lock.exists()
    assert not lock.exists()


def test_a_disk_that_fills_during_a_try_is_named(run: Path) -> None:
    with pytest.raises(ShrinkError) as refused, hold_lock(run):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    folder = files.folder_of(run)
    assert refused.value.message == f"{folder} cannot be written: No space left on device."
    assert refused.value.hint == f"Free some space on the disk of {run}, or choose another folder."
    assert not (folder / files.LOCK).exists()
    with pytest.raises(IsADirectoryError), hold_lock(run):  # what has to do with another file
        folder.read_bytes()
