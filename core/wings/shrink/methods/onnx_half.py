"""ONNX in half precision."""

from typing import TYPE_CHECKING

from core.wings.shrink.methods.onnx_int8 import TO_ONNX, exported
from core.wings.shrink.way import ReportStep, SmallerNetwork, TryOptions, Way

if TYPE_CHECKING:
    from core.export.subject import Subject


def make(subject: "Subject", options: TryOptions, on_step: ReportStep) -> SmallerNetwork:
    """Keep weights and values in float16. Raises ShrinkError for what cannot be."""
    from core.export.onnx_low_precision import make_half
    from core.wings.shrink.drawings import loading_lines

    made = exported(subject, make_half)
    return SmallerNetwork(
        made.run or subject.module, loading_lines(subject) + LINES, made.content, notes=made.notes
    )


LINES = (
    TO_ONNX
    + """
import onnx
from onnxruntime.transformers.float16 import convert_float_to_float16

model = convert_float_to_float16(onnx.load("network.onnx"), keep_io_types=True)
onnx.save(model, "smaller.onnx")"""
)
WAY = Way(
    "onnx-half",
    "ONNX, half precision",
    "Weights and values as 16-bit numbers: half the size and nearly the same predictions. Faster "
    "on GPUs, but not on CPUs.",
    make,
    ending=".onnx",
)
