"""Drafts survive everything but being dropped, and then there are five backups."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.project import Project, ProjectError, open_project, read_text, write_text
from core.project.drafts import drop_draft, list_backups, load_draft, save_draft

SAMPLE = open_project(Path(__file__).parents[2] / "files/v1/sample.loom.json")
DEEP = '{"layerloom": 1, "graph": {"nodes": {}}, "notes": ' + "[" * 63 + "]" * 63 + "}"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of our own."""
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.mark.parametrize("key", [Path("lenet.loom.json"), "a1b2-3"])
def test_a_draft_comes_back_with_the_revision_it_started_from(key: Path | str):
    assert load_draft(key) is None
    save_draft(key, SAMPLE, "0" * 64)
    draft = load_draft(key)
    assert draft is not None
    assert draft.project == SAMPLE
    assert draft.base_revision == "0" * 64
    save_draft(key, replace(SAMPLE, name="later"))
    draft = load_draft(key)
    assert draft is not None
    assert (draft.project.name, draft.base_revision) == ("later", "")


def test_projects_of_one_name_in_two_folders_have_two_drafts(tmp_path: Path):
    one, two = tmp_path / "one" / "x.loom.json", tmp_path / "two" / "x.loom.json"
    save_draft(one, Project("one"))
    save_draft(two, Project("two"))
    draft = load_draft(one)
    assert draft is not None
    assert draft.project.name == "one"
    assert draft.path == str(one)


def test_a_draft_may_be_as_deep_as_a_project():
    save_draft("deep", read_text(DEEP))
    draft = load_draft("deep")
    assert draft is not None
    assert draft.project == read_text(DEEP)


def test_a_dropped_draft_is_the_newest_of_five_backups():
    for number in range(8):
        save_draft("x", Project(f"number {number}"))
        drop_draft("x")
    assert load_draft("x") is None
    backups = list_backups("x")
    assert [open_project(path).name for path in backups] == [f"number {n}" for n in (7, 6, 5, 4, 3)]
    assert backups[0].read_text("utf-8") == write_text(Project("number 7"))


def test_dropping_twice_the_same_makes_one_backup():
    for _ in range(2):
        save_draft("x", SAMPLE)
        drop_draft("x")
        drop_draft("x")
    assert len(list_backups("x")) == 1


def test_a_damaged_draft_is_reported_and_set_aside(home: Path):
    save_draft("x", SAMPLE)
    file = home / "drafts" / "untitled-x" / "draft.json"
    file.write_bytes(file.read_bytes()[:300])
    with pytest.raises(ProjectError, match=r"the draft .*draft\.json: line .* ends too early"):
        load_draft("x")
    drop_draft("x")
    assert load_draft("x") is None
    assert sorted(path.name for path in file.parent.iterdir()) == ["draft.json.bad"]


@pytest.mark.parametrize("key", ["", "../x", "a/b", "a" * 65, "x\n", "-x"])
def test_the_id_of_a_draft_cannot_leave_its_folder(key: str):
    with pytest.raises(ProjectError, match="the id of a draft needs letters"):
        save_draft(key, SAMPLE)


def test_a_home_that_cannot_be_written_is_named(home: Path):
    home.write_text("a file, not a folder")
    with pytest.raises(ProjectError, match="Set LAYERLOOM_HOME to a folder you can write to"):
        save_draft("x", SAMPLE)
