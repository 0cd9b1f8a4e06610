"""The canonical text of a task and of a key: equal ones give equal bytes, which git can merge."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from core.project import Project, write_text
from core.wings.classroom.kinds import KINDS
from core.wings.classroom.model import ClassTask, Requirement, TaskKey
from core.wings.classroom.read import FORMAT


def write_task(task: ClassTask) -> str:
    """Write a task as the text of the student's file. Raises ProjectError."""
    entries = [
        ("task", _json(FORMAT)),
        ("title", _json(task.title)),
        ("text", _json(task.text)),
        *([("until", _json(task.until.isoformat()))] if task.until else []),
        *([("times", _json(task.times))] if task.times else []),
        *([("has_key", _json(True))] if task.has_key else []),
        ("checks", _list([_json(_requirement(each)) for each in task.requirements])),
        *([("hints", _list([*map(_json, task.hints)]))] if task.hints else []),
        ("start", _within(task.start)),
    ]
    return _object(entries)


def write_key(key: TaskKey) -> str:
    """Write a key as the text of the teacher's file."""
    entries = [
        ("key", _json(FORMAT)),
        ("task", _json(key.task)),
        *([("data", _json(key.data)), ("seed", _json(key.seed))] if key.data else []),
        *([("solution", _within(key.solution))] if key.solution else []),
    ]
    return _object(entries)


def _within(project: Project) -> str:
    return write_text(project).rstrip("\n").replace("\n", "\n  ")


def _requirement(requirement: Requirement) -> dict[str, Any]:
    check = requirement.check
    hint = {"hint": requirement.hint} if requirement.hint else {}
    fields = {key: check.fields[key] for key in KINDS[check.kind].form if key in check.fields}
    return {"check": check.kind, **fields, "points": requirement.points, **hint}


def _object(entries: Sequence[tuple[str, str]]) -> str:
    rows = ",\n".join(f"  {_json(key)}: {value}" for key, value in entries)
    return f"{{\n{rows}\n}}\n"


def _list(items: Sequence[str]) -> str:
    rows = ",\n    ".join(items)
    return f"[\n    {rows}\n  ]"


def _json(value: Mapping[str, Any] | object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
