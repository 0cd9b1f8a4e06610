"""Trust is given to one exact text by one user, and a list that others could write gives none."""

import errno
import json
import os
from pathlib import Path

import pytest

from core.files import trust
from core.project import ProjectError, open_project
from core.project.untrusted import untrusted

SAMPLE = Path(__file__).parents[2] / "files/v1/python.loom.json"
TEXT = "class A(nn.Module):\n    pass"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_one_character_more_is_another_text() -> None:
    trust.trust(TEXT, "A")
    assert trust.trusted(TEXT)
    assert not trust.trusted(TEXT + " ")
    assert not trust.trusted("")


def test_what_is_forgotten_is_not_trusted_any_more() -> None:
    trust.trust(TEXT, "A")
    trust.trust("other", "B")
    trust.forget(TEXT)
    assert not trust.trusted(TEXT)
    assert trust.trusted("other")


def test_the_list_is_this_user_s_alone(home: Path) -> None:
    trust.trust(TEXT, "A")
    assert (home / "trusted.json").stat().st_mode & 0o777 == 0o600
    assert json.loads((home / "trusted.json").read_text("utf-8")) == {trust.digest(TEXT): "A"}


def test_a_full_disk_leaves_no_empty_list(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(ProjectError, match="No space left on device"):
            trust.trust("class A: ...", "A")
    assert trust.problem() == ""
    trust.trust("class A: ...", "A")
    assert trust.trusted("class A: ...")


@pytest.mark.parametrize("text", ["{", "[]", '{"a": 1}', '{"a": "b"}', "\xff"])
def test_a_damaged_list_trusts_nothing_and_says_so(home: Path, text: str) -> None:
    trust.trust(TEXT, "A")
    (home / "trusted.json").write_bytes(text.encode("latin1"))
    assert not trust.trusted(TEXT)
    assert trust.problem().startswith("Python blocks do not run: ")
    trust.trust("new", "N")
    assert trust.trusted("new")
    assert trust.problem() == ""
    assert (home / "trusted.json.bad").read_bytes() == text.encode("latin1")


def test_a_list_that_others_may_write_trusts_nothing(home: Path) -> None:
    trust.trust(TEXT, "A")
    os.chmod(home / "trusted.json", 0o620)  # noqa: PTH101
    assert not trust.trusted(TEXT)
    assert "can be written by other users" in trust.problem()


def test_neither_does_one_elsewhere_nor_one_in_a_folder_of_everybody(home: Path) -> None:
    trust.trust(TEXT, "A")
    home.chmod(0o777)
    assert not trust.trusted(TEXT)
    assert "is a folder that all users can write to" in trust.problem()
    home.chmod(0o700)
    assert trust.trusted(TEXT)
    (home / "trusted.json").rename(home / "other.json")
    (home / "trusted.json").symlink_to(home / "other.json")
    assert not trust.trusted(TEXT)


@pytest.mark.parametrize("word", ["off", "OFF", "0", "false", ""])
def test_where_many_share_a_workbench_it_can_be_switched_off(
    monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    trust.trust(TEXT, "A")
    monkeypatch.setenv("LAYERLOOM_PYTHON", word)
    assert not trust.trusted(TEXT)
    assert trust.problem() == (
        "Python blocks do not run: they are switched off here (LAYERLOOM_PYTHON=off)."
    )
    with pytest.raises(ProjectError, match=r"Python in projects is switched off here"):
        trust.trust("new", "N")


def test_a_project_names_its_blocks_that_wait() -> None:
    graph = open_project(SAMPLE).graph
    assert untrusted(graph) == ("Gate", "Halves")
    trust.trust(graph.composites["Gate"].python, "Gate")
    assert untrusted(graph) == ("Halves",)
