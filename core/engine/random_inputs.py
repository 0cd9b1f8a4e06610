"""Random numbers of a step that is compiled: drawn before it, as a calculated step draws them.

A compiler draws in other ways or in another order. Taken out of what it compiles and made in the
order of the step, the draws are those of a calculated step to the bit, from torch's own state,
which checkpoints keep.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule, Node

EMPTY = ("empty", "new_empty", "empty_like", "empty_strided", "new_empty_strided")
SHAPED = ("rand", "randn", "randint", "randperm")
"""What draws by shape alone; with "_like", by that of a tensor."""


def take_out_draws(graph: GraphModule) -> tuple[list[Tensor], Callable[[], None]]:
    """Make inputs of what a graph draws, behind those it has; give them, and what draws them anew.

    Raises RuntimeError for draws that depend on what was calculated before.
    """
    buffers: list[Tensor] = []
    calls: list[Callable[[], Any]] = []
    for node in _random_nodes(graph):
        like = node.meta["val"]
        if not isinstance(like, Tensor):
            raise RuntimeError(f"{node.target} draws random numbers amid what it calculates")
        buffer = torch.empty_strided(
            like.shape, like.stride(), dtype=like.dtype, device=like.device
        )
        calls.append(_draw(node, buffer))
        _make_input(graph, node, f"drawn_{len(buffers)}")
        buffers.append(buffer)
    graph.graph.eliminate_dead_code(lambda node: not _is_empty(node))
    graph.recompile()

    def draw() -> None:
        for call in calls:
            call()

    return buffers, draw


def _random_nodes(graph: GraphModule) -> list[Node]:
    seeded = torch.Tag.nondeterministic_seeded
    nodes = [n for n in graph.graph.nodes if seeded in getattr(n.target, "tags", ())]
    return [node for node in nodes if _drops(node)]


def _drops(node: Node) -> bool:
    """False for attention that drops nothing, and so draws nothing."""
    operation: Any = node.target
    names = [argument.name for argument in operation._schema.arguments]
    given = dict(zip(names, node.args, strict=False)) | node.kwargs
    return "dropout_p" not in names or bool(given.get("dropout_p", 0.0))


def _draw(node: Node, buffer: Tensor) -> Callable[[], Any]:
    """What fills a buffer as a node would."""
    operation: Any = node.target
    name = operation.overloadpacket.__name__
    like = name.removesuffix("_like")
    given = node.args[1:] if name.endswith("_") or like != name else node.args
    values = [*given, *node.kwargs.values()]
    of_values = any(isinstance(value, Node) for value in values)
    first = node.args[0] if node.args else None
    if of_values or not (like in SHAPED or (name.endswith("_") and _is_empty(first))):
        raise RuntimeError(f"{name} draws by what was calculated before it")
    kwargs: dict[str, Any] = dict(node.kwargs)
    if name.endswith("_"):
        return lambda: operation(buffer, *given, **kwargs)
    own = (buffer, *given) if like != name else given
    return lambda: buffer.copy_(operation(*own, **kwargs))


def _is_empty(node: Any) -> bool:
    packet = getattr(getattr(node, "target", None), "overloadpacket", None)
    return packet is not None and packet.__name__ in EMPTY


def _make_input(graph: GraphModule, node: Node, name: str) -> None:
    """Let an input take the place of a node: a copy of it, as the step may go on in place."""
    last = [n for n in graph.graph.nodes if n.op == "placeholder"][-1]
    with graph.graph.inserting_after(last):
        made = graph.graph.placeholder(name)
    made.meta = dict(node.meta)
    with graph.graph.inserting_before(node):
        copied = graph.graph.call_function(torch.ops.aten.clone.default, (made,))
    copied.meta = dict(node.meta)
    node.replace_all_uses_with(copied)
    graph.graph.erase_node(node)
