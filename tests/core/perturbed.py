"""Weights that hide nothing: those of a new network are zeros and ones in places."""

import torch
from torch import nn

from core.export.parity import copy_module


def perturb(module: nn.Module, seed: int = 0) -> nn.Module:
    """A copy with noise on every weight and statistic: fresh zeros and ones hide mistakes."""
    moved = copy_module(module)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in moved.parameters():
            weight += 0.05 * torch.randn(weight.shape, generator=generator)
        for name, buffer in moved.named_buffers():
            if name.endswith("running_mean"):
                buffer += 0.1 * torch.randn(buffer.shape, generator=generator)
            elif name.endswith("running_var"):
                buffer *= 0.75 + 0.5 * torch.rand(buffer.shape, generator=generator)
    return moved
