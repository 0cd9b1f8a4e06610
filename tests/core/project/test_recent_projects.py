"""The list of recent projects never stands in the way."""

from pathlib import Path

import pytest

from core.files.home import home as state_home
from core.project import recents
from core.project.recents import add_recent, forget, list_recents


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of our own."""
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_the_project_opened_last_comes_first_and_once(tmp_path: Path):
    for name in ("a", "b", "a"):
        (tmp_path / name).touch()
        add_recent(tmp_path / name, f"Project {name}")
    found = list_recents()
    assert [(p.path.name, p.name, p.missing) for p in found.projects] == [
        ("a", "Project a", False),
        ("b", "Project b", False),
    ]
    assert found.problem == ""


def test_a_project_that_is_gone_is_shown_as_missing(tmp_path: Path):
    add_recent(tmp_path / "gone.loom.json", "Gone")
    assert list_recents().projects[0].missing


def test_a_thousand_are_kept_so_that_none_is_lost(tmp_path: Path, monkeypatch):
    assert recents.KEPT == 1000
    monkeypatch.setattr(recents, "KEPT", 20)
    for number in range(25):
        add_recent(tmp_path / str(number), str(number))
    names = [project.name for project in list_recents().projects]
    assert names == [str(number) for number in range(24, 4, -1)]


def test_one_that_is_forgotten_is_on_the_list_no_more(tmp_path: Path):
    for name in ("a", "b"):
        add_recent(tmp_path / name, name)
    forget(tmp_path / "b")
    assert [project.name for project in list_recents().projects] == ["a"]


@pytest.mark.parametrize("text", ["", "[", "{}", '[{"path": 3}]', "\0", "[[]]", '["x"]'])
def test_a_damaged_list_is_reported_and_starts_anew(home: Path, tmp_path: Path, text: str):
    home.mkdir()
    (home / "recent.json").write_text(text)
    assert "The list of recent projects cannot be read" in list_recents().problem
    add_recent(tmp_path / "a", "A")
    assert [project.name for project in list_recents().projects] == ["A"]
    assert (home / "recent.json.bad").read_text() == text


def test_without_a_choice_state_lives_where_the_system_keeps_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("LAYERLOOM_HOME")
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert state_home() == Path("/state/layerloom")
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/home/ada")
    assert state_home() == Path("/home/ada/.local/state/layerloom")
