"""Make a task from drawings: what must hold is read off them, for the teacher to edit.

Imports torch, as shapes and counts are those of the analysis.
"""

import secrets
from collections.abc import Iterator
from dataclasses import replace

from blocks import of_family
from core.analyse import analyse_project, report_json
from core.claims.model import Check
from core.common.errors import ProjectError
from core.files.messages import fail
from core.project import Project
from core.project.title import title
from core.wings.classroom.kinds import MOST_COST
from core.wings.classroom.model import ClassTask, Requirement, TaskKey
from core.wings.classroom.read import LONGEST_TEXT, LONGEST_TITLE, MOST_CHECKS, MOST_SEED

TEST = 0.3
"""Share of the samples that hand-ins are tested on, where the drawing's data has no such part."""
TEXT = "Change the drawing until everything below holds. Then train it and hand it in."
MORE = 1.1
"""A drawing may have a tenth more parameters than the solution."""


def make_task(
    start: Project, solution: Project | None = None, learns: Check | None = None
) -> tuple[ClassTask, TaskKey | None]:
    """A task that begins with a drawing, and its key where there is something to keep.

    solution: gets all points; without it what holds is read off the start. learns: a check on
    hidden data, which is that of the solution or the start. Raises ProjectError where that has
    errors.
    """
    solved = solution or start
    report = report_json(analyse_project(solved))
    if not report["ok"]:
        message = f"{title(solved)} has errors, so nothing can be read off it."
        first = report["errors"][0]["message"] if report["errors"] else ""
        raise ProjectError("", message, f"Correct it first: {first}".strip())
    shapes = tuple(tuple(end["shape"][1:]) for end in report["outputs"])
    if not all(type(size) is int for shape in shapes for size in shape):
        fail("", "has an output whose shape depends on the data.", "Give it a fixed shape.")
    most = min(MOST_COST, int(report["total_params"] * MORE) + 1)
    found = [
        Requirement(Check("no_errors"), 1),
        Requirement(Check("outputs", {"shapes": shapes}), 2),
        *(Requirement(each, 1) for each in _blocks(start, solved)),
        Requirement(Check("params_below", {"count": most}), 2),
        *([Requirement(learns, 4)] if learns else []),
    ]
    key = _key(title(start)[:LONGEST_TITLE], solved, solution, learns)
    task = ClassTask(
        title(start)[:LONGEST_TITLE],
        start.about.strip()[:LONGEST_TEXT] or TEXT,
        replace(start, revision=""),
        tuple(found[:MOST_CHECKS]),
        has_key=key is not None,
    )
    return task, key


def _blocks(start: Project, solved: Project) -> Iterator[Check]:
    """Blocks that only one of the drawings has, apart from its ends."""
    before, after = ([n.block for n in each.graph.nodes.values()] for each in (start, solved))
    own = {*start.graph.composites, *solved.graph.composites}
    for kind, here, there in (("uses", after, before), ("avoids", before, after)):
        for block in dict.fromkeys(here):
            if block not in there and block not in own and not of_family(block, "ends"):
                yield Check(kind, {"block": block})


def _key(
    name: str, solved: Project, solution: Project | None, learns: Check | None
) -> TaskKey | None:
    if not (solution or learns):
        return None
    if learns is None:
        return TaskKey(name, solution=solution)
    data = dict(solved.data) if solved.data.get("test") else {**solved.data, "test": TEST}
    return TaskKey(name, data, secrets.randbelow(MOST_SEED), solution)
