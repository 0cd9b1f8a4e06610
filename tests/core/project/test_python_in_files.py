"""Own Python in the file: line by line, told apart, and never run."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.graph.python import composite_of
from core.project import Project, ProjectError, open_project, read_text, write_text
from core.project.changes import changes

SAMPLE = Path(__file__).parents[2] / "files/v1/python.loom.json"
BASE = open_project(SAMPLE)
GATE = BASE.graph.composites["Gate"].python


def with_gate(text: str) -> Project:
    parts = {**BASE.graph.composites, "Gate": composite_of("Gate", text)}
    return replace(BASE, graph=replace(BASE.graph, composites=parts))


def test_the_file_is_written_as_it_was_read() -> None:
    assert BASE.notices == ()
    assert write_text(BASE) == SAMPLE.read_text("utf-8")
    assert read_text(write_text(BASE)) == BASE


@pytest.mark.parametrize(
    ("python", "message"),
    [
        ("class A: pass", "needs a list of lines of code but receives"),
        ([], "has 0 lines; 1 to 500 are allowed."),
        (["", " "], "has no code."),
        (["x"] * 501, "has 501 lines; 1 to 500 are allowed."),
        ([3], "needs text but receives 3."),
        (["a\nb"], "contains the invisible character U+000A."),
        (["a\u202eb"], "contains the invisible character U+202E."),
        (["a\x1b[2K"], "contains the invisible character U+001B."),
        (["a" * 201], "has 201 characters; at most 200 are allowed."),
    ],
)
def test_lines_that_hide_something_are_refused(python: Any, message: str) -> None:
    found = json.loads(SAMPLE.read_text("utf-8"))
    found["composites"]["Gate"]["python"] = python
    with pytest.raises(ProjectError, match=r"composites\.Gate\.python") as error:
        read_text(json.dumps(found))
    assert error.value.message.startswith(message)


def test_all_python_of_a_project_has_a_limit_so_that_opening_stays_quick() -> None:
    found = json.loads(SAMPLE.read_text("utf-8"))
    for number in range(8):
        found["composites"][f"More{number}"] = {"python": ["x = 1"] * 500}
    with pytest.raises(ProjectError, match="has 4017 lines of Python; at most 4000"):
        read_text(json.dumps(found))


def test_python_stands_alone() -> None:
    found = json.loads(SAMPLE.read_text("utf-8"))
    found["composites"]["Gate"]["nodes"] = {}
    with pytest.raises(ProjectError, match=r'Gate\.nodes cannot be combined with "python"'):
        read_text(json.dumps(found))


def test_a_text_that_is_no_block_opens_and_stays_as_it_is() -> None:
    found = json.loads(SAMPLE.read_text("utf-8"))
    found["composites"]["Gate"]["python"] = ["class Gate(nn.Module", "  x ="]
    text = write_text(read_text(json.dumps(found)))
    assert json.loads(text)["composites"]["Gate"] == {"python": ["class Gate(nn.Module", "  x ="]}


def test_a_changed_line_is_reported() -> None:
    other = with_gate(GATE.replace("torch.sigmoid", "torch.tanh"))
    found, _ = changes(BASE, other)
    assert found.changed == {
        "Gate": {
            "python": (
                "line 10:         weight = torch.sigmoid(self.fc(x.mean(dim=(2, 3))) * self.scale)",
                "line 10:         weight = torch.tanh(self.fc(x.mean(dim=(2, 3))) * self.scale)",
            )
        }
    }
