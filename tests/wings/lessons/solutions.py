"""What a student does in the steps of the lessons: the solutions that the lessons hold."""

from core.project import Project
from core.wings.lessons import Lesson, start
from core.wings.lessons.drawing import solve_step


def along(lesson: Lesson) -> list[tuple[str, Project]]:
    """The name of each step, and the project once a student has done what it asks for."""
    project, found = start(lesson), []
    for step in lesson.steps:
        project = solve_step(project, step.solution)
        found.append((step.name, project))
    return found
