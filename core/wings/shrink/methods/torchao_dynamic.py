"""torchao: weights and values of Linears as 8-bit integers, values quantised at run time."""

from typing import TYPE_CHECKING

from core.wings.shrink.methods.torchao_weight_only import quantise
from core.wings.shrink.way import ReportStep, SmallerNetwork, TryOptions, Way

if TYPE_CHECKING:
    from core.export.subject import Subject


def make(subject: "Subject", options: TryOptions, on_step: ReportStep) -> SmallerNetwork:
    """Quantise weights, and values as they come. Raises ShrinkError."""
    from torchao.quantization import Int8DynamicActivationInt8WeightConfig

    return quantise(subject, Int8DynamicActivationInt8WeightConfig())


WAY = Way(
    "torchao-dynamic",
    "torchao, 8-bit dynamic",
    "Linears compute in 8-bit integers; values are quantised at run time. Small networks get "
    "slower, large ones faster with torch.compile.",
    make,
    ending=".pt",
    packages=("torchao",),
    usual=False,
)
