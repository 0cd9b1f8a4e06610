"""The autograd graph of a sample's training step, as `layerloom look` has it."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from core.common.network_ref import NetworkRef
from core.insight.look.view import LookRequest, LookResult, View

if TYPE_CHECKING:
    from core.insight.one_sample.autograd_graph import AutogradGraph, GraphNode


def autograd(ref: NetworkRef, request: LookRequest) -> LookResult:
    """Nodes in the order of the backward pass, their edges, and what each keeps until then.

    block: only the nodes that this block made, or what is inside it; edges keep their numbers.
    Raises NoSuch for a block without nodes.
    """
    from core.insight.attribution.subject import NoSuch
    from core.insight.network_cache import objective, opened
    from core.insight.one_sample.gradients import backward
    from core.insight.one_sample.sample import choose

    chosen = choose(ref, {"part": "validation", "index": request.sample})
    graph = backward(opened(ref), chosen.inputs, chosen.targets, objective(ref)).graph
    shown = [n for n, node in enumerate(graph.nodes) if _within(node.block, request.block)]
    if not shown:
        names = ", ".join(dict.fromkeys(node.block for node in graph.nodes if node.block))
        raise NoSuch(
            f"{request.block} has no node in the autograd graph.", f"Blocks with nodes: {names}."
        )
    nodes = [{"node": n, **asdict(graph.nodes[n])} for n in shown]
    edges = [list(edge) for edge in graph.edges if edge[0] in shown or edge[1] in shown]
    document = {"nodes": nodes, "edges": edges, "kept_for_backward_bytes": graph.bytes}
    head = f"{len(graph.nodes)} nodes keep {graph.bytes:,} B for the backward pass."
    return LookResult(document, (head, *(_line(graph, n) for n in shown)))


def _within(path: str, block: str) -> bool:
    return not block or path == block or path.startswith(f"{block}.")


def _line(graph: "AutogradGraph", number: int) -> str:
    node = graph.nodes[number]
    after = ", ".join(str(to) for begin, to in graph.edges if begin == number)
    words = [f"{number} {node.name}", f"of {node.block or 'the loss'}", _held(node)]
    return ", ".join(filter(None, words)) + (f" -> {after}" if after else "")


def _held(node: "GraphNode") -> str:
    if node.parameter:
        return f"{node.parameter} {node.shape}"
    return f"keeps {node.bytes:,} B" if node.bytes else ""


VIEWS = (
    View("autograd", "autograd graph of the loss and the tensors it saves", autograd, order=3),
)
