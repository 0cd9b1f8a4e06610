"""Evaluate a module without side effects: eval mode, no gradients, random state restored."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def quiet(module: nn.Module) -> Iterator[nn.Module]:
    """Run `module` in evaluation mode; training flags and the random state come back after."""
    flags = {m: m.training for m in module.modules()}
    state = torch.get_rng_state()
    module.eval()
    try:
        with torch.no_grad():
            yield module
    finally:
        torch.set_rng_state(state)
        for part, training in flags.items():
            part.training = training


def first_tensor(value: object) -> torch.Tensor:
    """The first tensor of a nested value. Raises TypeError where there is none."""
    while isinstance(value, (tuple, list)) and value:
        value = value[0]
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"needs a tensor but receives {type(value).__name__}")
    return value
