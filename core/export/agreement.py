"""Comparison of a file with its network: the inputs, and the tolerance for rounding.

A file with other outputs is refused, whatever its format.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from core.export import eight_bits
from core.export.error_text import first_line
from core.export.parity import BATCHES, Inputs, largest_difference, run_seeded, tensors
from core.export.result import ExportError
from core.export.rounding import HALF_PRECISION, rounded

Run = Callable[..., Any]


@dataclass(frozen=True)
class FilePrecision:
    """How a format keeps values, and so how far its outputs may be from the network's.

    share: the largest difference, as a share of the largest output. rounding: the network itself
    with its values kept as in the file, by a seed (0 for rounding to the nearest): TIMES what that
    does to its outputs is allowed where it is more. None: share alone. most: a difference that is
    refused whatever rounding does, as a share of the largest output on any sample. probes: whether
    inputs beyond the samples are compared, too.
    """

    share: float
    rounding: Callable[[Run], Callable[[int], Run]] | None = None
    most: float = torch.inf
    probes: bool = True


def _in_half(module: Run) -> Callable[[int], Run]:
    return lambda seed: rounded(module, HALF_PRECISION, seed)


TIMES = 3.0
"""Two roundings differ from each other about as much as either does from the exact value, at worst
twice as much; the third unit is for runtimes that split an operation into several."""
NUMBERS = 16
"""So many numbers of an output show how far rounding moves it."""
EXACT = FilePrecision(2e-4)
HALF = FilePrecision(TIMES * HALF_PRECISION.unit, _in_half)
MOST_OF_8_BITS = 0.5
EIGHT_BITS = FilePrecision(
    TIMES * eight_bits.UNIT, eight_bits.dynamic, MOST_OF_8_BITS, probes=False
)
"""Weights in 8 bits, and values as they come."""
ROUNDING = 1e-5
"""The difference that an output near zero may have."""
LARGE = 10.0


def calibrated(samples: Inputs) -> FilePrecision:
    """Weights and values in 8 bits, between the borders that these samples give them."""
    return replace(EIGHT_BITS, rounding=lambda module: eight_bits.static(module, samples))


class OutputsDiffer(ExportError):
    """A file whose outputs are not the network's."""


class FileFails(ExportError):
    """A file that does not run where its network does; `__cause__` is the runtime's own error."""


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
    result = [ComparisonInputs(f"sample {{}} of {batch}", sample(batch)) for batch in batches]
    if not probes or not any(t.is_floating_point() for t in result[0].inputs):
        return result
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
    return result + [
        ComparisonInputs(words, tuple(f(t) if t.dtype == torch.float32 else t for t in base), False)
        for words, f in changes
    ]


def compare_outputs(
    module: Callable[..., Any],
    other: Callable[..., Any],
    sample: Callable[[int], Inputs],
    batches: Sequence[int] = BATCHES,
    precision: FilePrecision = EXACT,
) -> float | None:
    """The largest difference over all batches of samples; None when no output is finite.

    precision: EXACT, HALF, EIGHT_BITS or `calibrated`. Raises OutputsDiffer for a larger
    difference, and ExportError for outputs of another number or shape.
    """
    tried = comparison_inputs(sample, batches, probes=precision.probes)
    return compare_outputs_on(module, other, tried, precision)


def compare_outputs_on(
    module: Callable[..., Any],
    other: Callable[..., Any],
    tried: Sequence[ComparisonInputs],
    precision: FilePrecision = EXACT,
) -> float | None:
    """The same over inputs of `comparison_inputs`; `other` runs right after `module` on each."""
    worst: float | None = None
    with torch.no_grad():
        runs = [(run_seeded(module, t.inputs), _run_file(other, t)) for t in tried]
        limits = limits_of(module, tried, [list(tensors(each)) for each, _ in runs], precision)
    for trial, (expected, got), allowed in zip(tried, runs, limits, strict=True):
        _same_shapes(expected, got)
        pairs = zip(tensors(expected), tensors(got), allowed, strict=True)
        for index, (a, b, limit) in enumerate(pairs):
            found = _difference(a, b, (limit, f"output {index + 1}", trial.description))
            if found is not None and trial.real:
                worst = max(worst or 0.0, found)
    return worst


