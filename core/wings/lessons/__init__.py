"""Lessons: short steps on the templates. A lesson is plain data; torch gives every answer.

Reading lessons, claims, goals and progress import no torch; `answers` does.
"""

from core.wings.lessons.drawing import picture, solve_step, start
from core.wings.lessons.model import Lesson, LessonStep, Predict
from core.wings.lessons.read import FOLDER, list_lessons, read_lesson

__all__ = [
    "FOLDER",
    "Lesson",
    "LessonStep",
    "Predict",
    "list_lessons",
    "picture",
    "read_lesson",
    "solve_step",
    "start",
]
