"""Random numbers of a step that is compiled: drawn before it, as a calculated step draws them.

A compiler draws in other ways or in another order. Taken out of what it compiles and made in the
order of the step, the draws are those of a calculated step to the bit, from torch's own state,
which checkpoints keep.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule, Node

EMPTY = ("empty", "new_empty", "empty_like", "empty_strided", "new_empty_strided")
SHAPED = ("rand", "randn", "randint", "randperm")
"""What draws by shape alone; with "_like", by that of a tensor."""


@dataclass(frozen=True)
class Draw:
    """Random numbers of a step. fill: draws a buffer like this one, from a generator or torch's."""

    buffer: Tensor
    fill: Callable[[Tensor, torch.Generator | None], Any]


def take_out_draws(graph: GraphModule) -> list[Draw]:
    """Make inputs of what a graph draws, behind those it has, in the order of its draws.

    Raises RuntimeError for draws that depend on what was calculated before.
    """
    draws: list[Draw] = []
    for node in _random_nodes(graph):
        like = node.meta["val"]
        if not isinstance(like, Tensor):
            raise RuntimeError(f"{node.target} draws random numbers within another calculation")
        buffer = torch.empty_strided(
            like.shape, like.stride(), dtype=like.dtype, device=like.device
        )
        fill = _fill(node)
        _make_input(graph, node, f"drawn_{len(draws)}")
        draws.append(Draw(buffer, fill))
    graph.graph.eliminate_dead_code(lambda node: not _is_empty(node))
    graph.recompile()
    return draws


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


def _fill(node: Node) -> Callable[[Tensor, torch.Generator | None], Any]:
    """What fills a buffer as a node would."""
    operation: Any = node.target
    name = operation.overloadpacket.__name__
    like = name.removesuffix("_like")
    given = node.args[1:] if name.endswith("_") or like != name else node.args
    values = [*given, *node.kwargs.values()]
    of_values = any(isinstance(value, Node) for value in values)
    first = node.args[0] if node.args else None
    if of_values or not (like in SHAPED or (name.endswith("_") and _is_empty(first))):
        raise RuntimeError(f"{name} draws random numbers that depend on earlier results")
    kwargs: dict[str, Any] = dict(node.kwargs)

    def called(generator: torch.Generator | None, *before: Tensor) -> Any:
        if generator is None:
            return operation(*before, *given, **kwargs)
        more = kwargs | {"generator": generator}
        return operation.overloadpacket(*before, *given, **more)  # the overload that takes one

    if name.endswith("_"):
        return lambda buffer, generator: called(generator, buffer)
    if like != name:
        return lambda buffer, generator: buffer.copy_(called(generator, buffer))
    return lambda buffer, generator: buffer.copy_(called(generator))


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
