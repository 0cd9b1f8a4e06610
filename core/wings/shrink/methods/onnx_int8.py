"""ONNX in 8-bit integers by onnxruntime: static, with ranges of values from training samples."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.wings.shrink.way import ReportStep, ShrinkError, SmallerNetwork, TryOptions, Way

if TYPE_CHECKING:
    from core.export.result import ExportedFile
    from core.export.subject import Subject


def make(subject: "Subject", options: TryOptions, on_step: ReportStep) -> SmallerNetwork:
    """Quantise weights and values. Raises ShrinkError without data to take ranges from."""
    from core.export.onnx_low_precision import make_static
    from core.wings.shrink.drawings import loading_lines

    made = exported(subject, make_static)
    return SmallerNetwork(
        made.run or subject.module, loading_lines(subject) + LINES, made.content, notes=made.notes
    )


def exported(subject: "Subject", maker: "Callable[[Subject], ExportedFile]") -> "ExportedFile":
    """What an export of ours makes; its refusal as one of a way."""
    from core.export.result import ExportError

    try:
        return maker(subject)
    except ExportError as error:
        raise ShrinkError(error.message, error.hint) from error


TO_ONNX = """
samples = tuple(load_file("samples.safetensors").values())
batch = torch.export.Dim("batch")
torch.onnx.export(net, samples, "network.onnx", dynamo=True,
                  external_data=False,
                  dynamic_shapes=tuple({0: batch} for _ in samples))
"""
LINES = (
    TO_ONNX
    + """
from onnxruntime import InferenceSession
from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

class Reader:  # training samples for the ranges of values
    def __init__(self):
        names = [given.name for given in InferenceSession("network.onnx").get_inputs()]
        self.rows = iter([dict(zip(names, (part.numpy() for part in samples)))])
    def get_next(self):
        return next(self.rows, None)

quant_pre_process("network.onnx", "ready.onnx", skip_symbolic_shape=True)
quantize_static("ready.onnx", "smaller.onnx", Reader(), quant_format=QuantFormat.QDQ,
                per_channel=True, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)"""
)
WAY = Way(
    "onnx-int8",
    "ONNX, 8-bit",
    "Weights and values as 8-bit integers, with ranges from training samples: about a quarter of "
    "the size, in a file that runs everywhere.",
    make,
    ending=".onnx",
)
