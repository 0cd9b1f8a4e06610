"""Count shapes and costs node by node in one pass on the meta device, for any batch size."""

from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from core.analyse import build
from core.analyse.activations import ActivationRecorder, recording_activations
from core.analyse.costs import (
    counting,
    first_shape,
    is_leaf,
    mult_adds_of,
    torchinfo_mult_adds,
)
from core.analyse.flop_counter import FlopCounterMode
from core.analyse.meta_values import MetaValues
from core.analyse.report import Report, size
from core.engine.param_groups import freeze
from core.insight.eval_context import first_tensor
from core.settings.optimizers import optimizer_name


@dataclass(frozen=True)
class PassCounts:
    """Counts of one pass over a batch.

    mult_adds: by the path of the innermost node that ran them, as torch's own counter has them;
    torchinfo_mult_adds: as torchinfo 1.8.0 counts them. outputs_bytes: first outputs of
    the leaf modules that own parameters, each call counted. leaf_bytes: parameters of the leaf
    modules that ran. parameters_bytes, gradients_bytes: all parameters, and the trainable ones,
    each once. optimizer_bytes: what the optimiser keeps besides after its first step.
    """

    mult_adds: Mapping[str, int]
    torchinfo_mult_adds: Mapping[str, int]
    outputs_bytes: int
    leaf_bytes: int
    parameters_bytes: int
    gradients_bytes: int
    optimizer_bytes: int


def measure(
    report: Report, batch: int = 1, training: Mapping[str, Any] | None = None
) -> PassCounts:
    """Run the report's source on the meta device. `training` names the optimiser.

    Raises ValueError for a report with errors.
    """
    if report.source is None:
        raise ValueError("a summary needs a network without errors")
    with torch.device("meta"):
        module = build(report.source, report.class_name).eval()
        freeze(module, {"rates": report.rates})
        shapes = [(size(s, batch), getattr(torch, s.dtype)) for _, s in report.inputs]
        inputs = [torch.zeros(shape, dtype=dtype) for shape, dtype in shapes]
    counts, theirs = Counter[str](), Counter[str]()
    ran: dict[nn.Module, int] = {}
    with (
        recording_activations(module, report.source, report.lines, frozenset()) as look,
        _counting(module, look, theirs, ran),
        counting() as counter,
        _Placed(counter, look, counts),
        MetaValues(),
    ):
        module(*inputs)
    weights = list(module.parameters())
    return PassCounts(
        mult_adds=counts,
        torchinfo_mult_adds=theirs,
        outputs_bytes=sum(ran.values()),
        leaf_bytes=_bytes(p for m in ran for p in m.parameters()),
        parameters_bytes=_bytes(weights),
        gradients_bytes=_bytes(p for p in weights if p.requires_grad),
        optimizer_bytes=optimizer_bytes(weights, training or {}),
    )


class _Placed(TorchDispatchMode):
    """Notes which node ran what torch's counter, entered just before, counts."""

    def __init__(
        self, counter: FlopCounterMode, look: ActivationRecorder, counts: Counter[str]
    ) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType] # torch leaves it untyped
        self.counter, self.look, self.counts = counter, look, counts

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        before = mult_adds_of(self.counter)
        output = func(*args, **(kwargs or {}))
        if more := mult_adds_of(self.counter) - before:
            self.counts[".".join(self.look.stack)] += more
        return output


@contextmanager
def _counting(
    module: nn.Module, look: ActivationRecorder, counts: Counter[str], ran: dict[nn.Module, int]
) -> Generator[None]:
    """Add up, while the block runs, torchinfo's mult-adds by path and output bytes by module."""

    def note(leaf: nn.Module, _args: Any, output: Any) -> None:
        shape = first_shape(output)
        counts[".".join(look.stack)] += torchinfo_mult_adds(leaf, shape)
        if any(True for _ in leaf.parameters()):
            ran[leaf] = ran.get(leaf, 0) + prod(shape) * first_tensor(output).element_size()

    # before the hooks of `watching`, which end the place this call stands at
    leaves = [m for m in module.modules() if is_leaf(m) and m is not module]
    handles = [m.register_forward_hook(note, prepend=True) for m in leaves]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _bytes(tensors: Iterable[Tensor]) -> int:
    return sum(t.nelement() * t.element_size() for t in tensors)


def optimizer_bytes(weights: Iterable[nn.Parameter], training: Mapping[str, Any]) -> int:
    """What an optimiser keeps for each weight, seen in one step of its own on meta tensors.

    Its step counters are among it; 0 for an optimiser torch does not have.
    """
    kind = getattr(torch.optim, optimizer_name(training), None)
    trained = [p for p in weights if p.requires_grad]
    if kind is None or not trained:
        return 0
    for weight in trained:
        weight.grad = torch.zeros_like(weight)
    settings = {"lr": 0.01, **dict(training.get("optimizer_settings", {}))}
    optimizer = kind(trained, foreach=False, **settings)
    optimizer.step()
    states = (v for state in optimizer.state.values() for v in state.values())
    return _bytes(v for v in states if isinstance(v, Tensor))
