"""Parameters and mult-adds of one module, by torchinfo 1.8.0's definitions.

Output sizes come from a run, never from arithmetic of our own. torchinfo counts per leaf module
(one without children) and call: for a convolution weight and bias times the batch and the output
positions; for other `weight` and `bias` times the batch; for weights with longer names, as in
recurrent modules, times the first two output dimensions. Functional operations count 0, and so
does what a compound module computes outside its leaves (the attention product).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import Any

import torch
from torch import nn


@dataclass(frozen=True)
class Costs:
    """Counts of one module. `mult_adds` is for the batch that the output shape shows."""

    params: int = 0
    trainable_params: int = 0
    mult_adds: int = 0


@dataclass(frozen=True)
class Call:
    """One call of a leaf module: its name inside the watched module and its output's shape."""

    name: str
    module: nn.Module
    output_shape: tuple[int, ...]


def costs(
    module: nn.Module | None, output_shape: Sequence[int] = (), calls: Iterable[Call] = ()
) -> Costs:
    """Count one module. `module` None stands for a functional operation and counts 0.

    `output_shape` is that of the first output, batch included. A module with children needs the
    `calls` that `watch` collected while it ran; torchinfo counts mult-adds for leaves only.
    """
    if module is None:
        return Costs()
    sizes = [(_size(module, name, p), p.requires_grad) for name, p in module.named_parameters()]
    if is_leaf(module):
        mult_adds = leaf_mult_adds(module, output_shape)
    else:
        mult_adds = sum(leaf_mult_adds(call.module, call.output_shape) for call in calls)
    return Costs(
        params=sum(size for size, _ in sizes),
        trainable_params=sum(size for size, trains in sizes if trains),
        mult_adds=mult_adds,
    )


@contextmanager
def watch(module: nn.Module) -> Iterator[list[Call]]:
    """Collect the calls of the leaf modules inside `module` while the block runs."""
    calls: list[Call] = []

    def note(name: str, leaf: nn.Module) -> Any:
        def hook(_module: nn.Module, _args: Any, output: Any) -> None:
            calls.append(Call(name, leaf, first_shape(output)))

        return leaf.register_forward_hook(hook)

    handles = [note(name, leaf) for name, leaf in module.named_modules() if is_leaf(leaf)]
    try:
        yield calls
    finally:
        for handle in handles:
            handle.remove()


def is_leaf(module: nn.Module) -> bool:
    """Whether torchinfo counts this module itself: it has no children."""
    return next(module.children(), None) is None


def first_shape(output: Any) -> tuple[int, ...]:
    """Shape of the first tensor of a nested output; () where there is none."""
    while isinstance(output, (tuple, list)) and output:
        output = output[0]
    return tuple(output.shape) if isinstance(output, torch.Tensor) else ()


def leaf_mult_adds(module: nn.Module, output_shape: Sequence[int]) -> int:
    """Mult-adds of one call of a leaf module, for the whole batch."""
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
