"""Bytes that autograd saves in a forward pass for the backward pass, by block.

It is most of what training needs besides the weights. torchinfo's count of activations is another:
outputs of layers with parameters, which leaves out what attention, normalisation and activations
keep, and counts what nobody keeps.
"""

from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd.graph import saved_tensors_hooks

from blocks import Signature
from core.analyse import build
from core.analyse.activations import ActivationRecorder, recording_activations
from core.analyse.report import Report, size
from core.engine.param_groups import freeze, trainable_parameters
from core.insight.eval_context import own_random_state
from core.insight.storages import storage_bytes, storage_key

Number = TypeVar("Number", int, float)
RECURRENT = (nn.LSTM, nn.GRU, nn.RNN)
"""Layers that keep on a processor what only a real pass of them tells."""
TRIED = (8, 16)  # batches: normalisation learns from two samples at least


@dataclass
class SavedBytes:
    """Bytes kept, by the path of the innermost block that saved them first ("" outside of all)."""

    by_block: Counter[str] = field(default_factory=lambda: Counter[str]())
    storages: dict[int, Any] = field(default_factory=lambda: {})

    @property
    def total(self) -> int:
        return sum(self.by_block.values())


@contextmanager
def keeping(module: nn.Module, look: ActivationRecorder) -> Generator[SavedBytes]:
    """Count what autograd saves inside the context; each storage once, parameters never.

    look: that of the watched forward, which knows the block that runs.
    """
    kept, own = SavedBytes(), {storage_key(p) for p in module.parameters()}

    def pack(tensor: Tensor) -> Tensor:
        key = storage_key(tensor)
        if key not in own and key not in kept.storages:
            kept.storages[key] = tensor.untyped_storage()  # alive, so that no other gets its key
            kept.by_block[".".join(look.stack)] += storage_bytes(tensor)
        return tensor

    with saved_tensors_hooks(pack, _as_it_is):
        yield kept
    kept.storages.clear()


def _as_it_is(tensor: Tensor) -> Tensor:
    return tensor


def kept_for_backward(report: Report, batch: int = 1) -> Mapping[str, int] | None:
    """Bytes that a training step's forward pass keeps, by the block that saves them, on a CPU.

    Nothing is computed where torch can tell without (fake tensors); recurrent layers run with
    random weights on two small batches, from which it follows. None where it cannot be told.
    Raises ValueError for a report with errors.
    """
    if report.source is None:
        raise ValueError("what is kept for backward needs a network without errors")
    if _recurrent(report):
        return _extended(report, batch, real=True)
    try:
        return dict(one_pass(report, batch, real=False))
    except Exception:  # of any layer: a batch too small to normalise, own Python that reads values
        return _extended(report, batch, real=False)


def _recurrent(report: Report) -> bool:
    with torch.device("meta"):
        module = build(report.source or "", report.class_name)
    return any(isinstance(part, RECURRENT) for part in module.modules())


def _extended(report: Report, batch: int, real: bool) -> Mapping[str, int] | None:
    """From two small batches, in a straight line."""
    small, large = TRIED
    try:
        few, more = one_pass(report, small, real), one_pass(report, large, real)
    except Exception:  # as above; a summary does without this figure
        return None
    return {
        path: max(0, few[path] + (batch - small) * (more[path] - few[path]) // (large - small))
        for path in few.keys() | more.keys()
    }


def one_pass(report: Report, batch: int, real: bool) -> Counter[str]:
    """Count one forward pass in training mode, frozen blocks as a run has them.

    real: whether anything is computed.
    """
    with ExitStack() as stack:
        stack.enter_context(own_random_state())
        if not real:
            stack.enter_context(FakeTensorMode(allow_non_fake_inputs=True))
        module = build(report.source or "", report.class_name)
        freeze(module, {"rates": report.rates})
        trainable_parameters(module, {"rates": report.rates})
        inputs = [_zeros(signature, batch) for _, signature in report.inputs]
        look = stack.enter_context(
            recording_activations(module, report.source or "", report.lines, frozenset())
        )
        with keeping(module, look) as kept:
            module(*inputs)
    return kept.by_block


def _zeros(signature: Signature, batch: int) -> Tensor:
    return torch.zeros(size(signature, batch), dtype=getattr(torch, signature.dtype))


def inside(counts: Mapping[str, Number], path: str) -> Number:
    """What was counted for a block and all that is inside it."""
    each = (n for node, n in counts.items() if node == path or node.startswith(f"{path}."))
    return sum(each, start=0)  # pyright: ignore[reportReturnType]
