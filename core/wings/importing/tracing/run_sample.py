"""Trace a model: on a copy on the meta device, or on real values if the model reads them."""

import random
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn

from core.common.device import CPU
from core.common.errors import ImportRefused
from core.wings.importing.error_messages import error_text
from core.wings.importing.tracing.computed_weights import detached_deepcopy
from core.wings.importing.tracing.input_hints import input_hint
from core.wings.importing.tracing.recorder import Run, record
from core.wings.importing.tracing.sample_inputs import samples
from core.wings.importing.tracing.static_shapes import TraceSignature
from core.wings.importing.tracing.torch_script import refuse_scripted
from core.wings.importing.tracing.trace_ir import Trace
from core.wings.importing.tracing.unregistered import unregistered

BATCH, SMALL_BATCH = 127, 13
"""Samples of the recorded run: a prime that few other sizes are multiples of; fewer where the
run needs real values."""


class RebuiltModule(nn.Module):
    """A module rebuilt from a file (ONNX), which makes no decision by its batch size."""


def trace_model(
    module: nn.Module,
    shapes: Sequence[tuple[int, ...]],
    dtypes: Sequence[str],
    run: Run | None,
    training: bool = False,
    values: bool = False,
) -> Trace:
    """Trace a copy of a model, on the meta device if it runs there and `values` is not set.

    shapes: of one sample per input. Raises ImportRefused.
    """
    quantised = next((n for n, m in module.named_modules() if is_quantised(m)), None)
    if quantised is not None:
        raise ImportRefused(
            quantised,
            "is quantised: it has packed integers, which no block supports.",
            "Import the model before quantisation.",
        )
    refuse_scripted(module)
    try:
        if not values:
            free = samples(shapes, dtypes, BATCH, "meta")
            return _record(meta_copy(module).train(training), free, run)
    except ImportRefused:
        raise
    except FAILURES:
        pass  # on the meta device no value can be read; with values it may run
    try:
        return _record(
            detached_deepcopy(module).train(training), samples(shapes, dtypes, SMALL_BATCH), run
        )
    except ImportRefused:
        raise
    except FAILURES as error:
        kind, message = type(module).__name__, error_text(error)
        sizes = ", ".join(str(shape) for shape in shapes)
        hint = WITHOUT_INFERENCE if INFERENCE in message else input_hint(module, usual="")
        raise ImportRefused(kind, f"cannot be run on {sizes}: {message}", hint) from error


def _record(module: nn.Module, inputs: Sequence[torch.Tensor], run: Run | None) -> Trace:
    """Trace a model, and note whether it used random number generators other than torch's."""
    before = _rng_states()
    trace = record(module, inputs, run)
    trace.foreign_rng, trace.signature = _rng_states() != before, TraceSignature(trace)
    return trace


def _rng_states() -> tuple[Any, ...]:
    """The states of Python's and numpy's random number generators."""
    numpy = sys.modules.get("numpy")
    state = numpy.random.get_state() if numpy is not None else ()
    return random.getstate(), *(p.tobytes() if hasattr(p, "tobytes") else p for p in state)


def retracer(
    module: nn.Module, dtypes: Sequence[str], run: Run | None, like: Trace, batch: int = 0
) -> Callable[[Sequence[tuple[int, ...]]], Trace | None]:
    """A function that traces a copy of a model on other shapes, in the same way as `like` was
    traced.

    batch: number of samples, 0 for as many as before. It returns None if the model does not run.
    """
    device = "meta" if like.valueless else CPU
    copied = meta_copy if like.valueless else detached_deepcopy
    training = like.root.module is not None and like.root.module.training

    def record_again(shapes: Sequence[tuple[int, ...]]) -> Trace | None:
        try:
            inputs = samples(shapes, dtypes, batch or like.batch, device)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return record(copied(module).train(training), inputs, run)
        except FAILURES:  # ImportRefused, too: it is not run with such inputs
            return None

    return record_again


INFERENCE = "nference tensor"
"""In torch's messages on what inference_mode has made."""
WITHOUT_INFERENCE = "Use torch.no_grad() in forward instead of torch.inference_mode()."
FAILURES = (Exception, SystemExit)
"""What the user's own code may end in: anything, also leaving the program."""


def is_quantised(module: nn.Module) -> bool:
    """Whether a module is quantised (holds packed integers)."""
    home, kind = type(module).__module__, type(module).__name__
    return "quantized" in home and kind not in ("FloatFunctional", "DeQuantStub", "QuantStub")


def meta_copy(module: nn.Module) -> nn.Module:
    """A copy of a model with all its tensors on the meta device: no memory, no computation."""
    memo: dict[int, Any] = {}
    for p in module.parameters():
        memo[id(p)] = nn.Parameter(torch.empty_like(p, device="meta"), p.requires_grad)
    for b in module.buffers():
        memo[id(b)] = torch.empty_like(b, device="meta")
    for t in unregistered(module).values():
        memo[id(t)] = torch.empty_like(t, device="meta")
    return detached_deepcopy(module, memo)
