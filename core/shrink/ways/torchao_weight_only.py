"""torchao: weights as 8-bit integers, values as they are."""

import copy
import io
from typing import TYPE_CHECKING, Any

from core.shrink.way import Asked, Refused, Shrunk, Tell, Way

if TYPE_CHECKING:
    from torch import nn

    from core.export.subject import Subject


def make(subject: "Subject", asked: Asked, tell: Tell) -> Shrunk:
    """Quantise the weights of Linears. Raises Refused where there is none."""
    from torchao.quantization import Int8WeightOnlyConfig

    return quantised(subject, Int8WeightOnlyConfig())


def quantised(subject: "Subject", config: Any) -> Shrunk:
    """What torchao makes of a copy of the module. Raises Refused."""
    import torch
    from torch import nn
    from torchao.quantization import quantize_

    from core.shrink.drawings import begin

    linears = [part.weight for part in subject.module.modules() if isinstance(part, nn.Linear)]
    if not linears:
        raise Refused(
            "torchao quantises Linear blocks, and the network has none.", "Use ONNX, 8-bit."
        )
    module, buffer = copy.deepcopy(subject.module), io.BytesIO()
    try:
        quantize_(module, config)
        with torch.no_grad():
            module(*subject.sample(2))
    except (RuntimeError, NotImplementedError, TypeError, AssertionError) as error:
        first = str(error).strip().partition("\n")[0][:200]
        raise Refused(
            f"torchao cannot quantise this network: {first}", "Use ONNX, 8-bit."
        ) from error
    torch.save(module.state_dict(), buffer)
    name = type(config).__name__
    return Shrunk(module, begin(subject) + LINES.format(name=name), buffer.getvalue(),
                  notes=(reached(subject.module, sum(w.numel() for w in linears)),))  # fmt: skip


def reached(module: "nn.Module", linear: int) -> str:
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
