"""Little room from the start: each sentence says that the disk is full, where, what it needs."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.cli import output
from app.cli.files import write_out
from app.cli.templates import copy
from app.process import pool
from core.common.errors import LayerloomError
from core.export.run import export_subject
from core.export.subject import subject_of
from core.project.templates import list_templates, load_template
from core.runs import files, run_state, status
from core.runs.files import read_json, read_status
from core.runs.full_disk import advice, sentence
from core.runs.jsonl import Lines
from core.runs.listing import read_events
from core.runs.status import Status
from core.worker import supervisor
from core.worker.run_loop import RunLoop
from tests.core.small_runs import train_here
from tests.core.worker.faulty_disk import Disk
from tests.wing_parts import rows

NO_ROOM = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
SAID = "the disk is full. {} has 3 kB free; about 1.0 MB are needed."


@pytest.fixture(autouse=True)
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=3_000))


def refuse(*_: Any, **__: Any) -> None:
    raise NO_ROOM


def test_a_run_without_a_reserve_writes_over_its_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(status, "write_bytes", refuse)
        said = Status(tmp_path, {})
    assert said.write(phase="building the network")
    assert not (tmp_path / "reserve.json").exists()
    monkeypatch.setattr(files, "write_bytes", refuse)
    assert said.write(state="paused", disk_full=True, message="The disk is full.", phase="")
    found = read_status(tmp_path)
    assert (found["state"], found["message"]) == ("paused", "The disk is full.")
    assert found["beat"] == 2


def test_a_reserve_of_one_block_is_taken_where_there_is_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = files.write_bytes

    def small(path: Path, data: bytes, durable: bool = True) -> None:
        write(path, data, durable) if len(data) <= 4096 else refuse()

    monkeypatch.setattr(status, "write_bytes", small)
    Status(tmp_path, {})
    assert (tmp_path / "reserve.json").stat().st_size == 4096
    assert read_json(tmp_path / "reserve.json") == {}


def test_a_run_that_can_write_nothing_at_all_is_told_by_its_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, message, hint = run_state.run_state(tmp_path, {"format": 1}, {}, locked=True)
    assert (state, hint) == ("queued", "Free some space, or stop it.")
    assert message == (
        f"The disk is full, so the run cannot begin: {tmp_path} has 3 kB free; "
        "about 1.0 MB are needed."
    )


def test_no_command_and_no_page_says_a_bare_number(tmp_path: Path) -> None:
    error = OSError(errno.ENOSPC, "No space left on device", str(tmp_path / "a.json"))
    said = "A file cannot be written: " + SAID.format(tmp_path)
    assert output.fault(error) == said
    assert pool._error_message(error) == (said, "Free some space and try again.")
    assert sentence("The run folder cannot be written", tmp_path / "runs").endswith("are needed.")


def test_how_a_worker_ended_is_written_into_room_that_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "spec.json").write_text("{}")
    (tmp_path / supervisor.EXIT_RESERVE).write_bytes(b" " * supervisor.RESERVED_BYTES)
    monkeypatch.setattr(supervisor, "write_json", refuse)
    supervisor._end(tmp_path, supervisor.folder_identity(tmp_path), {"code": 1, "signal": None})
    assert read_json(tmp_path / "exit.json") == {"code": 1, "signal": None}
    assert not (tmp_path / supervisor.EXIT_RESERVE).exists()


def test_events_that_found_no_room_are_read_at_once_and_written_by_the_next_attempt(
    iris_run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir, write = iris_run(), Lines.write

    def no_events(lines: Lines, record: Any) -> None:
        refuse() if lines.path.name == "events.jsonl" else write(lines, record)

    with monkeypatch.context() as patch:
        patch.setattr(Lines, "write", no_events)
        patch.setattr(RunLoop, "attend", lambda *_: (_ for _ in ()).throw(ValueError("broken")))
        assert train_here(run_dir).state == "failed"
    assert (run_dir / "events.jsonl").read_bytes() == b""
    assert [event["kind"] for event in read_events(run_dir)] == ["started", "failed"]
    assert train_here(run_dir).state == "finished"
    kinds = [event["kind"] for event in read_events(run_dir)]
    assert kinds == ["started", "failed", "started", "finished"]
    assert len((run_dir / "events.jsonl").read_text().splitlines()) == 4


def few_files(left: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk with much room that takes `left` more files."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=9_000_000))
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_files=100, f_favail=left))


def test_a_disk_that_takes_no_more_files_is_not_said_to_lack_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few_files(2, monkeypatch)
    assert sentence("The run folder cannot be written", tmp_path) == (
        f"The run folder cannot be written: the disk is full. {tmp_path} has room for "
        "2 more files, however small; about 64 are needed."
    )
    few_files(0, monkeypatch)
    said = f"Delete some files on the disk of {tmp_path}, which takes no more of them."
    assert advice(NO_ROOM, tmp_path / "net.onnx") == said


@pytest.mark.parametrize(
    "write",
    [
        lambda out: write_out("text", out),
        lambda out: export_subject(subject_of(load_template("mlp_iris")), "dot", out),
        lambda out: copy(list_templates()[0], out),
        *rows("writers", "WRITERS").values(),
    ],
)
def test_whatever_is_written_the_full_disk_is_named(
    write: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Disk(tmp_path, 1, 50).install(monkeypatch)
    with pytest.raises(LayerloomError) as refused:
        write(tmp_path / "out")
    assert "No space left on device" in str(refused.value)
    assert refused.value.hint == (
        f"Free some space on the disk of {tmp_path}, or choose another folder."
    )
