"""Rename references in the training settings when a block is renamed on the canvas."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from core.graph import Graph
from core.project.model import Project
from core.project.renames import renamed
from core.project.values import frozen

Names = Mapping[str, str]


def with_graph(project: Project, graph: Graph) -> Project:
    """The project with another drawing; settings that name a renamed block follow it."""
    return replace(rename_references(project, renamed(project.graph, graph)), graph=graph)


def rename_references(project: Project, names: Names) -> Project:
    """The project with blocks named otherwise in its settings: old to new ids."""
    if not names:
        return project
    return replace(
        project,
        training=frozen(_training(project.training, names)),
        data=frozen(_data(project.data, names)),
    )


def _path(path: Any, names: Names) -> Any:
    """A block, or one inside it: "stage1.conv1"."""
    if not isinstance(path, str):
        return path
    first, dot, rest = path.partition(".")
    return f"{names.get(first, first)}{dot}{rest}"


def _either(value: Any, names: Names) -> Any:
    """A name, or a list of them."""
    if isinstance(value, list | tuple):
        return [_path(item, names) for item in cast(Sequence[Any], value)]
    return _path(value, names)


def _table(value: Any) -> dict[str, Any]:
    """A table of settings; an empty one for anything else."""
    return dict(cast(Mapping[str, Any], value)) if isinstance(value, Mapping) else {}


def _part(table: Any, keys: tuple[str, ...], names: Names) -> Any:
    """A table of settings whose `keys` name blocks."""
    if not isinstance(table, Mapping):
        return table
    settings = _table(table)
    return settings | {key: _either(settings[key], names) for key in keys if key in settings}


def _training(training: Mapping[str, Any], names: Names) -> dict[str, Any]:
    settings = _table(_part(training, ("samples_from",), names))
    if "start_from" in settings:
        settings["start_from"] = _part(settings["start_from"], ("leave_out",), names)
    if isinstance(settings.get("losses"), list | tuple):
        losses: list[Any] = list(settings["losses"])
        settings["losses"] = [_part(one, ("output", "trains"), names) for one in losses]
    return settings


def _data(data: Mapping[str, Any], names: Names) -> dict[str, Any]:
    settings = dict(data)
    if inputs := _table(settings.get("inputs")):
        settings["inputs"] = {_path(key, names): value for key, value in inputs.items()}
    return settings
