"""Shape arithmetic of an ONNX file (nodes behind Shape), on symbolic sizes.

Object arrays hold plain integers and symbolic sizes side by side.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from core.wings.importing.onnx.reader import Array, OnnxNode


def objects(found: Any) -> Array:
    """An integer array with dtype object, so that sizes stay symbolic."""
    if isinstance(found, np.ndarray) and found.dtype != object:
        found = found.tolist()
    made = np.empty(np.shape(found), dtype=object)
    if made.ndim == 0:
        made[()] = found.item() if isinstance(found, np.ndarray) else found
        return made
    made[...] = found
    return made


def ints(found: Array) -> list[Any]:
    """The integers of an array in order; sizes stay symbolic."""
    return [n if isinstance(n, int) else int(n) for n in np.asarray(found).reshape(-1).tolist()]


def calculate(node: OnnxNode, given: list[Any]) -> Array | None:
    """Evaluate a node on sizes; None for an operation that is not one of sizes."""
    known = CALCULATIONS.get(node.op)
    if known is None:
        return None
    found = known(node, *(None if g is None else objects(g) for g in given))
    return objects(found)


def _axes(node: OnnxNode, given: Any) -> tuple[int, ...] | None:
    axes = node.attributes.get("axes") if given is None else ints(given)
    return None if axes is None else tuple(int(a) for a in axes)


def _gather(node: OnnxNode, data: Array, index: Array) -> Array:
    places = np.array(ints(index), dtype=int).reshape(index.shape)
    return objects(np.take(data, places, axis=node.attributes.get("axis", 0)))


def _concat(node: OnnxNode, *parts: Array) -> Array:
    return np.concatenate(parts, axis=node.attributes["axis"])


def _slice(node: OnnxNode, data: Array, *given: Any) -> Array:
    starts, ends, axes, steps = slice_arguments(node, given, data.ndim)
    index: list[Any] = [slice(None)] * data.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        index[axis] = slice(int(start), int(end) if abs(int(end)) < 2**31 else None, int(step))
    return data[tuple(index)]


def slice_arguments(node: OnnxNode, given: Any, rank: int) -> tuple[list[Any], ...]:
    """Starts, ends, axes and steps of a Slice, from inputs or (in old opsets) attributes."""
    values = [None if g is None else ints(g) for g in given]
    values += [None] * (4 - len(values))
    names = ("starts", "ends", "axes", "steps")
    starts, ends, axes, steps = (
        node.attributes.get(n) if v is None else v for n, v in zip(names, values, strict=True)
    )
    assert starts is not None
    assert ends is not None
    axes = [int(a) % rank for a in (range(len(starts)) if axes is None else axes)]
    return list(starts), list(ends), axes, list(steps or [1] * len(starts))


def _squeeze(node: OnnxNode, data: Array, axes: Any = None) -> Array:
    return np.squeeze(data, axis=_axes(node, axes))


def _unsqueeze(node: OnnxNode, data: Array, axes: Any = None) -> Array:
    return np.expand_dims(data, _axes(node, axes) or ())


def _reshape(node: OnnxNode, data: Array, shape: Any = None) -> Array:
    sizes = node.attributes.get("shape") if shape is None else ints(shape)
    return data.reshape([int(s) for s in sizes or ()])


def _product(node: OnnxNode, data: Array, axes: Any = None) -> Array:
    found = math.prod(data.reshape(-1).tolist(), start=1)
    return objects([found] if node.attributes.get("keepdims", 1) else found)


def _each(function: Callable[..., Any]) -> Callable[..., Array]:
    def run(node: OnnxNode, *given: Array) -> Array:
        shape = np.broadcast_shapes(*(g.shape for g in given))
        lines = [np.broadcast_to(g, shape).reshape(-1).tolist() for g in given]
        found = [function(*values) for values in zip(*lines, strict=True)]
        made = np.empty(len(found), dtype=object)
        made[:] = found
        return made.reshape(shape)

    return run


def _quotient(a: Any, b: Any) -> Any:
    return a // b if isinstance(a, int) and isinstance(b, int) else a / b


def _cast(node: OnnxNode, data: Array) -> Array:
    if node.attributes.get("to") in (1, 10, 11):  # sizes scaled by a fraction leave the integers
        return data
    return _each(lambda n: n if isinstance(n, int) else int(n))(node, data)


CALCULATIONS: dict[str, Callable[..., Any]] = {
    "Gather": _gather,
    "Concat": _concat,
    "Slice": _slice,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
    "Reshape": _reshape,
    "ReduceProd": _product,
    "Cast": _cast,
    "Identity": lambda node, data: data,
    "Transpose": lambda node, data: np.transpose(data, node.attributes.get("perm")),
    "Abs": _each(abs),
    "Shape": lambda node, data: objects(list(data.shape)),
    "Add": _each(lambda a, b: a + b),
    "Sub": _each(lambda a, b: a - b),
    "Mul": _each(lambda a, b: a * b),
    "Div": _each(_quotient),
    "Mod": _each(lambda a, b: a % b),
    "Neg": _each(lambda a: -a),
    "Min": _each(min),
    "Max": _each(max),
    "Floor": _each(math.floor),
    "Ceil": _each(math.ceil),
    "Equal": _each(lambda a, b: a == b),
    "Less": _each(lambda a, b: a < b),
    "Greater": _each(lambda a, b: a > b),
    "Not": _each(lambda a: not a),
    "And": _each(lambda a, b: a and b),
    "Or": _each(lambda a, b: a or b),
    "Where": _each(lambda c, a, b: a if c else b),
    "Sqrt": _each(math.sqrt),
    "Size": lambda node, data: objects(data.size),
    "ConstantOfShape": lambda node, data: objects(
        np.full(ints(data), node.attributes.get("value", np.zeros(1, np.float32)).item())
    ),
    "Expand": lambda node, data, shape: objects(np.broadcast_to(data, ints(shape))),
    "Range": lambda node, a, b, c: objects(np.arange(*(int(v.item()) for v in (a, b, c)))),
}
"""Operations of sizes. Expand, Range and ConstantOfShape are here for fixed ones only."""
