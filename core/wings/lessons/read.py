"""Reading lesson files: strict JSON with a closed schema. Nothing in a lesson is executed."""

import re
from pathlib import Path
from typing import Any

from core.claims import forms
from core.claims.forms import Key, keys, words
from core.common.errors import ProjectError
from core.files.messages import at, fail, in_file, one_of, quote
from core.files.read import read_bytes
from core.files.strict import decode, parse
from core.project import values
from core.project.templates import FOLDER as PROJECTS
from core.wings.lessons.goal_forms import GOALS
from core.wings.lessons.model import PAGES, Lesson, LessonStep, Predict, Solution

FOLDER = PROJECTS / "lessons"
ASKED = ("shape", "params", "total")
LEAST, MOST = 3, 6
MOST_HINTS = 4
_NAME = re.compile(r"[0-9]{2}_[a-z0-9_]{1,40}")
_STEP = re.compile(r"[a-z][a-z0-9_]{0,39}")


def list_lessons(folder: Path = FOLDER) -> tuple[Lesson, ...]:
    """Read all lessons, in their order. Raises ProjectError."""
    return tuple(read_lesson(path) for path in sorted(folder.glob("*.json")))


def read_lesson(path: Path) -> Lesson:
    """Read one lesson. Raises ProjectError with the file and the JSON path."""
    try:
        if not _NAME.fullmatch(path.stem):
            fail("", "is not a lesson name.", "Call it 01_name.json.")
        return _lesson(path.stem, values.json_object(parse(decode(read_bytes(path))), ""))
    except ProjectError as error:
        raise in_file(path.name, error) from None


def _lesson(name: str, data: dict[str, Any]) -> Lesson:
    form = {
        "lesson": Key(lambda v, p: values.whole(v, p, 1, 1)),
        "title": Key(lambda v, p: words(v, p, 60)),
        "minutes": Key(lambda v, p: values.whole(v, p, 1, 60)),
        "see": Key(lambda v, p: words(v, p, 200)),
        "template": Key(forms.word),
        "steps": Key(_steps),
    }
    fields = keys(data, "", form)
    del fields["lesson"]
    return Lesson(name, **fields)


def _steps(value: Any, path: str) -> tuple[LessonStep, ...]:
    items = values.json_list(value, path)
    if not LEAST <= len(items) <= MOST:
        fail(path, f"has {len(items)} steps.", f"Write {LEAST} to {MOST}.")
    steps = tuple(_step(each, at(path, i)) for i, each in enumerate(items))
    for i, step in enumerate(steps):
        if any(step.name == before.name for before in steps[:i]):
            fail(at(at(path, i), "name"), f"{quote(step.name)} is already used.", "Choose another.")
    return steps


def _step(value: Any, path: str) -> LessonStep:
    form = {
        "name": Key(_key),
        "title": Key(lambda v, p: words(v, p, 60)),
        "text": Key(words),
        "go": Key(lambda v, p: _one(v, p, PAGES), optional=True),
        "predict": Key(_predict, optional=True),
        "do": Key(lambda v, p: forms.checks(v, p, "claim", forms.CLAIMS), optional=True),
        "train": Key(lambda v, p: forms.checks(v, p, "goal", GOALS), optional=True),
        "hints": Key(_hints, optional=True),
        "solution": Key(_solution, optional=True),
    }
    fields = keys(values.json_object(value, path), path, form)
    if sum(task in fields for task in ("predict", "do", "train")) > 1:
        fail(path, "has two tasks.", "Split it into two steps.")
    if "solution" in fields and not {"do", "train"} & set(fields):
        fail(path, "has a solution but no task.", "Leave it out.")
    return LessonStep(**fields)


def _hints(value: Any, path: str) -> tuple[str, ...]:
    items = values.json_list(value, path)
    if not 1 <= len(items) <= MOST_HINTS:
        fail(path, f"has {len(items)} hints.", f"Write 1 to {MOST_HINTS}.")
    return tuple(words(each, at(path, i), 300) for i, each in enumerate(items))


def _solution(value: Any, path: str) -> Solution:
    form = {
        "edits": Key(_edits, optional=True),
        "training": Key(_settings, optional=True),
        "data": Key(_settings, optional=True),
    }
    solution = Solution(**keys(values.json_object(value, path), path, form))
    if not solution:
        fail(path, "is empty.", "Leave it out, or write what it changes.")
    return solution


def _settings(value: Any, path: str) -> dict[str, Any]:
    data = values.json_object(value, path)
    return {
        forms.word(name, path): forms.plain(each, at(path, name)) for name, each in data.items()
    }


def _predict(value: Any, path: str) -> Predict:
    form = {
        "ask": Key(lambda v, p: words(v, p, 200)),
        "what": Key(lambda v, p: _one(v, p, ASKED)),
        "node": Key(forms.node, optional=True),
        "edits": Key(_edits, optional=True),
    }
    question = Predict(**keys(values.json_object(value, path), path, form))
    if (question.what == "total") == bool(question.node):
        fail(
            at(path, "node"), "is needed for shape and params, and only there.", "Add or remove it."
        )
    return question


def _edits(value: Any, path: str) -> tuple[dict[str, Any], ...]:
    items = values.json_list(value, path)
    return tuple(values.frozen(values.json_object(e, at(path, i))) for i, e in enumerate(items))


def _key(value: Any, path: str) -> str:
    if not isinstance(value, str) or not _STEP.fullmatch(value):
        fail(path, f"{quote(value)} is not a step name.", "Use lower-case letters, digits and _.")
    return value


def _one(value: Any, path: str, known: tuple[str, ...]) -> str:
    if value not in known:
        fail(path, f"{quote(value)} is not allowed here.", f"Choose one of: {one_of(known)}.")
    return value
