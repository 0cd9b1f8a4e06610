"""The files of a task: what is written is read again to the byte, and what is wrong is named."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.claims import Check
from core.project import ProjectError
from core.project.templates import load_template
from core.wings.classroom import (
    ClassTask,
    Requirement,
    TaskKey,
    open_task,
    read_key,
    read_task,
    write_key,
    write_task,
)

IRIS = load_template("mlp_iris")
LEARNS = Check("learns", {"metric": "accuracy", "epochs": 30, "at_least": 0.9})
TASK = ClassTask(
    "Flowers",
    "Tell three kinds of iris apart.\nUse few parameters.",
    IRIS,
    (
        Requirement(Check("outputs", {"shapes": ((3,),)}), 2, "Look at the last block."),
        Requirement(Check("uses", {"block": "ReLU", "after": "fc1"}), 1),
        Requirement(LEARNS, 4),
    ),
    ("Begin with the output.",),
    datetime(2026, 12, 24, 17, tzinfo=UTC),
    3,
    True,
)


def test_a_task_and_its_key_are_read_as_they_were_written_to_the_byte() -> None:
    text = write_task(TASK)
    assert read_task(text) == TASK
    assert write_task(read_task(text)) == text
    key = TaskKey("Flowers", {"source": "iris", "test": 0.3}, 7, replace(IRIS, name="Solved"))
    assert read_key(write_key(key)) == key
    assert write_key(read_key(write_key(key))) == write_key(key)


def test_each_check_has_a_line_of_its_own_in_the_file() -> None:
    line = (
        '    {"check": "learns", "metric": "accuracy", "epochs": 30, "at_least": 0.9, "points": 4}'
    )
    assert line in write_task(TASK).split("\n")


def test_the_students_file_holds_nothing_of_the_key() -> None:
    text = write_task(TASK)
    assert '"has_key": true' in text
    assert "seed" not in json.loads(text)
    assert "solution" not in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": 2}, "task needs a whole number from 1 to 1 but receives 2."),
        ({"run": "rm"}, "run is not known."),
        ({"checks": []}, "checks has 0 checks."),
        ({"checks": [{"check": "wins", "points": 1}]}, 'checks[0].check "wins" is not a check.'),
        ({"checks": [{"check": "no_errors"}]}, "checks[0].points is missing."),
        (
            {"checks": [{"check": "no_errors", "points": 0}]},
            "checks[0].points needs a whole number from 1 to 1000 but receives 0.",
        ),
        (
            {"checks": [{"check": "uses", "block": "Magic", "points": 1}]},
            'checks[0].block "Magic" is not a block.',
        ),
        ({"until": "tomorrow"}, "until needs a date, a time and a time zone but"),
        ({"until": "2026-12-24T18:00:00"}, "until needs a date, a time and a time zone but"),
        ({"has_key": False}, "has_key needs true: a check needs hidden data."),
        ({"start": {"layerloom": 1}}, 'start needs a "graph" but has none.'),
        (
            {"start": {"layerloom": 1, "graph": {"nodes": [], "edges": []}}},
            "start.graph.nodes needs",
        ),
        ({"text": "\u202eevil"}, "text contains the invisible character U+202E."),
    ],
)
def test_what_is_wrong_in_a_task_is_named_with_its_place(tmp_path, change, message) -> None:
    file = tmp_path / "flowers.task.json"
    file.write_text(json.dumps({**json.loads(write_task(TASK)), **change}))
    with pytest.raises(ProjectError) as found:
        open_task(file)
    assert str(found.value).startswith(f"flowers.task.json: {message}")


def test_a_task_that_is_not_there_is_named_once(tmp_path) -> None:
    with pytest.raises(ProjectError) as found:
        open_task(tmp_path / "none.task.json")
    assert str(found.value) == "none.task.json does not exist. Check the name and the folder."
