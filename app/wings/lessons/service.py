"""The lessons in this process: drawings, and a cache of computed answers."""

import functools
import logging
from collections.abc import Callable
from typing import Any

from app.process import pool
from app.services import documents
from app.services.document import Document
from app.wings.lessons import calls
from core.project import Project, ProjectError
from core.wings.lessons import Lesson, list_lessons, progress, start
from core.wings.lessons import picture as read_picture
from core.wings.lessons.progress import LessonProgress, Progress

_LOG = logging.getLogger(__name__)


@functools.cache
def course() -> tuple[Lesson, ...]:
    """All lessons, read once: they come with the program. Raises ProjectError."""
    return list_lessons()


@functools.cache
def drawing(name: str) -> Project:
    """The project that a lesson begins with. Raises ProjectError."""
    return start(find(name))


@functools.cache
def picture(name: str) -> str:
    """The picture of a lesson as SVG text. Raises ProjectError."""
    return read_picture(find(name))


def find(name: str) -> Lesson:
    """Return the lesson of that name. Raises ProjectError."""
    for lesson in course():
        if lesson.name == name:
            return lesson
    raise ProjectError("", "There is no such lesson.", "Choose one from the list.")


@functools.lru_cache(256)
def answer(lesson: str, step: str) -> dict[str, Any]:
    """What torch answers to the question of a step. Raises PoolError."""
    return pool.call(calls.answer, lesson, step)


def begin(lesson: Lesson) -> Document:
    """Begin a lesson, or begin it again, on a drawing of its own. Raises ProjectError."""
    document = documents.from_project(drawing(lesson.name))
    progress.begin(lesson.name, document.address)
    return document


def is_of(taken: LessonProgress | None, document: Document | None) -> bool:
    """Whether a document is the drawing of a lesson that was begun."""
    return bool(taken and document and taken.project in (document.doc_id, document.address))


def follow(lesson: Lesson, taken: LessonProgress, document: Document) -> None:
    """Keep the address of a lesson's drawing, which changes when it is saved."""
    if document.address != taken.project:
        keep(progress.note_moved, lesson.name, document.address)


def keep(note: Callable[..., object], *args: Any) -> str:
    """Write into the progress; return why it cannot be written, "" if it is."""
    try:
        note(*args)
    except ProjectError as error:
        _LOG.warning("progress of the lessons: %s", error)
        return str(error)
    return ""


def next_of(done: Progress) -> Lesson:
    """The first lesson that is not done, or the first of all."""
    return next((lesson for lesson in course() if not done.is_done(lesson)), course()[0])


def count_done(done: Progress) -> int:
    """How many lessons are done."""
    return sum(done.is_done(lesson) for lesson in course())
