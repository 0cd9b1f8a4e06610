"""The drawing of a lesson: its picture, its starting point, and the changes of a step. No torch."""

from dataclasses import replace

from core.files.messages import fail
from core.graph import GraphError
from core.graph.edits import apply
from core.project import Project
from core.project.templates import load_template
from core.wings.lessons.model import Lesson, Solution
from core.wings.lessons.read import FOLDER


def picture(lesson: Lesson) -> str:
    """The picture of a lesson, as SVG text that suits light and dark. Raises OSError."""
    return (FOLDER / f"{lesson.name}.svg").read_text("utf-8")


def start(lesson: Lesson) -> Project:
    """The project a lesson begins with: its template, under its own title. Raises ProjectError."""
    return replace(load_template(lesson.template), name=lesson.title, revision="")


def solve_step(project: Project, solution: Solution) -> Project:
    """Return the project with the changes of a solution.

    Raises ProjectError where the drawing is another than the step begins with.
    """
    try:
        graph = apply(project.graph, solution.edits)
    except GraphError as error:
        why = f"{error.node} {error.message}"
        fail(
            "",
            f"Your drawing differs from the start of this step: {why}",
            "Undo your edits with Ctrl+Z, or start the lesson over.",
        )
    return replace(
        project,
        graph=graph,
        training={**project.training, **solution.training},
        data={**project.data, **solution.data},
    )
