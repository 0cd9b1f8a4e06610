"""Random numbers of an ONNX file, replaced by those that torch drew.

Two programs never draw the same numbers. For a comparison each random node becomes an input of a
copy of the file, and gets the numbers that torch drew in its place.
"""

from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

RANDOM = frozenset(
    "RandomNormal RandomUniform RandomNormalLike RandomUniformLike Bernoulli Multinomial".split()
)
"""Operations that draw."""
LIKE = {"RandomNormalLike": ("mean", "scale"), "RandomUniformLike": ("low", "high")}
"""Those that draw as torch does, into the shape of their input; attributes of where and how far."""
CAUGHT = (torch.randn_like, torch.rand_like)


class DrawRecorder(TorchFunctionMode):
    """Records the random tensors that torch draws while it is entered."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Tensor] = []

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if func in CAUGHT:
            self.found.append(result.clone())
        return result


def is_standard(op: str, attributes: dict[str, Any]) -> bool:
    """Whether a node draws from U(0, 1) or N(0, 1), as torch does."""
    first, second = LIKE[op]
    return (float(attributes.get(first, 0)), float(attributes.get(second, 1))) == (0.0, 1.0)


def without_draws(content: bytes) -> tuple[bytes, tuple[str, ...]]:
    """A copy of the file with inputs in place of random nodes, and their names in order.

    Raises ValueError if it draws what torch could not have drawn in its place.
    """
    import onnx
    from onnx import helper

    model = onnx.load_model_from_string(content)
    if not any(node.op_type in RANDOM for node in model.graph.node):
        return content, ()
    names: list[str] = []
    kept: list[Any] = []
    for node in model.graph.node:
        if node.op_type not in RANDOM:
            kept.append(node)
            continue
        given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        if node.op_type not in LIKE or not is_standard(node.op_type, given):
            raise ValueError(
                f"{node.op_type} draws random numbers that no other program can repeat"
            )
        names.append(node.output[0])
    infos = [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, None) for n in names]
    del model.graph.node[:]
    model.graph.node.extend(kept)
    model.graph.input.extend(infos)
    return model.SerializeToString(), tuple(names)
