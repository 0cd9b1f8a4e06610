"""Reading tasks and keys: strict JSON with a closed schema. Nothing in them is executed."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from core.claims.forms import Key as Field
from core.claims.forms import keys, words
from core.claims.model import Check
from core.common.errors import ProjectError
from core.files.messages import at, fail, in_file, one_of, quote
from core.files.read import read_bytes
from core.files.strict import decode, parse
from core.project import Project, values
from core.project.read import read_json
from core.wings.classroom.kinds import KINDS
from core.wings.classroom.model import ClassTask, Requirement, TaskKey

FORMAT = 1
LONGEST_TITLE, LONGEST_TEXT, LONGEST_HINT = 80, 4000, 300
MOST_CHECKS, MOST_HINTS, MOST_POINTS, MOST_TIMES = 40, 6, 1000, 1000
MOST_SEED = 2**31 - 1
_POINTS = {
    "points": Field(lambda v, p: values.whole(v, p, 1, MOST_POINTS)),
    "hint": Field(lambda v, p: words(v, p, LONGEST_HINT), optional=True),
}
Read = TypeVar("Read")


def open_task(path: Path) -> ClassTask:
    """Read the student's file of a task. Raises ProjectError with the file and the JSON path."""
    return _in_file(path, read_task)


def open_key(path: Path) -> TaskKey:
    """Read the teacher's file of a task. Raises ProjectError with the file and the JSON path."""
    return _in_file(path, read_key)


def _in_file(path: Path, read: Callable[[str], Read]) -> Read:
    try:
        return read(decode(read_bytes(path)))
    except ProjectError as error:
        named = error.place.startswith(path.name)
        raise error if named else in_file(path.name, error) from None


def read_task(source: str) -> ClassTask:
    """Read a task from the text of its file. Raises ProjectError with the JSON path."""
    form = {
        "task": Field(_format),
        "title": Field(lambda v, p: words(v, p, LONGEST_TITLE)),
        "text": Field(_lines),
        "until": Field(_moment, optional=True),
        "times": Field(lambda v, p: values.whole(v, p, 1, MOST_TIMES), optional=True),
        "has_key": Field(values.yes_or_no, optional=True),
        "checks": Field(_requirements),
        "hints": Field(_hints, optional=True),
        "start": Field(project_within),
    }
    fields = keys(values.json_object(parse(source), ""), "", form)
    del fields["task"]
    task = ClassTask(requirements=fields.pop("checks"), **fields)
    if not task.has_key and any(KINDS[r.check.kind].needs == "hidden" for r in task.requirements):
        fail("has_key", "needs true: a check needs hidden data.", "Write it, and the key file.")
    return task


def read_key(source: str) -> TaskKey:
    """Read a key from the text of its file. Raises ProjectError with the JSON path."""
    form = {
        "key": Field(_format),
        "task": Field(lambda v, p: words(v, p, LONGEST_TITLE)),
        "data": Field(lambda v, p: values.frozen(values.json_object(v, p)), optional=True),
        "seed": Field(lambda v, p: values.whole(v, p, 0, MOST_SEED), optional=True),
        "solution": Field(project_within, optional=True),
    }
    fields = keys(values.json_object(parse(source), ""), "", form)
    del fields["key"]
    return TaskKey(**fields)


def _format(value: Any, path: str) -> int:
    return values.whole(value, path, FORMAT, FORMAT)


def _lines(value: Any, path: str) -> str:
    """A text of several lines for people."""
    notices: values.Notes = []
    content = values.text(value, path, LONGEST_TEXT, notices, lines=True)
    if notices or not content.strip():
        fail(path, "needs text in the usual Unicode form (NFC).", "Type it again.")
    return content


def _moment(value: Any, path: str) -> datetime:
    try:
        moment = datetime.fromisoformat(words(value, path, 40))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        message = f"needs a date, a time and a time zone but receives {quote(value)}."
        fail(path, message, "Write it as 2026-12-24T18:00:00+01:00.")
    return moment


def _requirements(value: Any, path: str) -> tuple[Requirement, ...]:
    items = values.json_list(value, path)
    if not 1 <= len(items) <= MOST_CHECKS:
        fail(path, f"has {len(items)} checks.", f"Write 1 to {MOST_CHECKS}.")
    return tuple(_requirement(each, at(path, i)) for i, each in enumerate(items))


def _requirement(value: Any, path: str) -> Requirement:
    data = values.json_object(value, path)
    kind = data.get("check")
    if not isinstance(kind, str) or kind not in KINDS:
        known = f"Choose one of: {one_of(KINDS)}."
        fail(at(path, "check"), f"{quote(kind)} is not a check.", known)
    fields = keys(data, path, {**KINDS[kind].form, **_POINTS}, ("check",))
    points, hint = fields.pop("points"), fields.pop("hint", "")
    return Requirement(Check(kind, fields), points, hint)


def _hints(value: Any, path: str) -> tuple[str, ...]:
    items = values.json_list(value, path)
    if not 1 <= len(items) <= MOST_HINTS:
        fail(path, f"has {len(items)} hints.", f"Write 1 to {MOST_HINTS}, or leave it out.")
    return tuple(words(each, at(path, i), LONGEST_HINT) for i, each in enumerate(items))


def project_within(value: Any, path: str) -> Project:
    """Read a project within another file, as strictly as one of its own. Raises ProjectError."""
    try:
        return read_json(values.json_object(value, path), [])
    except ProjectError as error:
        where = f"{path}.{error.place}" if error.place else path
        fail(where, error.message, error.hint)
