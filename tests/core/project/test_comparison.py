"""How an imported drawing compared lies beside its file, and says what was not compared."""

import json
from pathlib import Path

import pytest

from core.project import ProjectError
from core.project.comparison import (
    Comparison,
    OutputComparison,
    beside,
    read_comparison,
    write_comparison,
)

BEGUN = Comparison(awaited=("the sample", "another batch"))


def test_a_verdict_that_is_heard_is_no_longer_awaited():
    found = BEGUN.heard(OutputComparison("the sample", True)).heard(
        OutputComparison("another batch", False, "odd")
    )
    assert (found.equal, found.awaited) == (1, ())
    assert found.differing == (OutputComparison("another batch", False, "odd"),)


def test_what_is_written_beside_a_project_is_read_again(tmp_path: Path):
    project = tmp_path / "net.loom.json"
    found = Comparison(
        (OutputComparison("the sample", None, "it fails"),), ("another batch",), "Killed."
    )
    write_comparison(project, found)
    assert [file.name for file in tmp_path.iterdir()] == ["net.compared.json"]
    assert read_comparison(project) == found


def test_a_project_that_was_not_imported_has_none(tmp_path: Path):
    assert read_comparison(tmp_path / "net.loom.json") is None


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "null", '{"verdicts": [1], "awaited": [], "ended": ""}',
     '{"verdicts": [{"name": "a", "equal": 2, "note": ""}], "awaited": [], "ended": ""}',
     '{"verdicts": [], "awaited": [{}], "ended": ""}',
     '{"verdicts": {}, "awaited": [], "ended": ""}',
     '{"verdicts": [], "awaited": [], "ended": "' + "x" * 100_000 + '"}'],
)  # fmt: skip
def test_a_file_that_says_nothing_of_the_kind_is_refused(text: str, tmp_path: Path):
    project = tmp_path / "net.loom.json"
    beside(project).write_text(text)
    with pytest.raises(ProjectError):
        read_comparison(project)


def test_no_file_makes_a_page_endless(tmp_path: Path):
    project = tmp_path / "net.loom.json"
    many = [{"name": "n" * 5000, "equal": True, "note": ""}] * 10
    content = {"verdicts": many, "awaited": ["a"] * 100, "ended": ""}
    beside(project).write_text(json.dumps(content))
    found = read_comparison(project)
    assert found is not None
    assert (len(found.awaited), len(found.verdicts[0].name)) == (16, 1000)


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path):
    with pytest.raises(ProjectError, match=r"net\.compared\.json cannot be written: No such"):
        write_comparison(tmp_path / "nowhere" / "net.loom.json", BEGUN)
