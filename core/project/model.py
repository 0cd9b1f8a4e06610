"""The contents of a project file, as an immutable value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.graph import Graph

ENDING = ".loom.json"
"""What the name of a project file ends with."""

Notices = tuple[tuple[str, str], ...]


def _empty() -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Project:
    """A graph with its layout, data and training settings: one file.

    about: what the project shows, for people. data, training: JSON values as in the file (lists
    are tuples), judged by the rooms that use them. layout: (x, y) in canvas pixels by node id.
    specialised: of an imported model, what was decided by the values of one sample, in sentences.
    extra: keys of the file this version does not know, kept as they are.
    notices: (place, message) of what was kept but not understood. revision: sha256 of the bytes
    read, "" for a project that was never a file. Neither takes part in `==`.
    """

    name: str = ""
    about: str = ""
    graph: Graph = field(default_factory=Graph)
    data: Mapping[str, Any] = field(default_factory=_empty)
    training: Mapping[str, Any] = field(default_factory=_empty)
    notes: tuple[Any, ...] = ()
    layout: Mapping[str, tuple[float, float]] = field(default_factory=_empty)
    specialised: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=_empty)
    notices: Notices = field(default=(), compare=False)
    revision: str = field(default="", compare=False)
