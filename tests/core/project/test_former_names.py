"""Runs stay with a project that is renamed."""

from pathlib import Path

import pytest

from core.project.former_names import former_names, names_since, note_renamed


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of our own."""
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path))
    return tmp_path


def test_a_name_leads_to_all_that_the_project_had_since():
    note_renamed("MLP on iris", "First")
    note_renamed("First", "Second")
    assert names_since("MLP on iris", former_names()) == ("MLP on iris", "First", "Second")
    assert names_since("Second", former_names()) == ("Second",)


def test_names_given_to_and_fro_end():
    note_renamed("A", "B")
    note_renamed("B", "A")
    assert former_names() == {"B": "A"}
    assert names_since("A", {"A": "B", "B": "A"}) == ("A", "B")


@pytest.mark.parametrize("text", ["", "[", "[]", '{"a": 3}'])
def test_a_damaged_list_names_nothing_and_starts_anew(home: Path, text: str):
    (home / "names.json").write_text(text)
    assert former_names() == {}
    note_renamed("a", "b")
    assert former_names() == {"a": "b"}
