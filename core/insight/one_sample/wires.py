"""Values of a node by port: torch's nested results under the names of the drawing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from core.analyse.report import NodeReport
from core.common.json_types import is_array
from core.graph import Graph


def parts(value: Any) -> Iterator[Any]:
    """All tensors and whole numbers of a nested value, in torch's order."""
    if is_array(value):
        for part in value:
            yield from parts(part)
    elif isinstance(value, torch.Tensor | int):
        yield value


def by_port(value: Any, node: NodeReport | None) -> Mapping[str, Any]:
    """A node's value by port; by number where the drawing names no or other ports."""
    found = list(parts(value))
    names = list(node.outputs) if node else []
    if len(names) != len(found):
        names = [str(number) for number in range(len(found))]
    return dict(zip(names, found, strict=True))


@dataclass(frozen=True)
class _Step:
    """A node on the way to a path. within: the path of the composite it stands in, with its dot;
    repetition: which of a repeated composite the way goes on in."""

    graph: Graph
    within: str
    name: str
    repetition: int = 0


def origin(graph: Graph, path: str, port: str) -> tuple[str, str]:
    """Where the value of a wire is made, as (path, port).

    An Input or Output inside a composite makes none: it passes on what is wired to it, outside or
    inside; the Input of a repetition, what the one before put out. All others make their own.
    """
    steps = _steps(graph, path)
    if len(steps) < 2:
        return path, port
    use, end = steps[-2:]
    block = end.graph.nodes[end.name].block
    if block == "Output":
        wires, within = end.graph.into(end.name), end.within
    elif block == "Input" and use.repetition:
        before = f"{use.within}{use.name}.{use.repetition - 1}"
        return before, end.graph.of_block("Output")[0]
    elif block == "Input":
        wires = [wire for wire in use.graph.into(use.name) if wire.target_port == end.name]
        within = use.within
    else:
        return path, port
    return origin(graph, within + wires[0].source, wires[0].source_port) if wires else (path, port)


def _steps(graph: Graph, path: str) -> list[_Step]:
    """The nodes on the way from the whole drawing to a path, the last one's own; [] for none."""
    names, within, here = path.split("."), "", graph
    found: list[_Step] = []
    while names:
        name = names.pop(0)
        if name not in here.nodes:
            return []
        node, repetition = here.nodes[name], 0
        if node.repeat > 1 and names and names[0].isdigit():
            repetition = int(names.pop(0))
        found.append(_Step(here, within, name, repetition))
        within += f"{name}.{repetition}." if node.repeat > 1 else f"{name}."
        composite = graph.composites.get(node.block)
        here = composite.graph if composite else Graph()
    return found
