"""ONNX with 8-bit weights by onnxruntime; values are quantised at run time."""

from typing import TYPE_CHECKING

from core.wings.shrink.methods.onnx_int8 import TO_ONNX, exported
from core.wings.shrink.way import ReportStep, SmallerNetwork, TryOptions, Way

if TYPE_CHECKING:
    from core.export.subject import Subject


def make(subject: "Subject", options: TryOptions, on_step: ReportStep) -> SmallerNetwork:
    """Quantise the weights. Raises ShrinkError for what onnxruntime cannot hold."""
    from core.export.onnx_low_precision import make_dynamic
    from core.wings.shrink.drawings import loading_lines

    made = exported(subject, make_dynamic)
    return SmallerNetwork(
        made.run or subject.module, loading_lines(subject) + LINES, made.content, notes=made.notes
    )


LINES = (
    TO_ONNX
    + """
from onnxruntime.quantization import QuantType, quantize_dynamic

quantize_dynamic("network.onnx", "smaller.onnx", weight_type=QuantType.QInt8)"""
)
WAY = Way(
    "onnx-int8-dynamic",
    "ONNX, 8-bit, dynamic",
    "Weights as 8-bit integers, values quantised at run time. Needs no samples, and suits "
    "attention and recurrent networks.",
    make,
    ending=".onnx",
)
