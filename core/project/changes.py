"""Differences of two versions of a project: graph and settings, as values and as lines."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from core.graph.difference import Difference, difference
from core.project.base_names import Renames, path, under_base_names
from core.project.model import Project

Settings = Mapping[str, tuple[Any, Any]]


def changes(old: Project, new: Project) -> tuple[Difference, Settings]:
    """The differences of graph and settings. A renamed node is listed as renamed, not as new.

    Settings as "training.lr": (old, new), None where one is not set.
    """
    before, names = under_base_names(new, old)
    graph_changes = difference(before.graph, new.graph)
    return replace(graph_changes, renamed=_renamed(names)), _settings(before, new)


def _renamed(names: Renames) -> dict[str, str]:
    """Old to new names of composites and nodes. Renames go from the newer to the older project."""
    new_names = {old: new for new, old in names.parts.items()}
    for scope, inside in names.nodes.items():
        new_names |= {
            path(names.parts.get(scope, scope), old): path(scope, new)
            for new, old in inside.items()
        }
    return new_names


def _settings(old: Project, new: Project) -> dict[str, tuple[Any, Any]]:
    differing: dict[str, tuple[Any, Any]] = {}
    for part in ("data", "training"):
        was, now = getattr(old, part), getattr(new, part)
        for name in dict.fromkeys((*was, *now)):
            if was.get(name) != now.get(name):
                differing[f"{part}.{name}"] = (was.get(name), now.get(name))
    return differing


def lines(graph_changes: Difference) -> list[str]:
    """A line per node or edge: + added, - removed, ~ changed."""
    text = [f"~ {old}: renamed to {new}" for old, new in graph_changes.renamed.items()]
    text += [f"+ {name}" for name in graph_changes.added]
    text += [f"- {name}" for name in graph_changes.removed]
    for name, settings in graph_changes.changed.items():
        text += [changed(name, setting, *pair) for setting, pair in settings.items()]
    text += [f"+ {source} -> {target}" for source, target in graph_changes.wires_added]
    return text + [f"- {source} -> {target}" for source, target in graph_changes.wires_removed]


def changed(subject: str, name: str, old: Any, new: Any) -> str:
    """A line for one changed setting."""
    return f"~ {subject}: {name} {_value(old)} -> {_value(new)}"


def _value(value: Any) -> str:
    if value is None:
        return "not set"
    return str(list(cast(tuple[Any, ...], value)) if isinstance(value, tuple) else value)
