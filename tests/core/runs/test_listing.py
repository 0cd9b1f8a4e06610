"""A list of runs reads what has ended once, sees every change, and survives any folder."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.runs import listing
from core.runs.files import read_end, read_json, write_json
from core.runs.listing import list_runs, view_run
from core.worker.launch import request

OLD_S = 60.0


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The runs that were read, as they are."""
    seen: list[str] = []

    def look(run_dir: Path) -> listing.RunView:
        seen.append(run_dir.name)
        return view_run(run_dir)

    monkeypatch.setattr(listing, "view_run", look)
    return seen


def ended(folder: Path, state: str = "finished", age_s: float = OLD_S) -> Path:
    """A run that ended some time ago."""
    folder.mkdir(parents=True)
    write_json(folder / "spec.json", {"format": 1, "project": "LeNet"})
    write_json(folder / "status.json", {"state": state, "attempt": 1, "epoch": 3})
    settle(folder, age_s)
    return folder


def settle(folder: Path, age_s: float = OLD_S) -> None:
    then = time.time() - age_s
    os.utime(folder, (then, then))


def test_what_has_ended_is_read_once(tmp_path: Path, read: list[str]) -> None:
    for name in ("a", "b", "c"):
        ended(tmp_path / name)
    first = list_runs(tmp_path)
    assert sorted(read) == ["a", "b", "c"]
    assert list_runs(tmp_path) == first
    assert len(read) == 3


def _again(folder: Path) -> None:
    request(folder, "run", attempt=2)


def _replaced(folder: Path) -> None:
    write_json(folder / "status.json", {**read_json(folder / "status.json"), "epoch": 4})


def _written_over(folder: Path) -> None:
    (folder / "status.json").write_text(json.dumps({"state": "failed", "attempt": 1}))


@pytest.mark.parametrize("change", [_again, _replaced, _written_over])
def test_every_change_is_seen(
    tmp_path: Path, read: list[str], change: Callable[[Path], Any]
) -> None:
    run, _ = ended(tmp_path / "a"), ended(tmp_path / "b")
    before = list_runs(tmp_path)
    change(run)
    assert list_runs(tmp_path) != before
    assert read[2:] == ["a"]


@pytest.mark.parametrize("state", ["running", "starting", "paused", "strange"])
def test_what_may_still_change_by_itself_is_read_each_time(
    tmp_path: Path, read: list[str], state: str
) -> None:
    ended(tmp_path / "a", state)
    list_runs(tmp_path)
    list_runs(tmp_path)
    assert read == ["a", "a"]


def test_what_changed_just_now_is_read_again_as_times_are_coarse(
    tmp_path: Path, read: list[str]
) -> None:
    ended(tmp_path / "a", age_s=0.0)
    list_runs(tmp_path)
    list_runs(tmp_path)
    assert read == ["a", "a"]


def test_a_clock_set_back_costs_reading_not_truth(tmp_path: Path, read: list[str]) -> None:
    run = ended(tmp_path / "a", age_s=-86_400.0)
    assert list_runs(tmp_path)[0].epoch == 3
    _replaced(run)
    settle(run, -86_400.0)
    assert list_runs(tmp_path)[0].epoch == 4
    assert read == ["a", "a"]


def test_a_deleted_run_is_gone_and_another_of_its_name_is_another(tmp_path: Path) -> None:
    run = ended(tmp_path / "a")
    list_runs(tmp_path)
    run.rename(tmp_path.parent / "elsewhere")
    assert list_runs(tmp_path) == []
    ended(tmp_path / "a", "stopped")
    assert [view.state for view in list_runs(tmp_path)] == ["stopped"]


@pytest.mark.parametrize("name", ["status.json", "control.json", "exit.json", "shim.lock"])
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_files_that_never_end_do_not_hold_a_reader_up(tmp_path: Path, name: str, kind: str) -> None:
    run = ended(tmp_path / "runs" / "a")
    path = run / name
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    (view,) = list_runs(tmp_path / "runs")
    assert view.state in ("finished", "queued", "lost")


def test_endless_metrics_are_none(tmp_path: Path) -> None:
    run = ended(tmp_path / "a")
    (run / "metrics.jsonl").symlink_to("/dev/zero")
    os.mkfifo(run / "events.jsonl")
    assert listing.read_metrics(run) == ([], 0)
    assert listing.read_events(run) == []


def test_a_line_nested_too_deep_is_a_damaged_one(tmp_path: Path) -> None:
    run = ended(tmp_path / "a")
    (run / "metrics.jsonl").write_text("[" * 100_000 + "\n")
    assert listing.read_metrics(run)[0] == [{"kind": "damaged"}]


def test_a_run_that_may_not_be_read_is_listed_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ended(tmp_path / "a")

    def refuse(path: Path) -> Any:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(listing, "read_json", refuse)
    view = view_run(run)
    assert view.state == "lost"
    assert view.message == "The files of a cannot be read: Permission denied."


def test_the_end_of_a_log_is_read_and_no_pipe_is_waited_for(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    assert read_end(log, 10) == ""
    log.write_bytes(b"a first line\nlast \xe2\x82\xac")
    assert read_end(log, 8) == "last \u20ac"
    assert read_end(log, 7) == "ast \u20ac"
    assert read_end(log, 2) == "\ufffd\ufffd"  # cut within a character
    log.unlink()
    os.mkfifo(log)
    assert read_end(log, 10) == ""
    assert read_end(tmp_path, 10) == ""


@pytest.mark.parametrize("odd", [None, "x", [1], {"a": 1}])
def test_counts_that_are_none_begin_anew_when_a_run_is_asked(tmp_path: Path, odd: Any) -> None:
    write_json(tmp_path / "control.json", {"seq": odd, "save": odd})
    request(tmp_path, "pause")
    assert read_json(tmp_path / "control.json") == {"seq": 1, "save": odd, "want": "pause"}
    request(tmp_path, "stop")
    assert read_json(tmp_path / "control.json")["seq"] == 2
