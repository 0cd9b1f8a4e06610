"""How large the results of an ONNX file become, inferred before a node is run."""

from math import prod

import onnx
from onnx import ModelProto, ValueInfoProto, helper, shape_inference

from core.common.errors import ImportRefused

LARGEST = 2**26
"""Values that one result may have for one sample: 64 channels of 1024 x 1024."""
TOTAL = 8
"""How many results of that size there may be together; a run keeps them all."""
SMALL = 1024
"""Values of an initializer that may hold sizes, which inference needs to see."""


def check_results(model: ModelProto, place: str) -> int:
    """Refuse a file with a result of too many values; returns the most that one may have.

    Sizes that the file leaves open count as 1. What cannot be inferred is checked as it is run.
    Raises ImportRefused.
    """
    most = max([LARGEST, *(2 * prod(t.dims) for t in model.graph.initializer)])
    bare = _without_weights(model)
    for sizes_known in (False, True):
        infos = _inferred(bare, sizes_known)
        for info in infos:
            if (count := _values(info)) > most:
                maker = next((n for n in model.graph.node if info.name in n.output), None)
                name = f"{maker.op_type} {maker.name or info.name}" if maker else info.name
                raise ImportRefused(place, too_many(name, count, most))
        if (total := sum(map(_values, infos))) > TOTAL * most:
            message = f"has results of {total:,} values together, more than {TOTAL * most:,}."
            raise ImportRefused(place, message)
        if any(_values(i) > SMALL for i in infos if len(i.type.tensor_type.shape.dim) == 1):
            break  # its values would be kept one by one
    return most


def _inferred(bare: ModelProto, sizes_known: bool) -> list[ValueInfoProto]:
    """All results with their sizes. sizes_known: also those that other results hold as values."""
    try:
        found = shape_inference.infer_shapes(bare, data_prop=sizes_known)
    except (onnx.shape_inference.InferenceError, ValueError, RuntimeError):
        return []  # whatever is wrong with it is named where it is run
    return [*{i.name: i for i in (*found.graph.value_info, *found.graph.output)}.values()]


def too_many(name: str, count: int, most: int) -> str:
    """The sentence about a result that is too large."""
    many = f"{count:,}" if count < 10**15 else "countless"
    return f"has a node, {name}, whose result has {many} values, more than {most:,}."


def _values(info: ValueInfoProto) -> int:
    if not info.type.HasField("tensor_type"):
        return 0
    return prod(max(d.dim_value, 1) for d in info.type.tensor_type.shape.dim)


def _without_weights(model: ModelProto) -> ModelProto:
    """The file with its large initializers as inputs of their size, and outputs without any."""
    graph = onnx.GraphProto(name=model.graph.name or "graph")
    graph.node.extend(model.graph.node)
    graph.output.extend(onnx.ValueInfoProto(name=o.name) for o in model.graph.output)
    graph.input.extend(model.graph.input)
    named = {i.name for i in graph.input}
    for tensor in model.graph.initializer:
        if prod(tensor.dims) <= SMALL:
            graph.initializer.append(tensor)
        elif tensor.name not in named:
            graph.input.append(
                helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims))
            )
    bare = onnx.ModelProto(ir_version=model.ir_version, graph=graph)
    bare.opset_import.extend(model.opset_import)
    bare.functions.extend(model.functions)
    return bare
