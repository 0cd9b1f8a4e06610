"""ONNX files of a few bytes whose results would take gigabytes, or a loop that takes minutes."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

Make = Callable[[Path], Path]


def network(nodes: Iterator[tuple[str, list[str], list[str], dict[str, object]]],
            constants: dict[str, list[int]], last: str) -> Make:  # fmt: skip
    """An ONNX file of nodes over an input x of (N, 4) and some integer constants."""

    def make(folder: Path) -> Path:
        import numpy as np
        from onnx import TensorProto, helper, numpy_helper, save

        made = [helper.make_node(op, given, out, **more) for op, given, out, more in nodes]
        held = [numpy_helper.from_array(np.array(v, np.int64), k) for k, v in constants.items()]
        graph = helper.make_graph(
            made, "main_graph",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 4])],
            [helper.make_tensor_value_info(last, TensorProto.FLOAT, [None, None])], held,
        )  # fmt: skip
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        save(model, folder / "net.onnx")
        return folder / "net.onnx"

    return make


def doubled(count: int, op: str = "Concat") -> Make:
    """A tensor that is joined to itself again and again."""
    more: dict[str, object] = {"axis": 1} if op == "Concat" else {}
    names = ["x", *(f"y{i}" for i in range(count))]
    return network(((op, [a, a], [b], more) for a, b in pairwise(names)), {}, names[-1])


def doubled_constant(folder: Path) -> Path:
    """A constant that is joined to itself, and added to the input in the end."""
    names = ["c", *(f"y{i}" for i in range(34))]
    joined = [("Concat", [a, a], [b], {"axis": 0})
              for a, b in pairwise(names)]  # fmt: skip
    last = [("ReduceSum", [names[-1]], ["s"], {"keepdims": 0}),
            ("Cast", ["s"], ["f"], {"to": 1}), ("Add", ["x", "f"], ["out"], {})]  # fmt: skip
    return network(iter([*joined, *last]), {"c": [1, 2]}, "out")(folder)


def expanded(op: str, sizes: list[int]) -> Make:
    """A tensor that one node makes far larger."""
    return network(iter([(op, ["x", "sizes"], ["out"], {})]), {"sizes": sizes}, "out")


def filled(folder: Path) -> Path:
    """A constant of 2^40 values."""
    return network(
        iter([("ConstantOfShape", ["sizes"], ["c"], {}), ("Add", ["x", "c"], ["out"], {})]),
        {"sizes": [1 << 20, 1 << 20]}, "out",
    )(folder)  # fmt: skip


def looped(folder: Path) -> Path:
    """A constant that a loop of 10^9 turns makes."""
    from onnx import TensorProto, helper

    number, flag = TensorProto.INT64, TensorProto.BOOL
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Add", ["a", "a"], ["b"])],
        "body",
        [helper.make_tensor_value_info("i", number, []),
         helper.make_tensor_value_info("go", flag, []),
         helper.make_tensor_value_info("a", number, [])],
        [helper.make_tensor_value_info("on", flag, []),
         helper.make_tensor_value_info("b", number, [])],
    )  # fmt: skip
    return network(
        iter([("Loop", ["turns", "", "a0"], ["r"], {"body": body}),
              ("Cast", ["r"], ["f"], {"to": 1}), ("Add", ["x", "f"], ["out"], {})]),
        {"turns": 10**9, "a0": 1}, "out",  # type: ignore[dict-item]
    )(folder)  # fmt: skip
