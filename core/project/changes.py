"""Differences of two versions of a project: graph and settings, as values and as lines."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from core.graph.difference import Difference, difference
from core.project.base_names import Renames, path, under_base_names
from core.project.model import Project

Settings = Mapping[str, tuple[Any, Any]]
BESIDE = ("name", "about", "notes", "layout", "specialised", "extra")
"""What a project has beside its drawing and its settings."""


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


def beside(old: Project, new: Project) -> tuple[str, ...]:
    """Names of what differs beside the drawing and its settings."""
    return tuple(part for part in BESIDE if getattr(old, part) != getattr(new, part))


def lines(graph_changes: Difference) -> list[str]:
    """A line per node or edge: + added, - removed, ~ changed."""
    text = [f"~ {old}: renamed to {new}" for old, new in graph_changes.renamed.items()]
    text += [f"+ {name}" for name in graph_changes.added]
    text += [f"- {name}" for name in graph_changes.removed]
    for name, settings in graph_changes.changed.items():
        text += [changed(name, setting, *pair) for setting, pair in settings.items()]
    text += [f"+ {source} -> {target}" for source, target in graph_changes.wires_added]
    return text + [f"- {source} -> {target}" for source, target in graph_changes.wires_removed]


def changed_lines(old: Project, new: Project) -> list[str]:
    """A line per node, edge or setting that is not the same."""
    graph_changes, settings = changes(old, new)
    of_settings = (
        changed(part, setting, *pair)
        for (part, _, setting), pair in ((name.partition("."), p) for name, p in settings.items())
    )
    return [*lines(graph_changes), *of_settings]


def changed(subject: str, name: str, old: Any, new: Any) -> str:
    """A line for one changed setting."""
    return f"~ {subject}: {name} {shown(old)} -> {shown(new)}"


def shown(value: Any) -> str:
    """A value of a setting in a line."""
    if value is None:
        return "not set"
    return str(list(cast(tuple[Any, ...], value)) if isinstance(value, tuple) else value)
