"""Constant folding: nodes that do not depend on the inputs, evaluated once by onnx's evaluator."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from onnx import GraphProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from core.export.onnx_draws import RANDOM
from core.wings.importing.onnx.expansion_limits import all_nodes
from core.wings.importing.onnx.reader import Array, OnnxFile, OnnxNode, single_precision

REPEATED = frozenset({"Loop", "Scan"})
LARGEST = 2**28
"""Values that a calculated constant may have."""


def fold_constants(file: OnnxFile) -> OnnxFile:
    """Evaluate all nodes with constant inputs, and drop unused nodes."""
    constants = dict(file.constants)
    weights = set(file.weights)
    remaining: list[OnnxNode] = []
    for node in file.nodes:
        values = _calculated(node, constants)
        if values is None:
            remaining.append(node)
            continue
        constants |= values
        if any(name in weights for name in node.inputs):
            weights |= {n for n, a in values.items() if a.dtype.kind == "f"}
    return replace(
        file, nodes=used(remaining, file.outputs), constants=constants, weights=frozenset(weights)
    )


def _calculated(node: OnnxNode, constants: Mapping[str, Array]) -> dict[str, Array] | None:
    if node.op == "Constant":
        return {node.outputs[0]: _constant(node)}
    known = all(name in constants for name in node.inputs if name)
    if not known or node.op in RANDOM or not node.inputs or "." in node.op or _loops(node):
        return None
    if node.op == "ConstantOfShape" and np.prod(constants[node.inputs[0]], dtype=float) > LARGEST:
        raise node.refuse(f"makes more than {LARGEST} values.")
    try:
        return _evaluate(node, {n: constants[n] for n in node.inputs if n})
    except Exception:  # the evaluator raises whatever its operations raise; it then stays a node
        return None


def _loops(node: OnnxNode) -> bool:
    """Whether it repeats, or holds a node that does."""
    held = [value for value in node.attributes.values() if isinstance(value, GraphProto)]
    inner = (each.op_type for graph in held for each in all_nodes(graph.node))
    return any(op in REPEATED for op in (node.op, *inner))


def _constant(node: OnnxNode) -> Array:
    for name, value in node.attributes.items():
        if name == "value":
            return single_precision(value)
        if name in ("value_float", "value_floats"):
            return np.array(value, dtype=np.float32)
        if name in ("value_int", "value_ints"):
            return np.array(value, dtype=np.int64)
    raise node.refuse("has a constant that is not a tensor of numbers.")


def _evaluate(node: OnnxNode, inputs: Mapping[str, Array]) -> dict[str, Array]:
    attributes = {
        k: numpy_helper.from_array(v) if isinstance(v, np.ndarray) else v
        for k, v in node.attributes.items()
    }
    inner = helper.make_node(node.op, list(node.inputs), list(node.outputs))
    inner.attribute.extend(helper.make_attribute(k, v) for k, v in attributes.items())
    infos = [helper.make_tensor_value_info(n, 0, None) for n in inputs]
    outs = [helper.make_tensor_value_info(n, 0, None) for n in node.outputs if n]
    graph = helper.make_graph([inner], "constant", infos, outs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", node.opset)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's about values that are not finite
        results: Any = ReferenceEvaluator(model).run(None, dict(inputs))
    names = [n for n in node.outputs if n]
    if not all(isinstance(r, np.ndarray) or np.isscalar(r) for r in results):
        raise TypeError(node.op)
    return {n: single_precision(np.asarray(r)) for n, r in zip(names, results, strict=True)}


def used(nodes: list[OnnxNode], outputs: tuple[str, ...]) -> tuple[OnnxNode, ...]:
    """Only the nodes whose results are used."""
    needed, needed_nodes = set(outputs), list[OnnxNode]()
    for node in reversed(nodes):
        if needed.intersection(node.outputs):
            needed.update(node.inputs)
            needed_nodes.append(node)
    return tuple(reversed(needed_nodes))
