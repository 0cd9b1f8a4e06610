"""The recorded run of a model: on a copy without weights, or with values where it reads them."""

import copy
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.nn.utils import parametrize

from core.importing.errors import ImportRefused, told
from core.importing.record import Run, record
from core.importing.steps import Trace
from core.importing.trials import samples

BATCH, FEW = 127, 13
"""Samples of the recorded run: a prime that few other sizes are multiples of; fewer where the
run needs real values."""


def recorded(
    module: nn.Module, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str], run: Run | None,
    training: bool = False,
) -> Trace:  # fmt: skip
    """Record a copy of a model, without values if it runs so. Raises ImportRefused."""
    quantised = next((n for n, m in module.named_modules() if is_quantised(m)), None)
    if quantised is not None:
        raise ImportRefused(
            quantised, "is quantised: it keeps packed integers, which no block can hold.",
            "Import the model before its quantisation.",
        )  # fmt: skip
    for name, part in module.named_modules():
        if remedy := computes_weights(part):
            raise ImportRefused(
                name or type(part).__name__, "computes its weights anew before every call "
                "(a parametrisation, such as a spectral or weight norm), which no block does.",
                f"Fix them before the import: {remedy}.",
            )  # fmt: skip
    try:
        free = samples(shapes, dtypes, BATCH, "meta")
        return record(weightless(module).train(training), free, run)
    except ImportRefused:
        raise
    except FAILURES:
        pass  # on the meta device no value can be read; with values it may run
    try:
        return record(copy.deepcopy(module).train(training), samples(shapes, dtypes, FEW), run)
    except ImportRefused:
        raise
    except FAILURES as error:
        kind, said = type(module).__name__, told(error)
        sizes = ", ".join(str(shape) for shape in shapes)
        raise ImportRefused(kind, f"cannot be run on {sizes}: {said}") from error


FAILURES = (Exception, SystemExit)
"""What the user's own code may end in: anything, also leaving the program."""


def is_quantised(module: nn.Module) -> bool:
    """Whether a module keeps packed integers."""
    home, kind = type(module).__module__, type(module).__name__
    return "quantized" in home and kind not in ("FloatFunctional", "DeQuantStub", "QuantStub")


def computes_weights(module: nn.Module) -> str:
    """How to give a layer plain weights, "" if it has them."""
    if parametrize.is_parametrized(module):
        return 'torch.nn.utils.parametrize.remove_parametrizations(layer, "weight")'
    kinds = {type(hook).__name__ for hook in module._forward_pre_hooks.values()}
    known = {"SpectralNorm": "remove_spectral_norm", "WeightNorm": "remove_weight_norm"}
    found = next((name for kind, name in known.items() if kind in kinds), "")
    return f"torch.nn.utils.{found}(layer)" if found else ""


def weightless(module: nn.Module) -> nn.Module:
    """A copy of a model with all its tensors on the meta device: no memory, no computing."""
    memo: dict[int, Any] = {}
    for p in module.parameters():
        memo[id(p)] = nn.Parameter(torch.empty_like(p, device="meta"), p.requires_grad)
    for b in module.buffers():
        memo[id(b)] = torch.empty_like(b, device="meta")
    return copy.deepcopy(module, memo)
