"""The drawings that lessons begin with: a draft that is still one of them has no changes."""

from core.project import Project
from core.wings.lessons import list_lessons, start


def projects() -> list[Project]:
    """One for each lesson."""
    return [start(lesson) for lesson in list_lessons()]
