"""A small ONNX file."""

from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def relu_net(path: Path, op: str = "Relu") -> Path:
    """A layer of four, and an operation behind it."""
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["N", 4]) for n in "xy"]
    nodes = [
        helper.make_node("Gemm", ["x", "fc.weight", "fc.bias"], ["h"], transB=1),
        helper.make_node(op, ["h"], ["y"], "act"),
    ]
    weights = {"fc.weight": np.eye(4, dtype=np.float32), "fc.bias": np.ones(4, np.float32)}
    tensors = [numpy_helper.from_array(v, n) for n, v in weights.items()]
    graph = helper.make_graph(nodes, "Small", infos[:1], infos[1:], tensors)
    opsets = [helper.make_opsetid("", 18)]
    path.write_bytes(helper.make_model(graph, opset_imports=opsets).SerializeToString())
    return path
