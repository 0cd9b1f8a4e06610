"""The differences of a project from an older one: drawing, data settings, training settings."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.graph.difference import Difference, difference
from core.project.merging.names import Renames, path, told_apart
from core.project.model import Project

Settings = Mapping[str, tuple[Any, Any]]


def changes(old: Project, new: Project) -> tuple[Difference, Settings]:
    """Both under the names of the newer one: what was only renamed is no other block.

    Settings as "training.lr": (old, new), None where nothing was said.
    """
    before, names = told_apart(new, old)
    found = difference(before.graph, new.graph)
    return replace(found, renamed=_renamed(names)), _settings(before, new)


def _renamed(names: Renames) -> dict[str, str]:
    """Old to new names of composites and blocks. Renames go from the newer to the older project."""
    found = {old: new for new, old in names.parts.items()}
    for scope, inside in names.nodes.items():
        found |= {path(names.parts.get(scope, scope), old): path(scope, new)
                  for new, old in inside.items()}  # fmt: skip
    return found


def _settings(old: Project, new: Project) -> dict[str, tuple[Any, Any]]:
    found: dict[str, tuple[Any, Any]] = {}
    for part in ("data", "training"):
        was, now = getattr(old, part), getattr(new, part)
        for name in dict.fromkeys((*was, *now)):
            if was.get(name) != now.get(name):
                found[f"{part}.{name}"] = (was.get(name), now.get(name))
    return found
