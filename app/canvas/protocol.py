"""The wire protocol: what the canvas sends, read as untrusted input; protocol.ts is its twin."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from app.canvas.custom_ports import without_ports
from core.graph import Graph
from core.project import ProjectError, graph_from_json

VERSION = 3
MAX_TEXT, MAX_VALUES, MAX_DEPTH = 20_000, 200_000, 12
MAX_INTEGER = 2**53
MAX_PIXELS = 1e6
MAX_REVISION = 10**9
CHOICES = frozenset({"theirs", "mine"})
ACTIONS = (
    frozenset({"train", "save", "code", "review", "data", "training", "remedy", "part", "merge"})
    | CHOICES
)

Json = dict[str, Any]
Layout = Mapping[str, tuple[float, float]]


class BadMessage(Exception):
    """A message that is not of the protocol; the text says why, for the log and the screen."""


@dataclass(frozen=True)
class Action:
    """Something asked for on the toolbar, acting on the drawing it came with."""

    id: str
    name: str
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Up:
    """One message of the canvas. graph: as JSON, not yet read; None asks only for `need`.

    notes: as JSON, not yet read; None from a page that knows none, which leaves them as they are.
    have: number of the annotations that the canvas holds, 0 for none.
    """

    doc: str
    client: str
    sid: str
    epoch: int
    rev: int
    sem_rev: int
    graph: Json | None
    layout: Json
    notes: list[Any] | None
    need: frozenset[str]
    action: Action | None
    have: int = 0


def read_up(value: Any) -> Up:
    """Read a message. Raises BadMessage."""
    if not isinstance(value, dict):
        raise BadMessage("The message is no object.")
    message = cast(Json, value)
    check_size(message)
    if message.get("v") != VERSION:
        raise BadMessage(f"The message has version {message.get('v')!r}; this is {VERSION}.")
    graph, need, notes = message.get("graph"), message.get("need"), message.get("notes")
    if graph is not None and not isinstance(graph, dict):
        raise BadMessage("The graph of the message is no object.")
    known = ("graph", "catalogue")
    return Up(
        doc=_text(message, "doc", 4000),
        client=_text(message, "client", 64),
        sid=_text(message, "sid", 64),
        epoch=_integer(message, "epoch"),
        rev=_integer(message, "rev"),
        sem_rev=_integer(message, "semRev"),
        graph=cast(Json | None, graph),
        layout=message["layout"] if isinstance(message.get("layout"), dict) else {},
        notes=cast(list[Any], notes) if isinstance(notes, list) else None,
        need=frozenset(n for n in known if isinstance(need, list) and n in need),
        action=_action(message.get("action")),
        have=_integer(message, "have") if "have" in message else 0,
    )


def read_graph(graph: Json) -> Graph:
    """Read the graph of a message. Raises BadMessage with the place in it."""
    try:
        return graph_from_json(without_ports(graph))
    except ProjectError as error:
        raise BadMessage(str(error)) from error


def read_layout(layout: Json, graph: Graph) -> Layout:
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


def _text(message: Json, key: str, longest: int) -> str:
    value = message.get(key)
    if not isinstance(value, str) or len(value) > longest:
        raise BadMessage(f"{key} needs a text of at most {longest} characters.")
    return value


def _integer(message: Json, key: str) -> int:
    value = message.get(key)
    if type(value) is not int or not 0 <= value <= MAX_REVISION:
        raise BadMessage(f"{key} needs a whole number from 0 to {MAX_REVISION}.")
    return value


def _action(value: Any) -> Action | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise BadMessage("The action is no object.")
    action = cast(Json, value)
    name, args = _text(action, "name", 40), action.get("args")
    if name not in ACTIONS:
        raise BadMessage(f"There is no action {name!r}.")
    return Action(_text(action, "id", 80), name, cast(Json, args) if isinstance(args, dict) else {})


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
