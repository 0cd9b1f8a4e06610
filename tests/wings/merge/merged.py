"""What the tests of merging share: edits of a template, and both sides of a conflict as text."""

from dataclasses import replace
from typing import Any

from core.graph.edits import apply
from core.project import Project, write_text
from core.project.rename_references import with_graph
from core.project.templates import load_template
from core.project.values import frozen
from core.wings.merge import Merged, merge

LENET = load_template("lenet_digits")
RESNET = load_template("resnet_digits")

Edit = dict[str, Any]


def edited(project: Project, *edits: Edit) -> Project:
    return with_graph(project, apply(project.graph, list(edits)))


def put(node: str, **settings: Any) -> Edit:
    return {"op": "set", "node": node, "settings": settings}


def gone(node: str) -> Edit:
    return {"op": "remove", "node": node}


def wire(edge: str) -> Edit:
    return {"op": "connect", "edge": edge}


def cut(edge: str) -> Edit:
    return {"op": "disconnect", "edge": edge}


def new(name: str, block: str, **settings: Any) -> Edit:
    return {"op": "add", "id": name, "block": block, "settings": settings}


def between(name: str, block: str, target: str, port: str = "input", **settings: Any) -> Edit:
    """Put a block on a wire."""
    return {
        "op": "insert", "id": name, "block": block, "target": target, "port": port,
        "settings": settings,
    }  # fmt: skip


def rename(node: str, to: str) -> Edit:
    return {"op": "rename", "node": node, "to": to}


def inside(composite: str, edit: Edit) -> Edit:
    return {**edit, "composite": composite}


def trained(project: Project, **settings: Any) -> Project:
    return replace(project, training=frozen({**project.training, **settings}))


def both(base: Project, ours: Project, theirs: Project) -> Merged:
    """Merge, with what must hold of every merge checked."""
    found = merge(base, ours, theirs)
    text = write_text(found.project)
    assert write_text(merge(found.project, found.project, found.project).project) == text
    return found


def clean(base: Project, ours: Project, theirs: Project) -> Project:
    """Merge in both directions without a conflict, to the same bytes."""
    found, back = both(base, ours, theirs), both(base, theirs, ours)
    assert (found.conflicts, back.conflicts) == ((), ())
    assert write_text(found.project) == write_text(back.project)
    return found.project


def messages(base: Project, ours: Project, theirs: Project) -> list[str]:
    return [conflict.message for conflict in both(base, ours, theirs).conflicts]
