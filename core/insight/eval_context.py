"""Evaluate a module without side effects: eval mode, no gradients, random state restored."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import cast

import torch
from torch import nn

from core.common.json_types import is_array


@contextmanager
def quiet(module: nn.Module) -> Generator[nn.Module]:
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


@contextmanager
def own_random_state(seed: int | None = None) -> Generator[None]:
    """Draw random numbers on the processor without a trace: its state comes back after.

    seed: to start from, None for the state as it is.
    """
    state = torch.get_rng_state()
    if seed is not None:
        # torch.manual_seed would queue a call for CUDA each time, where there is none
        torch.default_generator.manual_seed(seed)
    try:
        yield
    finally:
        torch.set_rng_state(state)


def named_modules(module: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """All modules of a network with their paths, as torch lists them."""
    return cast(Iterator[tuple[str, nn.Module]], module.named_modules())


def first_tensor(value: object) -> torch.Tensor:
    """The first tensor of a nested value. Raises TypeError where there is none."""
    while is_array(value) and value:
        value = value[0]
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"needs a tensor but receives {type(value).__name__}")
    return value
