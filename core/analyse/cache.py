"""Cache of per-node analysis results, for nodes without a finding.

An edit makes new objects only where it changed something, so keys compare by identity.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from blocks import Signature
from core.analyse.frame import Frame
from core.analyse.report import NodeReport
from core.common.bounded_cache import BoundedCache
from core.graph import Node
from core.source.scope import Use, Value

Key = tuple[str | int, ...]


@dataclass(frozen=True)
class CachedVisit:
    """The result of visiting a node. about: the objects in its key, which the entry keeps alive."""

    dependencies_of: tuple[Any, ...]
    values: tuple[tuple[Value, Signature], ...]
    uses: tuple[Use, ...]
    nodes: Mapping[str, NodeReport]


_visits: BoundedCache[Key, CachedVisit] = BoundedCache(10_000)


@lru_cache(8192)
def interned(signature: Signature) -> Signature:
    """The one object for all equal signatures, so that they compare by identity."""
    return signature


def dependencies_of(frame: Frame, name: str, node: Node) -> tuple[Any, ...] | None:
    """All that a visit depends on; None while a source of the node has no value."""
    result: list[Any] = [
        frame.graph.nodes[name],
        node,
        frame.bound_inputs and frame.bound_inputs.get(name),
    ]
    for edge in frame.graph.into(name):
        signature = frame.values.get(Value(edge.source, edge.source_port))
        if signature is None:
            return None
        result += (edge, signature)
    return tuple(result)


def cache_key(frame: Frame, name: str, what: tuple[Any, ...]) -> Key:
    """The key of a visit: the path, the composite's settings, and the dependencies by identity."""
    return (frame.prefix + name, frame.env_text, *map(id, what))


def replay(frame: Frame, key: Key) -> bool:
    """Apply a cached visit to the frame. Returns whether there was one."""
    visit = _visits.get(key)
    if visit is None:
        return False
    frame.values.update(visit.values)
    frame.uses.extend(visit.uses)
    frame.findings.nodes.update(visit.nodes)
    return True


def store(frame: Frame, key: Key, what: tuple[Any, ...], name: str, uses: int) -> None:
    """Cache the visit of `name`. uses: the number of uses before it."""
    path = frame.path(name)
    report = frame.findings.nodes[path]
    if report.state != "ok":
        return
    mine = (Value(name, port) for port in report.outputs)
    values = tuple((value, frame.values[value]) for value in mine if value in frame.values)
    nodes = {child: frame.findings.nodes[child] for child in (*report.children, path)}
    _visits.put(key, CachedVisit(what, values, tuple(frame.uses[uses:]), nodes))
