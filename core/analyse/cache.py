"""What walks said of nodes without a finding, to be said again while nothing about them changed.

An edit makes new values only where it changed something, so identity tells what stayed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from blocks import Signature
from core.analyse.frame import Frame
from core.analyse.report import NodeReport
from core.graph import Node
from core.recent import Recent
from core.source.scope import Use, Value

Key = tuple[str | int, ...]


@dataclass(frozen=True)
class Said:
    """What the visit of one node came to. about: what its key names by identity, kept alive."""

    about: tuple[Any, ...]
    values: tuple[tuple[Value, Signature], ...]
    uses: tuple[Use, ...]
    nodes: Mapping[str, NodeReport]


_said: Recent[Key, Said] = Recent(10_000)


@lru_cache(8192)
def one_object(signature: Signature) -> Signature:
    """Return the one object for all equal signatures, so that identity tells what stayed."""
    return signature


def about(frame: Frame, name: str, node: Node) -> tuple[Any, ...] | None:
    """List all that decides what a visit says; None while something upstream has no value."""
    found: list[Any] = [frame.graph.nodes[name], node, frame.bound and frame.bound.get(name)]
    for edge in frame.graph.into(name):
        signature = frame.values.get(Value(edge.source, edge.source_port))
        if signature is None:
            return None
        found += (edge, signature)
    return tuple(found)


def key_of(frame: Frame, name: str, what: tuple[Any, ...]) -> Key:
    """Make the key of a visit: the path, the composite's settings, and `what` by identity."""
    return (frame.prefix + name, frame.env_text, *map(id, what))


def say_again(frame: Frame, key: Key) -> bool:
    """File what was said under `key` before. Returns whether there was anything."""
    said = _said.get(key)
    if said is None:
        return False
    frame.values.update(said.values)
    frame.uses.extend(said.uses)
    frame.found.nodes.update(said.nodes)
    return True


def remember(frame: Frame, key: Key, what: tuple[Any, ...], name: str, uses: int) -> None:
    """Keep what the visit of `name` said. uses: how many of them there were before it."""
    path = frame.path(name)
    report = frame.found.nodes[path]
    if report.state != "ok":
        return
    mine = (Value(name, port) for port in report.outputs)
    values = tuple((value, frame.values[value]) for value in mine if value in frame.values)
    nodes = {child: frame.found.nodes[child] for child in (*report.children, path)}
    _said.put(key, Said(what, values, tuple(frame.uses[uses:]), nodes))
