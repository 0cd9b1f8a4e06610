"""A use of a composite: its graph is walked once per repetition, with its inputs bound."""

from collections.abc import Mapping
from typing import Any

from blocks import Problem, Signature
from core.analyse import remedies
from core.analyse.in_place import in_place
from core.analyse.report import NodeReport
from core.analyse.sharing import shared
from core.analyse.walk import Frame, Wires, signatures, walk
from core.graph import Node
from core.graph.ports import output_ports
from core.source.scope import Scope, Use, Value

Wired = Mapping[str, Any]


def visit_composite(
    frame: Frame, name: str, node: Node, chosen: dict[str, Any], wires: Wires
) -> None:
    """Walk a composite's graph for one use. An error inside stops what depends on the use."""
    start, path = signatures(frame, wires), frame.path(name)
    ports = [port.name for port in output_ports(node, frame.composites)]
    if not ports or (node.repeat > 1 and not (start and len(ports) == 1)):
        _refuse(frame, name, node, bool(ports))
        _group(frame, path, node, chosen, start, {}, [], "error")
        return
    scopes, children, outputs = _rounds(frame, name, node, chosen, start)
    if outputs is None:
        _group(frame, path, node, chosen, start, {}, children, "error")
        return
    for port, signature in outputs.items():
        frame.values[Value(name, port)] = signature
    owner = frame.graph.nodes[name].weights_of or name
    settings, raw = (chosen,) * node.repeat, node.settings
    frame.uses.append(
        Use(name, node.block, None, settings, wires, outputs, owner, scopes, path, raw)
    )
    _group(frame, path, node, chosen, start, outputs, children, "ok", owner == name)


def _refuse(frame: Frame, name: str, node: Node, ends: bool) -> None:
    """Report a composite that cannot be used so. ends: whether it has an Output."""
    if ends:
        owner = remedies.owner_of(frame.graph, name)
        frame.report(name, [cannot_repeat(node.block)], offers=(remedies.once(owner),))
        return
    offers = tuple(remedies.composite_output(frame.drawn(), name, node.block))
    frame.report(name, [_no_output(node.block)], offers=offers)


def _rounds(
    frame: Frame, name: str, node: Node, chosen: Wired, start: Wired
) -> tuple[tuple[Scope, ...], list[str], dict[str, Signature] | None]:
    """Walk every repetition: scopes, paths inside, and outputs; None for those after an error."""
    path, before = frame.path(name), len(frame.found.errors)
    ports = len(output_ports(node, frame.composites))
    scopes: list[Scope] = []
    children: list[str] = []
    inputs, outputs = start, dict[str, Signature]()
    for index in range(node.repeat):
        prefix = f"{path}." if node.repeat == 1 else f"{path}.{index}."
        scope, outputs, inside = _round(frame, node, chosen, inputs, prefix)
        scopes.append(scope)
        children += inside
        if len(frame.found.errors) > before or len(outputs) < ports:
            return tuple(scopes), children, None
        inputs = {**inputs, **dict(zip(inputs, outputs.values(), strict=False))}
    return tuple(scopes), children, outputs


def _round(
    frame: Frame, node: Node, chosen: Wired, inputs: Wired, prefix: str
) -> tuple[Scope, dict[str, Signature], list[str]]:
    graph = frame.composites[node.block].graph
    inner = Frame(graph, frame.composites, frame.found, inputs, chosen, prefix, node.block)
    scope = walk(inner)
    shared(inner, scope)
    in_place(inner, scope)
    outputs = {name: inner.values[v] for name, v in scope.results if v in inner.values}
    children = [f"{prefix}{name}" for name in graph.nodes]
    if node.repeat == 1:
        return scope, outputs, children
    path = prefix.rstrip(".")
    _group(frame, path, node, chosen, inputs, outputs, children, "ok")
    return scope, outputs, [path]


def _group(
    frame: Frame, path: str, node: Node, settings: Wired, inputs: Wired,
    outputs: Mapping[str, Signature], children: list[str], state: Any, own: bool = True,
) -> None:  # fmt: skip
    parts = [frame.found.nodes[c] for c in children if c in frame.found.nodes]
    frame.found.nodes[path] = NodeReport(
        path, node.block, state, settings, (), inputs, outputs,
        sum(p.params for p in parts) * own,
        sum(p.trainable_params for p in parts) * own,
        sum(p.mult_adds for p in parts),
        sum(p.activation_bytes for p in parts if p.block not in ("Input", "Output")),
        1 + path.count("."), "", tuple(children),
    )  # fmt: skip


def cannot_repeat(block: str) -> Problem:
    """Say that only what has one output can follow itself, with it in the place of its input."""
    return Problem(
        "bad_repeat",
        f"is repeated, but {block} is not a layer with an input and exactly one output.",
        "Set repeat to 1, or wrap it in a composite with one Output. Its first Input is then what "
        "goes through all copies; every copy receives the same at the others.",
    )


def _no_output(block: str) -> Problem:
    return Problem(
        "no_output",
        f"uses the composite {block}, which has no Output.",
        f"Add an Output inside {block}.",
    )
