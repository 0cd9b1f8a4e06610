"""The two steps of stopping a sweep: a request, then an end whatever trials and processes do."""

import errno
import json
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from core.common.errors import SweepError
from core.runs.files import read_json, write_json
from core.runs.listing import view_run
from core.wings.sweep import files, stopping
from core.worker import force
from tests.core.stubborn import stubborn


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No stop waits for what these processes never do."""
    for name in ("ASK_S", "TERM_S"):
        monkeypatch.setattr(force, name, 0.05)
    monkeypatch.setattr(stopping, "DRIVER_S", 0.05)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A sweep whose process and two trials ignore everything; a run that is none of its trials."""
    made = tmp_path / "sweeps" / "s"
    (made / "workers").mkdir(parents=True)
    (made / files.ASKED).write_text("{}")
    with ExitStack() as living:
        worker = made / "workers" / "host-1.json"
        process = living.enter_context(stubborn(worker, "flock"))
        worker.write_text(json.dumps({"host": socket.gethostname(), "process": process}))
        for name, sweep in {"a": "s", "b": "s", "other": "t"}.items():
            (run := tmp_path / name).mkdir()
            write_json(run / "spec.json", {"format": 1, "sweep": {"name": sweep}})
            write_json(run / "control.json", {"attempt": 1, "want": "run"})
            recorded = living.enter_context(stubborn(run / "worker.lock"))
            write_json(run / "proc.json", {"attempt": 1, "worker": recorded})
        yield made


def states(folder: Path) -> list[str]:
    return [view_run(folder.parents[1] / name).state for name in ("a", "b", "other")]


def test_a_disk_that_takes_no_request_keeps_no_sweep_running(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files, "ask_stop", full)
    assert stopping.stop(folder) == "ended"
    assert not files.under_way(folder)
    assert states(folder) == ["stopped", "stopped", "queued"]
    with pytest.raises(OSError, match="No space left"):
        stopping.stop(folder)


def test_the_first_request_asks_and_the_second_ends_trials_and_process(folder: Path) -> None:
    assert stopping.stop(folder) == "asked"
    assert files.under_way(folder)
    assert states(folder) == ["queued", "queued", "queued"]
    assert stopping.stop(folder) == "ended"
    assert not files.under_way(folder)
    assert states(folder) == ["stopped", "stopped", "queued"]
    message = view_run(folder.parents[1] / "a").message
    assert message == "It did not respond and was ended by a second stop before its first step."
    assert stopping.stop(folder) == "asked"  # it has ended: a later request is a first one


def test_a_process_of_another_machine_is_named_and_left_alone(folder: Path) -> None:
    worker = folder / "workers" / "host-1.json"
    worker.write_text(json.dumps({**read_json(worker), "host": "elsewhere"}))
    stopping.stop(folder)
    with pytest.raises(SweepError, match="a process of it is not of this machine"):
        stopping.stop(folder)
    assert files.under_way(folder)
