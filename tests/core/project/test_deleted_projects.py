"""A deleted project is moved aside, with its draft and backups, and comes back whole."""

import os
import time
from pathlib import Path

import pytest

from core.common.errors import ProjectError
from core.project import Project, open_project, save_project
from core.project.deleted_projects import list_deleted, move_to_deleted, restore_project
from core.project.drafts import all_backups, drop_draft, list_drafts, load_draft, save_draft
from core.project.recents import add_recent, list_recents

DAY_S = 86_400


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of our own."""
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A saved project with a draft and a backup."""
    file = tmp_path / "net.loom.json"
    save_project(Project(name="As saved"), file)
    add_recent(file, "As saved")
    save_draft(file, Project(name="Before"))
    drop_draft(file)
    save_draft(file, Project(name="As drawn"))
    return file


def test_a_saved_project_goes_with_its_draft_and_comes_back_with_it(file: Path):
    aside = move_to_deleted(file, "As drawn")
    assert not file.exists()
    assert (list_drafts(), all_backups(), list_recents().projects) == ([], [], ())
    assert (list_deleted(), aside.days_left) == ([aside], 30)
    restore_project(aside)
    assert open_project(file).name == "As saved"
    draft = load_draft(file)
    assert draft is not None
    assert draft.project.name == "As drawn"
    assert [open_project(backup).name for backup in all_backups()] == ["Before"]
    assert [recent.path for recent in list_recents().projects] == [file]
    assert list_deleted() == []


def test_a_drawing_that_was_never_saved_comes_back(home: Path):
    save_draft("new-000000000001", Project(name="Mine"))
    restore_project(move_to_deleted("new-000000000001", "Mine"))
    assert [draft.key for draft in list_drafts()] == ["new-000000000001"]


def test_a_file_from_elsewhere_stays_where_it_is(file: Path):
    aside = move_to_deleted(file, "As drawn", move_file=False)
    assert file.exists()
    assert list_recents().projects == ()
    restore_project(aside)
    assert [recent.path for recent in list_recents().projects] == [file]


def test_a_new_file_in_its_place_is_not_written_over(file: Path):
    aside = move_to_deleted(file, "As drawn")
    save_project(Project(name="New"), file)
    with pytest.raises(ProjectError, match="a new file has that name"):
        restore_project(aside)
    assert open_project(file).name == "New"
    assert list_deleted() == [aside]


def test_what_a_tab_drew_meanwhile_stays(home: Path):
    save_draft("new-000000000001", Project(name="Before"))
    aside = move_to_deleted("new-000000000001", "Before")
    save_draft("new-000000000001", Project(name="After"))
    restore_project(aside)
    draft = load_draft("new-000000000001")
    assert draft is not None
    assert draft.project.name == "After"


def test_after_thirty_days_it_is_gone(file: Path, home: Path, monkeypatch: pytest.MonkeyPatch):
    aside = move_to_deleted(file, "As drawn")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 29 * DAY_S)
    assert [each.days_left for each in list_deleted()] == [1]
    monkeypatch.setattr(time, "time", lambda: now - 365 * DAY_S)  # the clock was set back
    assert [each.days_left for each in list_deleted()] == [30]
    monkeypatch.setattr(time, "time", lambda: now + 31 * DAY_S)
    assert list_deleted() == []
    assert not (home / "deleted" / aside.name).exists()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"title": "a", "path": "", "draft": "../..", "when_s": 0}']
)
def test_a_damaged_entry_is_left_alone(home: Path, text: str):
    folder = home / "deleted" / "x"
    folder.mkdir(parents=True)
    (folder / "entry.json").write_text(text)
    assert list_deleted() == []
    assert folder.exists()


def test_drafts_are_listed_newest_first_with_what_they_belong_to(file: Path, home: Path):
    save_draft("new-000000000001", Project(name="Mine"))
    for number, draft in enumerate(list_drafts()):
        os.utime(draft.file, (1000 - number, 1000 - number))
    assert {draft.key for draft in list_drafts()} == {file, "new-000000000001"}
    assert [draft.changed_s for draft in list_drafts()] == [1000, 999]


@pytest.mark.parametrize(
    "text", [b"", b"{}", b"\xff\xfe", b'{"path": 3}', b'{"path": "/elsewhere"}']
)
def test_a_draft_of_nobody_is_left_out(home: Path, text: bytes):
    folder = home / "drafts" / "net-0123456789abcdef"
    folder.mkdir(parents=True)
    (folder / "draft.json").write_bytes(text)
    assert list_drafts() == []
