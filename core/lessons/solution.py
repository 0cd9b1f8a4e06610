"""The solution of a step, carried out on a project. No torch."""

from dataclasses import replace

from core.graph import GraphError
from core.graph.edits import apply
from core.lessons.model import Solution
from core.project import Project
from core.project.messages import fail


def solve_step(project: Project, solution: Solution) -> Project:
    """Return the project with the changes of a solution.

    Raises ProjectError where the drawing is another than the step begins with.
    """
    try:
        graph = apply(project.graph, solution.edits)
    except GraphError as error:
        fail("", f"Your drawing is another than this step begins with: {error.node} {error.message}",
             "Undo your changes with Ctrl+Z, or begin the lesson anew.")  # fmt: skip
    return replace(
        project,
        graph=graph,
        training={**project.training, **solution.training},
        data={**project.data, **solution.data},
    )
