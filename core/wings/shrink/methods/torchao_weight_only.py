"""torchao: weights as 8-bit integers, values as they are."""

import copy
import io
from typing import TYPE_CHECKING, Any

from core.wings.shrink.way import ReportStep, ShrinkError, SmallerNetwork, TryOptions, Way

if TYPE_CHECKING:
    from torch import nn

    from core.export.subject import Subject


def make(subject: "Subject", options: TryOptions, on_step: ReportStep) -> SmallerNetwork:
    """Quantise the weights of Linears. Raises ShrinkError where there is none."""
    from torchao.quantization import Int8WeightOnlyConfig

    return quantise(subject, Int8WeightOnlyConfig())


def quantise(subject: "Subject", config: Any) -> SmallerNetwork:
    """What torchao makes of a copy of the module. Raises ShrinkError."""
    import torch
    from torch import nn
    from torchao.quantization import quantize_

    from core.wings.shrink.drawings import loading_lines

    linears = [part.weight for part in subject.module.modules() if isinstance(part, nn.Linear)]
    if not linears:
        raise ShrinkError(
            "torchao quantises Linear blocks, and the network has none.", "Use ONNX, 8-bit."
        )
    module, buffer = copy.deepcopy(subject.module), io.BytesIO()
    try:
        quantize_(module, config)
        with torch.no_grad():
            module(*subject.sample(2))
    except (RuntimeError, NotImplementedError, TypeError, AssertionError) as error:
        first = str(error).strip().partition("\n")[0][:200]
        raise ShrinkError(
            f"torchao cannot quantise this network: {first}", "Use ONNX, 8-bit."
        ) from error
    torch.save(module.state_dict(), buffer)
    name = type(config).__name__
    return SmallerNetwork(
        module,
        loading_lines(subject) + LINES.format(name=name),
        buffer.getvalue(),
        notes=(size_note(subject.module, sum(w.numel() for w in linears)),),
    )


def size_note(module: "nn.Module", linear: int) -> str:
    """A note on the share of integer weights, and on the size of such a file."""
    import torch

    whole = io.BytesIO()
    torch.save(module.state_dict(), whole)
    share = linear / sum(weight.numel() for weight in module.parameters())
    return (
        f"Linears hold {share:.0%} of the weights; the others stay float32. The original network "
        f"has {whole.tell():,} bytes in a .pt file."
    )


LINES = """
from torchao.quantization import {name}, quantize_

quantize_(net, {name}())
torch.save(net.state_dict(), "smaller.pt")
# net.load_state_dict(torch.load("smaller.pt"), assign=True) loads it into the network"""
WAY = Way(
    "torchao-weights",
    "torchao, 8-bit weights",
    "The weights of every Linear as 8-bit integers, in PyTorch; values and convolutions stay "
    "float32.",
    make,
    ending=".pt",
    packages=("torchao",),
    usual=False,
)