def _run_file(other: Callable[..., Any], trial: ComparisonInputs) -> Any:
    try:
        return run_seeded(other, trial.inputs)
    except ExportError:
        raise
    except Exception as error:  # each runtime has errors of its own
        words = trial.description.format(1)
        raise FileFails(f"The file cannot be run on {words}: {first_line(error)}") from error


def _same_shapes(expected: Any, got: Any) -> None:
    try:
        largest_difference(expected, got)
    except ExportError as error:
        raise OutputsDiffer(error.message, error.hint) from error


def limits_of(
    module: Callable[..., Any],
    tried: Sequence[ComparisonInputs],
    outputs: Sequence[Sequence[Tensor]],
    precision: FilePrecision,
) -> list[list[float]]:
    """By trial, the largest difference that each output may have."""
    moved = _moved(module, tried, outputs, precision.rounding)
    most = _most(tried, outputs, precision.most)
    limits: list[list[float]] = []
    for values, by in zip(outputs, moved, strict=True):
        row: list[float] = []
        for value, near, highest in zip(values, by, most, strict=True):
            if not value.is_floating_point() and precision != EXACT:
                row.append(torch.inf)  # a decision, which rounding may turn
            else:
                limit = max(precision.share * _largest(value), TIMES * near)
                row.append(min(limit, highest) + ROUNDING)
        limits.append(row)
    return limits


def _most(
    tried: Sequence[ComparisonInputs], outputs: Sequence[Sequence[Tensor]], share: float
) -> list[float]:
    """By output, this share of its largest value on any sample; infinite where all is allowed."""
    if share == torch.inf:
        return [torch.inf] * max(map(len, outputs), default=0)
    samples = [values for trial, values in zip(tried, outputs, strict=True) if trial.real]
    return [share * max(map(_largest, some)) for some in zip(*samples, strict=True)]


def _largest(value: Tensor) -> float:
    finite = value[torch.isfinite(value)].double().abs()
    return finite.max().item() if finite.numel() else 0.0


def _moved(
    module: Callable[..., Any],
    tried: Sequence[ComparisonInputs],
    outputs: Sequence[Sequence[Tensor]],
    rounding: Callable[[Run], Callable[[int], Run]] | None,
) -> list[list[float]]:
    """By trial, how far rounding moves each output of the network: on any sample, where it is one.

    Few numbers may happen to move little: then it is repeated with random errors.
    """
    if rounding is None:
        return [[0.0] * len(values) for values in outputs]
    near_by = rounding(module)
    samples = [values for trial, values in zip(tried, outputs, strict=True) if trial.real]
    moves: list[list[float]] = []
    for trial, values in zip(tried, outputs, strict=True):
        together = samples if trial.real else [values]
        least = min((sum(v[i].numel() for v in together) for i in range(len(values))), default=1)
        times = range(-(-NUMBERS // max(least, 1)))
        runs = [run_seeded(near_by(seed), trial.inputs) for seed in times]
        each = [_apart(values, list(tensors(near)), trial.real) for near in runs]
        moves.append([max(some) for some in zip(*each, strict=True)])
    real = [row for trial, row in zip(tried, moves, strict=True) if trial.real]
    pooled = [max(some) for some in zip(*real, strict=True)]
    return [pooled if t.real else row for t, row in zip(tried, moves, strict=True)]


def _apart(values: Sequence[Tensor], near: Sequence[Tensor], real: bool) -> list[float]:
    """How far outputs are apart. Values beyond the range of the format are a fault on samples, so
    they do not count there; on probes nothing is known then, and it is infinite."""
    found: list[float] = []
    for a, b in zip(values, near, strict=True):
        apart = (a.double() - b.double()).abs()[torch.isfinite(a)]
        known = apart[torch.isfinite(apart)]
        lost = known.numel() < apart.numel() and not real
        found.append(torch.inf if lost else known.max().item() if known.numel() else 0.0)
    return found


def _difference(right: Tensor, wrong: Tensor, where: tuple[float, str, str]) -> float | None:
    """The largest difference of one output; None if no value is finite.

    where: the largest that is allowed, the output, and words for the inputs.
    """
    a, b = right.detach().double(), wrong.detach().double()
    finite = torch.isfinite(a)
    if not finite.any():
        return None if a.numel() else 0.0
    apart = torch.where(finite, (a - b).abs(), 0.0).nan_to_num(nan=torch.inf)
    largest = apart.max().item()
    if largest > where[0]:
        raise _differs(a, b, apart, where)
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
