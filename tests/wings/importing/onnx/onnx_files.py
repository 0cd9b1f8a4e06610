"""Small ONNX files, node by node."""

from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def model(nodes: list[Any], weights: dict[str, Any], shape: list[Any], rank: int = 0) -> bytes:
    """A file with the input x and the output y of so many dimensions, as many as x if 0."""
    infos = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
    sizes = [f"y{i}" for i in range(rank or len(shape))]
    outs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, sizes)]
    tensors = [numpy_helper.from_array(np.array(v), n) for n, v in weights.items()]
    graph = helper.make_graph(nodes, "Made", infos, outs, tensors)
    opsets = [helper.make_opsetid("", 18)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def random(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)
