"""Parameters and multiply-adds of one module.

Multiply-adds are those of torch's own counter, `torch.utils.flop_counter.FlopCounterMode`, on the
operations that truly ran: matrix products and convolutions, half of its flops. What it gives no
formula for counts 0: sums, activations, normalisation, lookups in an Embedding, and the products
of blocks with the trait "uncounted".

torchinfo 1.8.0 counts otherwise, which is kept beside it: per leaf module (one without children)
and call, for a convolution weight and bias times the batch and the output positions; for other
`weight` and `bias` times the batch, so a Linear on a sequence counts once; for weights with longer
names, as in recurrent modules, times the first two output dimensions. What is computed outside of
leaf modules, such as the products of attention, counts 0.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import Any

import torch
from torch import nn

from core.analyse.flop_counter import FlopCounterMode


@dataclass(frozen=True)
class Costs:
    """Counts of one module. `mult_adds` is for the batch that ran."""

    params: int = 0
    trainable_params: int = 0
    mult_adds: int = 0


def costs(module: nn.Module | None, mult_adds: int = 0) -> Costs:
    """Count one module. `module` None stands for a functional operation, which has no weights.

    mult_adds: what `counting` counted while it ran.
    """
    if module is None:
        return Costs(mult_adds=mult_adds)
    sizes = [(_size(module, name, p), p.requires_grad) for name, p in module.named_parameters()]
    return Costs(
        params=sum(size for size, _ in sizes),
        trainable_params=sum(size for size, trains in sizes if trains),
        mult_adds=mult_adds,
    )


@contextmanager
def counting() -> Iterator[FlopCounterMode]:
    """Count while the block runs: see `mult_adds_of`."""
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        yield counter


def mult_adds_of(counter: FlopCounterMode) -> int:
    """Multiply-adds counted so far; torch counts each as two operations."""
    return counter.get_total_flops() // 2


def is_leaf(module: nn.Module) -> bool:
    """Whether torchinfo counts this module itself: it has no children."""
    return next(module.children(), None) is None


def first_shape(output: Any) -> tuple[int, ...]:
    """Shape of the first tensor of a nested output; () where there is none."""
    while isinstance(output, (tuple, list)) and output:
        output = output[0]
    return tuple(output.shape) if isinstance(output, torch.Tensor) else ()


def torchinfo_mult_adds(module: nn.Module, output_shape: Sequence[int]) -> int:
    """What torchinfo 1.8.0 counts for one call of a leaf module, for the whole batch."""
    total = 0
    convolution = "Conv" in type(module).__name__
    for full_name, parameter in module.named_parameters():
        size = _size(module, full_name, parameter)
        name = full_name.removesuffix("_orig")
        if name in ("weight", "bias"):
            rest = prod(output_shape[2:]) if convolution else 1
            total += size * prod(output_shape[:1]) * rest
        elif "weight" in name or "bias" in name:
            total += size * prod(output_shape[:2])
    return total


def _size(module: nn.Module, name: str, parameter: nn.Parameter) -> int:
    """Elements of a parameter; of a pruned one, those its mask keeps."""
    if name.endswith("_orig"):
        mask = dict(module.named_buffers()).get(f"{name.removesuffix('_orig')}_mask")
        if mask is not None:
            return int(mask.sum())
    return parameter.nelement()
