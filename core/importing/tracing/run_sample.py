"""The recorded run of a model: on a copy without weights, or with values where it reads them."""

import random
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn

from core.errors import ImportRefused
from core.importing.error_messages import told
from core.importing.tracing.computed_weights import own_copy
from core.importing.tracing.recorder import Run, record
from core.importing.tracing.sample_inputs import samples
from core.importing.tracing.static_shapes import Course
from core.importing.tracing.steps import Trace
from core.importing.tracing.unregistered import unregistered

BATCH, FEW = 127, 13
"""Samples of the recorded run: a prime that few other sizes are multiples of; fewer where the
run needs real values."""


class Rebuilt(nn.Module):
    """A module that was rebuilt from a file, which decides nothing by its batch."""


def recorded(
    module: nn.Module, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str], run: Run | None,
    training: bool = False, values: bool = False,
) -> Trace:  # fmt: skip
    """Record a copy of a model, without values if it runs so and they are not asked for.

    Raises ImportRefused.
    """
    quantised = next((n for n, m in module.named_modules() if is_quantised(m)), None)
    if quantised is not None:
        raise ImportRefused(
            quantised, "is quantised: it keeps packed integers, which no block can hold.",
            "Import the model before its quantisation.",
        )  # fmt: skip
    try:
        if not values:
            free = samples(shapes, dtypes, BATCH, "meta")
            return _record(weightless(module).train(training), free, run)
    except ImportRefused:
        raise
    except FAILURES:
        pass  # on the meta device no value can be read; with values it may run
    try:
        return _record(own_copy(module).train(training), samples(shapes, dtypes, FEW), run)
    except ImportRefused:
        raise
    except FAILURES as error:
        kind, said = type(module).__name__, told(error)
        sizes = ", ".join(str(shape) for shape in shapes)
        raise ImportRefused(kind, f"cannot be run on {sizes}: {said}") from error


def _record(module: nn.Module, inputs: Sequence[torch.Tensor], run: Run | None) -> Trace:
    """Record a model and note whether it drew random numbers that are not torch's."""
    before = _chances()
    trace = record(module, inputs, run)
    trace.chance, trace.course = _chances() != before, Course(trace)
    return trace


def _chances() -> tuple[Any, ...]:
    """The states of the random numbers of Python and numpy."""
    numpy = sys.modules.get("numpy")
    state = numpy.random.get_state() if numpy is not None else ()
    return random.getstate(), *(p.tobytes() if hasattr(p, "tobytes") else p for p in state)


def recorded_again(
    module: nn.Module, dtypes: Sequence[str], run: Run | None, like: Trace, batch: int = 0
) -> Callable[[Sequence[tuple[int, ...]]], Trace | None]:
    """How to record a copy of a model on inputs of other shapes, as it was recorded before.

    batch: how many samples, 0 for as many as before.
    """
    place = "meta" if like.valueless else "cpu"
    copied = weightless if like.valueless else own_copy
    training = like.root.module is not None and like.root.module.training

    def record_again(shapes: Sequence[tuple[int, ...]]) -> Trace | None:
        try:
            given = samples(shapes, dtypes, batch or like.batch, place)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return record(copied(module).train(training), given, run)
        except FAILURES:  # ImportRefused, too: it is not run with such inputs
            return None

    return record_again


FAILURES = (Exception, SystemExit)
"""What the user's own code may end in: anything, also leaving the program."""


def is_quantised(module: nn.Module) -> bool:
    """Whether a module keeps packed integers."""
    home, kind = type(module).__module__, type(module).__name__
    return "quantized" in home and kind not in ("FloatFunctional", "DeQuantStub", "QuantStub")


def weightless(module: nn.Module) -> nn.Module:
    """A copy of a model with all its tensors on the meta device: no memory, no computing."""
    memo: dict[int, Any] = {}
    for p in module.parameters():
        memo[id(p)] = nn.Parameter(torch.empty_like(p, device="meta"), p.requires_grad)
    for b in module.buffers():
        memo[id(b)] = torch.empty_like(b, device="meta")
    for t in unregistered(module).values():
        memo[id(t)] = torch.empty_like(t, device="meta")
    return own_copy(module, memo)
