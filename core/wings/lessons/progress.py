"""The progress of a student in the lessons: one file per user, outside every project."""

import getpass
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.common.errors import ProjectError
from core.files.folder import locked, write_bytes
from core.files.home import account, home, private_folder
from core.files.messages import at, fail, shown
from core.files.read import read_bytes
from core.files.strict import decode, parse
from core.project import values
from core.wings.lessons.model import Lesson

FILE = "lessons.json"
FORMAT = 1
LONGEST = 300


@dataclass(frozen=True)
class LessonProgress:
    """A lesson begun: the address of its drawing, when it began, names of the steps done."""

    project: str
    since_s: float
    done: tuple[str, ...] = ()


@dataclass(frozen=True)
class Progress:
    """Lessons begun, by name; `problem`: why the file could not be read, "" where it could."""

    lessons: Mapping[str, LessonProgress] = field(default_factory=lambda: {})
    problem: str = ""

    def done(self, lesson: Lesson) -> tuple[str, ...]:
        """Names of the steps of a lesson that are done, in its order."""
        taken = self.lessons.get(lesson.name)
        return tuple(s.name for s in lesson.steps if taken and s.name in taken.done)

    def is_done(self, lesson: Lesson) -> bool:
        """Whether every step is."""
        return len(self.done(lesson)) == len(lesson.steps)


def read_progress() -> Progress:
    """Read how far the student came. Never raises for a bad file: see `Progress.problem`."""
    try:
        return Progress(_read(_file()))
    except ProjectError as error:
        return Progress(problem=f"Your progress cannot be read: {error}")


def begin(lesson: str, project: str) -> None:
    """Begin or restart a lesson on this drawing. Raises ProjectError."""
    _change(lambda old: {**old, lesson: LessonProgress(project, time.time())})


def note_done(lesson: str, step: str) -> None:
    """Note that a step of a lesson that was begun is done. Raises ProjectError."""
    _change_one(
        lesson,
        lambda taken: replace(taken, done=(*taken.done, step)) if step not in taken.done else taken,
    )


def note_moved(lesson: str, project: str) -> None:
    """Note that the drawing of a lesson has another address, once saved. Raises ProjectError."""
    _change_one(lesson, lambda taken: replace(taken, project=project))


def forget() -> None:
    """Restart the whole course; drawings and runs stay. Raises ProjectError."""
    _change(lambda _: {})


Table = dict[str, LessonProgress]


def _file() -> Path:
    return home() / FILE


def _read(file: Path) -> Table:
    if not file.exists():
        return {}
    try:
        return dict(parse_progress(read_bytes(file), file.name).lessons)
    except ProjectError as error:
        hint = "Your next step starts a new file; the old one is kept as lessons.json.bad."
        fail("", f"{str(error).rstrip('.')}.", hint)


def parse_progress(text: bytes, name: str) -> Progress:
    """Read a file of progress, called `name` in messages. Raises ProjectError."""
    try:
        data = values.json_object(parse(decode(text)), "")
        values.whole(data.get("progress"), "progress", FORMAT, FORMAT)
        table = values.json_object(data.get("lessons"), "lessons")
        taken = {lesson: _taken(each, at("lessons", lesson)) for lesson, each in table.items()}
    except ProjectError as error:
        fail(shown(name), f"is not a progress file ({error}).")
    return Progress(taken)


def _taken(value: Any, path: str) -> LessonProgress:
    data = values.json_object(value, path)
    project = values.text(data.get("project"), at(path, "project"), LONGEST, [])
    since_s = values.number(data.get("since_s"), at(path, "since_s"), 0, 1e12)
    done = values.json_list(data.get("done"), at(path, "done"))
    names = (values.text(each, at(path, "done"), LONGEST, []) for each in done)
    return LessonProgress(project, since_s, tuple(names))


def _change_one(lesson: str, edit: Callable[[LessonProgress], LessonProgress]) -> None:
    def edited(old: Table) -> Table:
        return {**old, lesson: edit(old[lesson])} if lesson in old else old

    _change(edited)


def _change(edit: Callable[[Table], Table]) -> None:
    file = private_folder(home()) / FILE
    try:
        with locked(file):
            old = _read_or_set_aside(file)
            new = edit(old)
            if new != old or not file.exists():
                write_bytes(file, text_of(new).encode())
                _keep_for_class(text_of(new))
    except OSError as error:
        hint = "Set LAYERLOOM_HOME to a folder you can write to."
        message = f"cannot be written: {error.strerror}."
        raise ProjectError(str(file), message, hint) from error


def class_folder() -> Path | None:
    """The folder of $LAYERLOOM_CLASS, where a teacher reads the progress of all; None without."""
    named = os.environ.get("LAYERLOOM_CLASS")
    return Path(named) if named else None


def sees_class() -> bool:
    """Whether who works here may see the progress of all: not a student of a class server."""
    return os.environ.get("LAYERLOOM_TEACHER", "1") != "0"


def student() -> str:
    """The name of this student's file: the account of a class, else the login."""
    try:
        return account() or getpass.getuser()
    except (OSError, KeyError):  # a container without an entry for this user
        return "student"


def _keep_for_class(text: str) -> None:
    folder = class_folder()
    if folder is None:
        return
    try:
        write_bytes(folder / f"{student()}.json", text.encode())
    except OSError as error:
        message = (
            f"cannot be written: {error.strerror}. The step is saved here, but your teacher "
            "cannot see it."
        )
        hint = "Tell your teacher: every student needs write access to that folder."
        raise ProjectError(str(folder), message, hint) from error


def text_of(table: Mapping[str, LessonProgress]) -> str:
    """The progress as the text of its file."""
    rows = {
        name: {"project": taken.project, "since_s": taken.since_s, "done": list(taken.done)}
        for name, taken in table.items()
    }
    return json.dumps({"progress": FORMAT, "lessons": rows}, indent=1) + "\n"


def _read_or_set_aside(file: Path) -> Table:
    """Read the file; a bad one is moved to lessons.json.bad, where a person can look at it."""
    try:
        return _read(file)
    except ProjectError:
        file.replace(file.with_name(file.name + ".bad"))
        return {}
