"""The registry of ONNX operations by name: those that are supported, and why others are not."""

from collections.abc import Callable
from typing import Any

from core.wings.importing.onnx.ops import (
    attention,
    elementwise,
    gather,
    layers,
    losses,
    math_functions,
    pool,
    recurrent,
    reduce,
    resize,
    scatter,
    shape,
)

OPERATIONS: dict[str, Callable[..., Any]] = {
    **elementwise.OPERATIONS,
    **attention.OPERATIONS,
    **math_functions.OPERATIONS,
    **layers.OPERATIONS,
    **losses.OPERATIONS,
    **gather.OPERATIONS,
    **pool.OPERATIONS,
    **recurrent.OPERATIONS,
    **reduce.OPERATIONS,
    **resize.OPERATIONS,
    **scatter.OPERATIONS,
    **shape.OPERATIONS,
}
"""Supported operations, each with its torch function."""
REASONS: dict[str, str] = {
    "Adagrad Adam Momentum Gradient":
        "is a step of training, which Layerloom does itself",
    "StringConcat StringNormalizer StringSplit RegexFullMatch TfIdfVectorizer":
        "works on strings, and a network on numbers",
    "SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert SequenceLength "
    "SequenceMap SplitToSequence ConcatFromSequence Optional OptionalGetElement "
    "OptionalHasElement": "works on lists or optional values, and wires carry tensors",
    "If Loop Scan": "branches or repeats depending on the data, and a drawing is the same for "
                    "all samples",
    "QuantizeLinear DequantizeLinear DynamicQuantizeLinear QLinearConv QLinearMatMul "
    "ConvInteger MatMulInteger":
        "computes with packed integers: import the model before quantisation",
    "BitCast BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor":
        "works on single bits, which no layer does",
    "DFT STFT MelWeightMatrix BlackmanWindow HammingWindow HannWindow":
        "prepares audio, for which there are no blocks: feed its result to the network",
    "ImageDecoder": "reads picture files, which is the task of the Data page",
    "Unique NonMaxSuppression": "returns a number of results that depends on the data",
    "FlexAttention LinearAttention CausalConvWithState TensorScatter SwiGLU":
        "is newer than what common exporters write, and has no block yet",
}  # fmt: skip
BY_OPERATION = {op: reason for ops, reason in REASONS.items() for op in ops.split()}


def reason_of(op: str) -> str:
    """Why an operation is unsupported."""
    domain = op.rpartition(".")[0]
    if domain == "ai.onnx.ml":
        return "is of classical machine learning (ai.onnx.ml), which has no layers"
    if domain == "ai.onnx.preview.training":
        return "is a step of training, which Layerloom does itself"
    return BY_OPERATION.get(op, "has no block")
