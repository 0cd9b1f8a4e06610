"""Older formats come forward one step at a time; a sample of each stays here for good."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from blocks import CATALOGUE
from core.project import ProjectError, open_project, write_text
from core.project.migrate import CURRENT, STEPS, migrate

FILES = Path(__file__).parents[2] / "files"
NEVER_EDITED = {
    "v0": "64133438adee9c1bb8bdf594ae6ea7d5f67993bbda2f151bafa8ef371ce886fd",
    "v1": "9054c421dd65a3a82be93256c8d742e7b45e365d938ec47e4016a8b9b47f34d9",
}


@pytest.fixture(autouse=True)
def _renamed(monkeypatch: pytest.MonkeyPatch):
    """Conv2d as a block that was called Convolution when the sample of format 0 was written."""
    new = replace(CATALOGUE["Conv2d"], was=("Convolution",))
    monkeypatch.setitem(CATALOGUE, "Conv2d", new)


@pytest.mark.parametrize("version", NEVER_EDITED)
def test_samples_of_released_formats_are_never_edited(version: str):
    data = (FILES / version / "sample.loom.json").read_bytes()
    assert hashlib.sha256(data).hexdigest() == NEVER_EDITED[version]


def test_there_is_a_sample_and_a_step_for_every_format():
    assert {path.name for path in FILES.iterdir()} == {f"v{n}" for n in range(CURRENT + 1)}
    assert set(STEPS) == set(range(CURRENT))


def test_the_sample_of_format_0_opens_as_that_of_format_1():
    old = open_project(FILES / "v0/sample.loom.json")
    assert old == open_project(FILES / "v1/sample.loom.json")
    assert write_text(old) == (FILES / "v1/sample.loom.json").read_text("utf-8")
    assert old.notices[:3] == (
        ("layerloom", "had format 0; saving writes format 1."),
        ("graph.nodes.conv1.block", "was Convolution, which is now called Conv2d."),
        (
            "composites.Residual.nodes.conv1.block",
            "was Convolution, which is now called Conv2d.",
        ),
    )


def test_migrating_changes_nothing_of_what_it_was_given():
    text = (FILES / "v0/sample.loom.json").read_text("utf-8")
    found = json.loads(text)
    first, second = migrate(found, []), migrate(found, [])
    assert found == json.loads(text)
    assert first == second


def test_a_composite_keeps_a_name_that_a_block_once_had():
    found = {
        "layerloom": 1,
        "graph": {"nodes": {"a": {"block": "Convolution"}}},
        "composites": {"Convolution": {"nodes": {}}},
    }
    assert migrate(found, []) == found


@pytest.mark.parametrize("number", [2, 3, 10**30])
def test_a_newer_format_is_refused_and_left_alone(tmp_path: Path, number: int):
    path = tmp_path / "new.loom.json"
    path.write_text(json.dumps({"layerloom": number, "needs": "3.1", "graph": "another form"}))
    before = path.read_bytes()
    with pytest.raises(ProjectError, match=r"Open it with Layerloom 3\.1 or newer"):
        open_project(path)
    assert path.read_bytes() == before
