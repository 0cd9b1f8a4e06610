"""The autograd graph of one step: torch's nodes, how they hang together, and what each keeps.

Read from `grad_fn` on, before the backward pass frees what is saved.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from core.common.json_types import is_array
from core.insight.storages import storage_bytes, storage_key

LOSS = ""
"""The block of nodes that no block made: those of the loss."""
_NARROW = torch.ones((), dtype=torch.int8)
RAW, SAVED = "_raw_saved_", "_saved_"


@dataclass(frozen=True)
class Saved:
    """A tensor that a node keeps for the backward pass.

    name: torch's own, without `_saved_`. bytes: of its storage, 0 where an earlier node keeps the
    same one or it is a weight. weight: the name of that parameter, "" for none. same: the place of
    the node that keeps it already, -1 for none.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    weight: str = ""
    same: int = -1


@dataclass(frozen=True)
class GraphNode:
    """A node. name: torch's. block: the path of the innermost block that made it, LOSS for none.

    parameter, shape: of an AccumulateGrad, "" and () of all others. bytes: what it alone keeps.
    """

    name: str
    block: str
    parameter: str = ""
    shape: tuple[int, ...] = ()
    saved: tuple[Saved, ...] = ()
    bytes: int = 0


@dataclass(frozen=True)
class AutogradGraph:
    """Nodes in the order in which the backward pass comes to them, the loss first.

    edges: (from, to) as places of nodes, in torch's order; a gradient goes along each. bytes: kept
    in all.
    """

    nodes: tuple[GraphNode, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    bytes: int = 0


@dataclass
class _Storages:
    """Which node keeps a storage first, and which storages are weights."""

    weights: Mapping[int, str]
    first: dict[int, int] = field(default_factory=lambda: {})


def graph_of(
    roots: Sequence[object], owners: Mapping[Any, str], weights: Mapping[str, Tensor]
) -> AutogradGraph:
    """The graph behind some tensors. owners: block by node; weights: parameters by name."""
    begun = [root.grad_fn for root in roots if isinstance(root, Tensor) and root.grad_fn]
    nodes = _in_order(begun)
    positions = {node: number for number, node in enumerate(nodes)}
    storages = _Storages({storage_key(weight): name for name, weight in weights.items()})
    kept = {node: _saved(node, positions, storages) for node in reversed(nodes)}
    names = {id(weight): name for name, weight in weights.items()}
    listed = tuple(_as_node(node, owners.get(node, LOSS), kept[node], names) for node in nodes)
    edges = tuple(
        (positions[node], positions[after])
        for node in nodes
        for after, _ in node.next_functions
        if after
    )
    return AutogradGraph(listed, edges, sum(node.bytes for node in listed))


def _in_order(roots: Sequence[Any]) -> list[Any]:
    """All nodes behind some, as the engine runs them: what was made last first, and the gradient
    of a weight as soon as all that leads to it is there."""
    waiting, left = Counter[Any](), list(roots)
    found = dict.fromkeys(roots)
    while left:
        for after in _behind(left.pop()):
            waiting[after] += 1
            if after not in found:
                found[after] = None
                left.append(after)
    made = [node for node in found if not _is_leaf(node)]
    done: list[Any] = []
    for node in sorted(made, key=lambda node: -node._sequence_nr()):
        done.append(node)
        for after in _behind(node):
            waiting[after] -= 1
            if _is_leaf(after) and not waiting[after]:
                done.append(after)
    return done


def _behind(node: Any) -> list[Any]:
    return [after for after, _ in node.next_functions if after is not None]


def _is_leaf(node: Any) -> bool:
    return hasattr(node, "variable")


def _as_node(node: Any, block: str, saved: Sequence[Saved], names: Mapping[int, str]) -> GraphNode:
    kept = sum(each.bytes for each in saved)
    variable = getattr(node, "variable", None)
    if not isinstance(variable, Tensor):
        return GraphNode(type(node).__name__, block, saved=tuple(saved), bytes=kept)
    name = names.get(id(variable), "")
    return GraphNode(type(node).__name__, block, name, tuple(variable.shape))


def _saved(node: Any, positions: Mapping[Any, int], storages: _Storages) -> list[Saved]:
    found: list[Saved] = []
    for name, tensor in _kept_by(node):
        key = storage_key(tensor)
        weight = storages.weights.get(key, "")
        again = -1 if weight else storages.first.get(key, -1)
        size = 0 if weight or again >= 0 else storage_bytes(tensor)
        if not weight:
            storages.first.setdefault(key, positions[node])
        dtype = str(tensor.dtype).removeprefix("torch.")
        found.append(Saved(name, tuple(tensor.shape), dtype, size, weight, again))
    return found


def _kept_by(node: Any) -> Iterator[tuple[str, Tensor]]:
    """The saved tensors of a node by name, the parts of a list by number."""
    for attribute in dir(node):
        if attribute.startswith(RAW):
            name = attribute.removeprefix(RAW)
            yield from _named(name, getattr(node, SAVED + name))
    yield from _named("saved_tensors", getattr(node, "saved_tensors", None))  # of an own Function


def _named(name: str, value: Any) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Tensor) and not _is_number(value):
        yield name, value
    elif is_array(value):
        for number, part in enumerate(value):
            yield from _named(f"{name}[{number}]", part)


def _is_number(value: Tensor) -> bool:
    """Whether it stands for a number of Python's, `2 * x`: torch's hooks do not see such kept."""
    wide = value.dim() == 0 and value.dtype in (torch.float64, torch.int64)
    return wide and torch.result_type(value, _NARROW) != value.dtype
