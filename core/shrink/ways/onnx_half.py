"""ONNX in half precision."""

from typing import TYPE_CHECKING

from core.shrink.way import Asked, Shrunk, Tell, Way
from core.shrink.ways.onnx_int8 import TO_ONNX, exported

if TYPE_CHECKING:
    from core.export.subject import Subject


def make(subject: "Subject", asked: Asked, tell: Tell) -> Shrunk:
    """Keep weights and values in float16. Raises Refused for what cannot be."""
    from core.export.onnx_low_precision import make_half
    from core.shrink.drawings import begin

    made = exported(subject, make_half)
    return Shrunk(made.run or subject.module, begin(subject) + LINES, made.content,
                  notes=made.notes)  # fmt: skip


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
