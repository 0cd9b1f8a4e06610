"""Comparison of a file with its network: the inputs, and the tolerance for rounding.

A file with other outputs is refused, whatever its format.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.export.parity import BATCHES, Inputs, largest_difference, run_seeded, tensors
from core.export.result import ExportError

EXACT, HALF, EIGHT_BITS = 2e-4, 0.1, 0.5
"""What a format leaves out: the largest difference, as a share of the largest output."""
ROUNDING = 1e-5
"""The difference that an output near zero may have."""
LARGE = 10.0


class OutputsDiffer(ExportError):
    """A file whose outputs are not the network's."""


@dataclass(frozen=True)
class ComparisonInputs:
    """Inputs to compare on. description: with {} for the number of the sample. real: whether they
    are samples of the data, whose difference is reported."""

    description: str
    inputs: Inputs
    real: bool = True


def comparison_inputs(
    sample: Callable[[int], Inputs], batches: Sequence[int] = BATCHES, probes: bool = True
) -> list[ComparisonInputs]:
    """Batches of samples, and probes: negative and large values, and noise.

    Probes also reach a branch that no sample takes.
    """
    found = [ComparisonInputs(f"sample {{}} of {batch}", sample(batch)) for batch in batches]
    if not probes or not any(t.is_floating_point() for t in found[0].inputs):
        return found
    generator = torch.Generator().manual_seed(0)

    def noise(value: Tensor) -> Tensor:
        deviation = value.std(unbiased=False).clamp(min=0.1)
        return torch.randn(value.shape, generator=generator) * deviation

    changes: tuple[tuple[str, Callable[[Tensor], Tensor]], ...] = (
        ("the negative of sample {} of 2", lambda value: -value),
        (f"{LARGE:.0f} times sample {{}} of 2", lambda value: LARGE * value),
        ("normal random numbers ({} of 2)", noise),
    )
    base = sample(2)
    return found + [
        ComparisonInputs(words, tuple(f(t) if t.dtype == torch.float32 else t for t in base), False)
        for words, f in changes
    ]


def compare_outputs(
    module: Callable[..., Any],
    other: Callable[..., Any],
    sample: Callable[[int], Inputs],
    batches: Sequence[int] = BATCHES,
    tolerance: float = EXACT,
) -> float | None:
    """The largest difference over all batches of samples; None when no output is finite.

    tolerance: EXACT, HALF or EIGHT_BITS. Raises Differs for a larger difference, and ExportError
    for outputs of another number or shape.
    """
    compared = comparison_inputs(sample, batches, probes=tolerance == EXACT)
    return compare_outputs_on(module, other, compared, tolerance)


def compare_outputs_on(
    module: Callable[..., Any],
    other: Callable[..., Any],
    compared: Sequence[ComparisonInputs],
    tolerance: float = EXACT,
) -> float | None:
    """The same over inputs of `comparison_inputs`."""
    worst: float | None = None
    for batch in compared:
        with torch.no_grad():
            expected = run_seeded(module, batch.inputs)
            got = run_seeded(other, batch.inputs)
        largest_difference(expected, got)  # raises for other shapes
        pairs = zip(tensors(expected), tensors(got), strict=True)
        for index, (right, wrong) in enumerate(pairs):
            found = _difference(right, wrong, tolerance, f"output {index + 1}", batch.description)
            if found is not None and batch.real:
                worst = max(worst or 0.0, found)
    return worst


def _difference(
    right: Tensor, wrong: Tensor, tolerance: float, output: str, words: str
) -> float | None:
    """The largest difference of one output; None if no value is finite."""
    a, b = right.detach().double(), wrong.detach().double()
    finite = torch.isfinite(a)
    if not finite.any():
        return None if a.numel() else 0.0
    apart = torch.where(finite, (a - b).abs(), 0.0).nan_to_num(nan=torch.inf)
    limit = tolerance * a[finite].abs().max().item() + ROUNDING
    largest = apart.max().item()
    judged = right.is_floating_point() or tolerance == EXACT
    if largest > limit and judged:
        raise _differs(a, b, apart, (limit, output, words))
    return largest


def _differs(a: Tensor, b: Tensor, apart: Tensor, where: tuple[float, str, str]) -> OutputsDiffer:
    limit, output, words = where
    at = tuple(int(i) for i in torch.unravel_index(apart.argmax(), apart.shape))
    named = words.format(at[0] + 1 if at else 1)
    place = f"{output}{list(at[1:])}" if len(at) > 1 else output
    return OutputsDiffer(
        f"The file differs from the network: for {named} it gives {b[at].item():.4g} in {place} "
        f"where the network gives {a[at].item():.4g}: {apart[at].item():.3g} apart, and rounding "
        f"explains {limit:.1g}."
    )
