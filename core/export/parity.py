"""The numerical difference between two implementations of the same network."""

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from core.export.result import ExportError

BATCHES = (1, 2, 5)
Inputs = tuple[Tensor, ...]


def tensors(value: Any) -> Iterator[Tensor]:
    """Walk the tensors of a nested output in order."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from tensors(part)


def largest_difference(expected: Any, got: Any) -> float:
    """The largest absolute difference between two nested outputs.

    Raises ExportError when they differ in number or shape. NaN where either is not finite.
    """
    left, right = list(tensors(expected)), list(tensors(got))
    if [t.shape for t in left] != [t.shape for t in right]:
        raise ExportError(
            f"The exported network needs to give {_shapes(left)} but gives {_shapes(right)}.",
            "Export another format and report this one.",
        )
    largest = 0.0
    for a, b in zip(left, right, strict=True):
        if not (torch.isfinite(a).all() and torch.isfinite(b).all()):
            return math.nan
        if a.numel():
            largest = max(largest, (a.double() - b.double()).abs().max().item())
    return largest


def compare(
    module: Callable[..., Any],
    other: Callable[..., Any],
    sample: Callable[[int], Inputs],
    batches: Sequence[int] = BATCHES,
) -> float | None:
    """Largest difference over batches of 1, 2 and 5; None when outputs are not finite."""
    worst = 0.0
    for batch in batches:
        inputs = sample(batch)
        with torch.no_grad():
            expected = run_seeded(module, inputs)
            got = run_seeded(other, inputs)
        difference = largest_difference(expected, got)
        if math.isnan(difference):
            return None
        worst = max(worst, difference)
    return worst


def run_seeded(call: Callable[..., Any], inputs: Inputs, seed: int = 0) -> Any:
    """Outputs for copies of inputs, with the same random numbers each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return call(*(t.clone() for t in inputs))


DRAWS = "it draws random numbers in its forward pass; compared with the same random numbers"


def draws(module: nn.Module, sample: Callable[[int], Inputs]) -> bool:
    """Whether a module draws random numbers when it is used: its outputs follow the seed."""
    inputs = sample(2)
    with torch.no_grad():
        outputs = [list(tensors(run_seeded(module, inputs, seed))) for seed in (0, 1)]
    return any(bool(((a != b) & (a == a)).any()) for a, b in zip(*outputs, strict=True))


def refuse_draws(module: nn.Module, sample: Callable[[int], Inputs], what: str, hint: str) -> None:
    """Raise ExportError for a network that draws random numbers: `what` could not be compared."""
    if draws(module, sample):
        raise ExportError(
            f"The network draws random numbers in its forward pass, so {what} cannot be compared "
            "with it.",
            hint,
        )


def copy_module(module: nn.Module) -> nn.Module:
    """A copy. A tensor that a hook computes in each call, like the weight of the older weight_norm,
    is not a leaf and torch does not copy it: it is copied as a value."""
    for part in module.modules():
        for name, value in vars(part).items():
            if isinstance(value, Tensor) and not value.is_leaf:
                vars(part)[name] = value.detach()
    return copy.deepcopy(module)


def _shapes(tensors: Sequence[Tensor]) -> str:
    return ", ".join(str(tuple(t.shape)) for t in tensors) or "nothing"
