"""Limits: graphs that are too large are refused before anything is unrolled or allocated."""

from collections.abc import Iterator, Mapping

from core.analyse import remedies
from core.analyse.frame import Frame
from core.graph import Composite, Graph

MAX_NODES = 20_000
"""Nodes after every composite and repetition is written out; torchvision's largest has 1,633."""
MAX_PARAMETER_BYTES = 2**40
"""Bytes of parameters: a TiB. What fits a given machine is judged when training starts."""


def check_node_count(frame: Frame) -> bool:
    """Refuse a graph that unrolls into too many nodes. Returns whether it may be analysed."""
    sizes = {
        name: unrolled_count(node.block, node.repeat, frame.composites, {})
        for name, node in frame.graph.nodes.items()
    }
    if sum(sizes.values()) <= MAX_NODES:
        return True
    name = max(sizes, key=lambda n: sizes[n])
    frame.add(
        name,
        "too_large",
        f"{name} unfolds into {sizes[name]:,} blocks, the network into {sum(sizes.values()):,}; "
        f"at most {MAX_NODES:,} are allowed.",
        "Lower repeat on this block or inside its composite.",
        (*_fewer_repeats(frame.graph, name, sum(sizes.values())), remedies.remove_node(name)),
    )
    return False


def _fewer_repeats(graph: Graph, name: str, total: int) -> Iterator[remedies.Offer]:
    """Offer to lower the largest repetition, here or at the first one inside its composite."""
    times, node = total / (0.9 * MAX_NODES), graph.nodes[name]
    while node.repeat <= times and node.block in graph.composites:
        inner = graph.composites[node.block].graph.nodes
        deeper = max(inner, key=lambda n: inner[n].repeat, default="")
        if not deeper or inner[deeper].repeat == 1:
            return
        fitting = max(int(inner[deeper].repeat / times), 1)
        edit = {"op": "repeat", "node": deeper, "times": fitting, "composite": node.block}
        yield remedies.offer(f"Set repeat of {deeper} in {node.block} to {fitting}", edit)
        return
    if node.repeat > 1:
        yield remedies.set_repeat(name, max(int(node.repeat / times), 1))


def unrolled_count(
    block: str, repeat: int, composites: Mapping[str, Composite], known: dict[str, int]
) -> int:
    """The number of nodes that one use unrolls into."""
    if block not in composites:
        return repeat
    if block not in known:
        known[block] = 0  # a composite inside itself is refused on opening
        inner: Graph = composites[block].graph
        known[block] = 1 + sum(
            unrolled_count(n.block, n.repeat, composites, known) for n in inner.nodes.values()
        )
    return repeat * known[block]


def check_parameter_memory(frame: Frame) -> None:
    """Report nodes whose parameters no machine can hold."""
    for name in frame.graph.nodes:
        report = frame.findings.nodes.get(frame.path(name))
        weight = 4 * report.params if report else 0
        if report and weight > MAX_PARAMETER_BYTES:
            frame.add(
                name,
                "too_large",
                f"{name} has {report.params:,} parameters, {weight / 2**40:,.1f} TiB of memory; "
                "at most 1 TiB is allowed.",
                "Make its sizes smaller.",
                tuple(remedies.smaller(frame.full_graph(), name, weight / MAX_PARAMETER_BYTES))
                or (remedies.remove_node(name),),
            )
            frame.set_state(name, "error", settings=report.settings, inputs=report.inputs)
