"""Judge a hand-in by a task: a line for each requirement, with points and a reason. No torch."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.graph import Graph
from core.graph.order import ancestors
from core.project import Project
from core.project.untrusted import untrusted
from core.wings.classroom.hand_in import RunFigures
from core.wings.classroom.kinds import KINDS, Evidence, Learned
from core.wings.classroom.model import ClassTask, GradedLine, Requirement

LATER = {
    "hidden": "Checked when it is graded, on data that you do not have.",
    "run": "Checked when you hand in, on the run that comes along.",
}


def seen(
    project: Project,
    report: Mapping[str, Any],
    run: RunFigures | None = None,
    learn: Callable[[int, int], Learned] | None = None,
) -> Evidence:
    """What is known of a project, by its analysis as JSON and the run that comes along."""
    return Evidence(
        project=counted(project),
        report=report,
        own_python=untrusted(project.graph),
        run=run.metrics if run else None,
        same_run=run is None or run.source == source_sha256(report["source"]),
        learn=learn,
    )


def source_sha256(source: str | None) -> str:
    """The fingerprint of a source, as the folder of a run has it; "" without one."""
    return hashlib.sha256(source.encode()).hexdigest() if source else ""


def judge_each(task: ClassTask, facts: Evidence) -> Iterator[GradedLine]:
    """Judge the requirements one after the other, in the order of the task."""
    for requirement in task.requirements:
        yield _line(requirement, facts)


def _line(requirement: Requirement, facts: Evidence) -> GradedLine:
    check, kind = requirement.check, KINDS[requirement.check.kind]
    if kind.needs == "hidden" and facts.learn is None:
        return GradedLine(
            kind.words(check.fields), 0, requirement.points, LATER["hidden"], judged=False
        )
    found = kind.judge(check.fields, facts)
    reason = found.now if found.holds else " ".join(filter(None, (found.now, requirement.hint)))
    return GradedLine(found.text, requirement.points * found.holds, requirement.points, reason)


def not_judged(task: ClassTask, done: int, why: str) -> list[GradedLine]:
    """The requirements from number `done` on, without points, for one reason."""
    left = task.requirements[done:]
    return [GradedLine(KINDS[r.check.kind].words(r.check.fields), 0, r.points, why) for r in left]


def counted(project: Project) -> Project:
    """The project with what leads to an Output alone: a block beside it is not used."""
    graph = project.graph
    outputs = graph.of_block("Output")
    used = {*outputs, *ancestors(graph, *outputs)}
    nodes = {name: node for name, node in graph.nodes.items() if name in used}
    edges = tuple(e for e in graph.edges if e.source in used and e.target in used)
    part = replace(graph, nodes=nodes, edges=edges)
    inside = _composites_of(part)
    composites = {name: each for name, each in graph.composites.items() if name in inside}
    return replace(project, graph=replace(part, composites=composites))


def _composites_of(graph: Graph) -> set[str]:
    """Names of the composites that a graph is made of, those inside of others included."""
    found, left = set[str](), [node.block for node in graph.nodes.values()]
    while left:
        name = left.pop()
        if name in graph.composites and name not in found:
            found.add(name)
            left += [node.block for node in graph.composites[name].graph.nodes.values()]
    return found
