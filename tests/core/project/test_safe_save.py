"""A save leaves the old file or the new one, never part of one, and never somebody else's work."""

import errno
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.files import folder as folder_module
from core.graph import Graph, Node
from core.project import (
    Conflict,
    Project,
    ProjectError,
    open_project,
    revision,
    save_project,
    write_text,
)

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
OLD = Project("old", graph=Graph({"fc1": Node("Linear", {"out_features": 3})}))
NEW = replace(OLD, name="new")


def child(script: str, *args: Any) -> str:
    done = subprocess.run(
        [sys.executable, str(HERE / script), *map(str, args)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A project file, alone in its folder."""
    path = tmp_path / "lenet.loom.json"
    save_project(OLD, path)
    return path


def test_a_save_gives_the_sha256_of_the_bytes(path: Path):
    new = save_project(NEW, path, revision(path))
    assert new == hashlib.sha256(path.read_bytes()).hexdigest() == revision(path)
    assert path.read_text("utf-8") == write_text(NEW)
    assert open_project(path) == NEW
    assert open_project(path).revision == new
    assert names(path.parent) == ["lenet.loom.json"]


@pytest.mark.gate
def test_a_crash_at_any_operation_leaves_the_old_or_the_new_project(tmp_path: Path):
    seen = json.loads(child("crash.py", tmp_path / "x.loom.json", "safe", "existing"))
    assert len(seen) >= 9
    assert seen == ["old"] * seen.count("old") + ["new"] * seen.count("new")
    assert seen.count("old") >= 6


@pytest.mark.gate
def test_a_crash_while_saving_a_new_file_leaves_none_or_all_of_it(tmp_path: Path):
    seen = json.loads(child("crash.py", tmp_path / "x.loom.json", "safe", "fresh"))
    assert seen == ["none"] * seen.count("none") + ["new"] * seen.count("new")
    assert seen.count("none") >= 6


def test_the_crash_test_finds_what_a_naive_save_tears(tmp_path: Path):
    seen = json.loads(child("crash.py", tmp_path / "x.loom.json", "naive", "existing"))
    assert "torn" in seen


@pytest.mark.gate
def test_6_writers_of_25_edits_each_lose_none(path: Path):
    child("writers.py", path, 6, 25, "checked")
    assert sorted(open_project(path).notes) == sorted(
        f"{writer}.{number}" for writer in range(6) for number in range(25)
    )
    assert names(path.parent) == ["lenet.loom.json"]


@pytest.mark.gate
def test_writers_that_do_not_say_where_they_started_do_lose_edits(path: Path):
    child("writers.py", path, 6, 25, "naive")
    assert len(open_project(path).notes) < 150


def test_the_second_of_two_savers_gets_a_conflict_with_both_revisions(path: Path):
    start = revision(path)
    mine = save_project(NEW, path, start)
    with pytest.raises(Conflict) as caught:
        save_project(replace(OLD, name="theirs"), path, start)
    assert (caught.value.base, caught.value.found) == (start, mine)
    assert str(caught.value) == (
        f"lenet.loom.json was opened at revision {start[:8]} but is now at revision {mine[:8]}; "
        "nothing was saved. Open the file again, or save yours under another name."
    )
    assert open_project(path) == NEW


def test_a_new_file_never_replaces_one_that_is_there(path: Path):
    with pytest.raises(Conflict, match="already exists; nothing was saved"):
        save_project(NEW, path)
    assert open_project(path) == OLD


def test_a_file_deleted_meanwhile_is_a_conflict(path: Path):
    start = revision(path)
    path.unlink()
    with pytest.raises(Conflict, match="was deleted; nothing was saved"):
        save_project(NEW, path, start)
    assert names(path.parent) == []


def test_saving_what_is_there_already_is_no_conflict_and_writes_nothing(path: Path):
    before = path.stat()
    assert save_project(OLD, path) == revision(path)
    assert path.stat().st_ino == before.st_ino


@pytest.mark.parametrize("operation", ["write", "fsync", "replace"])
def test_a_full_disk_leaves_the_old_project_and_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch, operation: str
):
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    start = revision(path)
    monkeypatch.setattr(os, operation, full)
    with pytest.raises(ProjectError) as caught:
        save_project(NEW, path, start)
    monkeypatch.undo()
    assert str(caught.value) == (
        "lenet.loom.json cannot be saved: No space left on device. "
        "Check the folder and the free space, or save in another folder."
    )
    assert open_project(path) == OLD
    assert names(path.parent) == ["lenet.loom.json"]


def test_a_write_that_takes_only_some_bytes_goes_on(path: Path, monkeypatch: pytest.MonkeyPatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda file, data: real(file, bytes(data)[:100]))
    save_project(NEW, path, revision(path))
    assert open_project(path) == NEW


def test_a_save_through_a_link_keeps_the_link(path: Path):
    link = path.parent / "link.loom.json"
    link.symlink_to(path.name)
    save_project(NEW, link, revision(link))
    assert link.is_symlink()
    assert open_project(path) == NEW


def test_a_link_to_nothing_is_not_followed(tmp_path: Path):
    link = tmp_path / "link.loom.json"
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ProjectError, match="is a broken link"):
        save_project(NEW, link)
    assert names(tmp_path) == ["link.loom.json"]


def test_a_planted_lock_link_is_not_followed(path: Path, tmp_path_factory: pytest.TempPathFactory):
    victim = tmp_path_factory.mktemp("other") / "victim"
    victim.write_text("precious")
    (path.parent / ".lenet.loom.json.lock").symlink_to(victim)
    with pytest.raises(ProjectError, match="cannot be saved"):
        save_project(NEW, path, revision(path))
    assert victim.read_text() == "precious"


def test_saving_keeps_the_rights_of_the_file(path: Path):
    path.chmod(0o640)
    save_project(NEW, path, revision(path))
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_read_only_file_stays_as_it_is(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)  # root may write all
    with pytest.raises(ProjectError, match="is read-only; nothing was saved"):
        save_project(NEW, path, revision(path))
    assert open_project(path) == OLD


def test_leftovers_of_this_file_are_swept_and_of_no_other(path: Path):
    ours, other = ".lenet.loom.json.0badf00d.tmp", ".unet.loom.json.0badf00d.tmp"
    for name in (ours, other):
        (path.parent / name).write_text("half")
    save_project(NEW, path, revision(path))
    assert names(path.parent) == [other, "lenet.loom.json"]


def test_a_project_that_would_not_open_again_is_not_saved(path: Path):
    bad = replace(OLD, graph=Graph({"import os": Node("Linear")}))
    with pytest.raises(ProjectError, match="must start with a letter a-z or A-Z"):
        save_project(bad, path, revision(path))
    assert open_project(path) == OLD


def test_a_folder_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(ProjectError, match="the folder does not exist"):
        save_project(NEW, tmp_path / "none" / "x.loom.json")


@pytest.mark.parametrize("flock", [True, False])
def test_one_saves_at_a_time(path: Path, monkeypatch: pytest.MonkeyPatch, flock: bool):
    if not flock:
        monkeypatch.setattr(folder_module, "fcntl", None)
    events: list[str] = []

    def second() -> None:
        with folder_module.locked(path):
            events.append("second")

    with folder_module.locked(path):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.05)
        events.append("first")
    thread.join()
    assert events == ["first", "second"]
    assert names(path.parent) == ["lenet.loom.json"]


def test_a_lock_that_is_never_given_back_is_named(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(folder_module, "WAIT_S", 0.05)
    with folder_module.locked(path), pytest.raises(ProjectError) as caught:
        save_project(NEW, path, revision(path))
    assert str(caught.value) == (
        "lenet.loom.json is being saved by another program. "
        "Wait, or delete .lenet.loom.json.lock if no other program is saving."
    )
