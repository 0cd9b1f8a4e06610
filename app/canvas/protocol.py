"""Messages of the canvas read as untrusted input; `app.canvas.messages` declares them."""

import math
from collections.abc import Mapping
from typing import Any, cast

from app.canvas.custom_ports import without_ports
from app.canvas.message_reader import BadMessage, read
from app.canvas.messages.workbench import VERSION, Action, Up
from core.graph import Graph
from core.project import ProjectError, graph_from_json

__all__ = [
    "CHOICES",
    "VERSION",
    "Action",
    "BadMessage",
    "Up",
    "check_size",
    "is_pixels",
    "pixels",
    "read_graph",
    "read_layout",
    "read_up",
]

MAX_TEXT, MAX_VALUES, MAX_DEPTH = 20_000, 200_000, 12
MAX_INTEGER = 2**53
MAX_PIXELS = 1e6
CHOICES = frozenset({"theirs", "mine"})

Json = dict[str, Any]
Layout = Mapping[str, tuple[float, float]]


def read_up(value: Any) -> Up:
    """Read a message. Raises BadMessage."""
    if not isinstance(value, dict):
        raise BadMessage("The message is not an object.")
    message = cast(Json, value)
    check_size(message)
    if message.get("v") != VERSION:
        raise BadMessage(f"The message has version {message.get('v')!r}; this is {VERSION}.")
    return read(Up, message)


def read_graph(graph: Mapping[str, Any]) -> Graph:
    """Read the graph of a message. Raises BadMessage with the place in it."""
    try:
        return graph_from_json(without_ports(graph))
    except ProjectError as error:
        raise BadMessage(str(error)) from error


def read_layout(layout: Mapping[str, Any], graph: Graph) -> Layout:
    """Places of the nodes of `graph`; whatever is no place of a node is left out.

    A node inside a composite is "Name.node", after those of the graph itself.
    """
    inner = (f"{name}.{n}" for name, part in graph.composites.items() for n in part.graph.nodes)
    return {
        name: (pixels(position[0]), pixels(position[1]))
        for name in (*graph.nodes, *inner)
        if isinstance(position := layout.get(name), list)
        and len(cast(list[Any], position)) == 2
        and all(is_pixels(value) for value in cast(list[Any], position))
    }


def is_pixels(value: Any) -> bool:
    """Whether a value can be a place on the canvas, in pixels."""
    return type(value) in (int, float) and abs(value) <= MAX_PIXELS


def pixels(value: float) -> float:
    """A place as the file writes it: whole where it is whole."""
    return int(value) if float(value).is_integer() else round(value, 2)


def check_size(message: Json) -> None:
    """Refuse what is too deep, too large or no number, before any of it is looked at.

    Raises BadMessage.
    """
    level: list[Any] = [message]
    count = 0
    for _ in range(MAX_DEPTH + 1):
        count += len(level)
        if count > MAX_VALUES:
            break
        below: list[Any] = []
        for value in level:
            if isinstance(value, str):
                if len(value) > MAX_TEXT:
                    raise BadMessage(f"A text has {len(value)} characters, {MAX_TEXT} at most.")
            elif isinstance(value, dict):
                below.extend(cast(Json, value))
                below.extend(cast(Json, value).values())
            elif isinstance(value, list):
                below.extend(cast(list[Any], value))
            else:
                _check_number(value)
        if not below:
            return
        level = below
    raise BadMessage("The message is too large or too deep.")


def _check_number(value: Any) -> None:
    if isinstance(value, int) and abs(value) > MAX_INTEGER:
        raise BadMessage("A whole number is too large.")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadMessage("A number is not finite.")
