"""Custom blocks in messages: ports read from their Python are added, and removed on the way back.

The browser draws ports and settings by it and cannot read Python; whatever comes back from there
counts for nothing: it is read off the text anew.
"""

from dataclasses import replace
from typing import Any, cast

from blocks import Port
from blocks.catalogue import block_json
from core.graph.python import read

Json = dict[str, Any]

_KEYS = ("summary", "inputs", "outputs", "settings")
_OURS = ("read", "nodes", "edges")
"""Keys that a custom block has on the canvas only: it holds no blocks and no wires."""


def with_ports(graph: Json) -> Json:
    """The graph as the canvas needs it."""
    return _changed(graph, _read_off)


def without_ports(graph: Any) -> Any:
    """The graph as the file has it; what is no graph stays as it is, for the reader to refuse."""
    return _changed(graph, lambda _, part: {k: v for k, v in part.items() if k not in _OURS})


def _changed(graph: Any, change: Any) -> Any:
    parts = cast(Json, graph).get("composites") if isinstance(graph, dict) else None
    if not isinstance(parts, dict):
        return graph
    composites = cast(Json, parts).items()
    return cast(Json, graph) | {
        "composites": {n: change(n, p) if _custom(p) else p for n, p in composites}
    }


def _custom(part: Any) -> bool:
    return isinstance(part, dict) and "python" in part


def _read_off(name: str, part: Json) -> Json:
    block = read(name, "\n".join(part["python"]))[0]
    facts = block_json(replace(block, outputs=_one_port_each(block.outputs)))
    return part | {"nodes": {}, "edges": [], "read": {key: facts[key] for key in _KEYS}}


def _one_port_each(outputs: tuple[Port, ...]) -> tuple[Port, ...]:
    """A list output of known length as that many ports, so that none has to be added by hand."""
    return tuple(
        replace(port, name=f"{port.name}.{number}", kind="tensor") if port.count else port
        for port in outputs
        for number in range(port.count or 1)
    )
