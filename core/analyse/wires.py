"""The wires into a node: which value each port receives, and the findings about wrong wires."""

from typing import Any

from blocks import CATALOGUE, Port
from blocks.spec import REQUIRED
from core.analyse import remedies, rewiring
from core.analyse.frame import Frame
from core.graph import Edge, Node
from core.graph.ports import has_port, input_ports, resolve, write_edge
from core.source.scope import Value

Wires = dict[str, Value | tuple[Value, ...]]


def incoming_wires(frame: Frame, node: str) -> tuple[Wires, list[str], bool]:
    """The values of each input port, the required ports left open, and whether all sources have
    values."""
    declared = input_ports(resolve(frame.graph.nodes[node], frame.graph.nodes), frame.composites)
    into = frame.graph.into(node)
    wires: Wires = {}
    missing: list[str] = []
    ready = True
    for port in declared:
        mine = [e for e in into if e.target_port.split(".")[0] == port.name]
        mine.sort(key=lambda e: int(e.target_port.partition(".")[2] or 0))
        sources = tuple(Value(e.source, e.source_port) for e in mine)
        ready = ready and all(s in frame.values for s in sources)
        if not sources:
            if not port.optional and not has_setting_instead(frame.graph.nodes[node], port):
                missing.append(f"{port.name}.0" if port.kind == "tensors" else port.name)
        elif port.kind == "sizes":
            wires |= {e.target_port: s for e, s in zip(mine, sources, strict=True)}
        else:
            wires[port.name] = sources if port.kind == "tensors" else sources[0]
    return wires, missing, ready


def has_setting_instead(node: Node, port: Port) -> bool:
    """Whether a setting of the same name replaces a port without a wire (add 1, not a tensor)."""
    setting = CATALOGUE[node.block].setting(port.name) if node.block in CATALOGUE else None
    return setting is not None and node.settings.get(setting.name, setting.default) not in (
        None,
        REQUIRED,
    )


def signatures(frame: Frame, wires: Wires) -> dict[str, Any]:
    """The signatures on the wires of a node, by port."""
    return {
        port: frame.values[wire]
        if isinstance(wire, Value)
        else tuple(frame.values[v] for v in wire)
        for port, wire in wires.items()
    }


def report_empty_wires(frame: Frame, node: str) -> bool:
    """Report wires from an output without a value, such as attention's weights if not requested."""
    any_empty = False
    for edge in frame.graph.into(node):
        source = frame.findings.nodes.get(frame.path(edge.source))
        if not source or source.state != "ok" or edge.source_port in source.outputs:
            continue
        any_empty = True
        if frame.graph.is_unused(edge.source):
            continue  # shape_prop reports it at its wires
        text = write_edge(edge, frame.graph.nodes, frame.composites)
        if source.block == "Output":
            _behind_output(frame, node, edge)
            continue
        frame.add(
            node,
            "no_value",
            f"{frame.path(node)} needs {edge.source_port!r} of {edge.source}, "
            "which has no such output with its current settings.",
            f"Connect another output ({', '.join(source.outputs)}), or change {edge.source} "
            "(MultiheadAttention gives attn_output_weights only with need_weights on).",
            (
                *rewiring.other_output(frame.full_graph(), edge, source.outputs),
                {"title": f"Remove {text}", "edits": [{"op": "disconnect", "edge": text}]},
            ),
        )
    return any_empty


def _behind_output(frame: Frame, node: str, edge: Edge) -> None:
    """Report a wire from an Output, which has no result."""
    graph = frame.full_graph()
    text = write_edge(edge, graph.nodes, graph.composites)
    offers = [
        remedies.offer(
            f"Connect {wire.source} to it instead",
            {"op": "connect", "edge": write_edge(new, graph.nodes, graph.composites)},
        )
        for wire in graph.into(edge.source)
        for new in [Edge(wire.source, wire.source_port, node, edge.target_port)]
        if wire.source != node
    ]
    frame.add(
        node,
        "no_value",
        f"{frame.path(node)} has a wire from {edge.source}, but an Output has no result.",
        "Connect it to the block before that Output.",
        (
            *(offer for offer in offers if remedies.is_applicable(graph, offer)),
            remedies.offer(f"Remove {text}", {"op": "disconnect", "edge": text}),
        ),
    )


def report_unknown_ports(frame: Frame, node: str) -> bool:
    """Report wires into ports that the block does not have. Returns whether there are any."""
    declared = input_ports(resolve(frame.graph.nodes[node], frame.graph.nodes), frame.composites)
    bad = [e for e in frame.graph.into(node) if not has_port(declared, e.target_port)]
    for edge in bad:
        text = write_edge(edge, frame.graph.nodes, frame.composites)
        names = ", ".join(p.name for p in declared) or "none"
        frame.add(
            node,
            "unknown_port",
            f"{frame.path(node)} has no input port {edge.target_port!r}.",
            f"Its input ports: {names}.",
            (
                *rewiring.other_port(frame.full_graph(), edge),
                {"title": f"Remove {text}", "edits": [{"op": "disconnect", "edge": text}]},
            ),
        )
    return bool(bad)
