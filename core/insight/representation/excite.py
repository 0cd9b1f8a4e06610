"""An input that excites a channel, optimised along the gradient (Erhan et al., 2009)."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from blocks import has
from core.analyse.activations import ActivationRecorder, local_ids, recording_activations
from core.analyse.report import Report
from core.common.network_ref import NetworkRef
from core.insight.attribution.subject import NoSuch, NotExplained, differentiable
from core.insight.eval_context import first_tensor
from core.insight.network_cache import inputs_of, labeler, opened, validation_rows
from core.insight.representation.ascent import ascend

WIDTH_PX = 320
RANGE_OF = 1024
"""Samples whose range of values a made input keeps to."""


class _Channel(ActivationRecorder):
    """Takes the mean of one channel of one node as it leaves it."""

    def __init__(self, report: Report, node: str, channel: int, last: bool) -> None:
        super().__init__(local_ids(report.lines), frozenset())
        self.node, self.channel, self.last = node, channel, last
        self.mean: Tensor | None = None

    def out(self, value: Any) -> Any:
        """Leave the node that was entered last."""
        if ".".join(self.stack) == self.node:
            found = first_tensor(value)
            if found.requires_grad:  # of a module called for several inputs, what reads this one
                self.mean = found.select(-1 if self.last else 1, self.channel).mean()
        return super().out(value)


def excite(
    module: nn.Module,
    report: Report,
    inputs: Sequence[Tensor],
    input_index: int,
    node: str,
    channel: int,
    bounds: tuple[float, float],
    last: bool = False,
) -> tuple[Tensor, list[float]]:
    """An input (1, ...) within bounds that makes a channel's mean large, and that mean by step.

    inputs: (1, ...) for each Input; the one at `input_index` is made by `ascend`, always the same.
    last: whether channels are the last dimension. Raises NotExplained where no gradient arrives.
    """
    look, source = _Channel(report, node, channel, last), report.source or ""

    def mean_of(made: Tensor) -> Tensor:
        look.mean = None
        module(*(made if k == input_index else given for k, given in enumerate(inputs)))
        if look.mean is None:
            raise NotExplained(f"{node} does not depend on the input.", "Choose another block.")
        return look.mean

    shape = tuple(inputs[input_index].shape)
    recording = recording_activations(module, source, report.lines, look=look)
    with differentiable(module), _frozen(module), recording:
        return ascend(mean_of, shape, *bounds, jitter=jitter_of(shape))


@contextmanager
def _frozen(module: nn.Module) -> Generator[None]:
    """Let a gradient tell what depends on the input: no parameter asks for one."""
    request = [each for each in module.parameters() if each.requires_grad]
    module.requires_grad_(False)
    try:
        yield
    finally:
        for each in request:
            each.requires_grad_()


def jitter_of(shape: Sequence[int]) -> int:
    """By how many pixels a picture (1, C, H, W) is moved: a fourteenth of it; 0 for no picture."""
    return min(shape[-2:]) // 14 if len(shape) == 4 else 0


@dataclass(frozen=True)
class Ascent:
    """Settings of one ascent. input_index: the Input that is optimised. last: see `excite`."""

    input_index: int
    bounds: tuple[float, float]
    given: tuple[Tensor, ...]
    last: bool


def ascent_of(ref: NetworkRef, node: str, channel: int) -> Ascent:
    """Settings of an ascent for a channel. Raises NotExplained for tokens, NoSuch, DataError."""
    input_index = next((i for i, f in enumerate(labeler(ref).info.feeds) if f.column != "noise"), 0)
    # pictures of files are read batch by batch
    seen = validation_rows(ref)[0][input_index][:RANGE_OF]
    if not seen.is_floating_point():
        raise NotExplained(
            "Tokens cannot be optimised in small steps.", "Choose a network that reads numbers."
        )
    last = _checked(opened(ref).report, node, channel)
    return Ascent(input_index, (float(seen.min()), float(seen.max())), inputs_of(ref, 0, 1), last)


def _checked(report: Report, node: str, channel: int) -> bool:
    """Whether the channels of a block are its last dimension. Raises NoSuch."""
    if node not in report.nodes:
        there = ", ".join(report.nodes)
        message = f"There is no block called {node}." if node else "Which block? None is named."
        raise NoSuch(message, f"There are: {there}.")
    shape = next(iter(report.nodes[node].outputs.values())).shape
    last = has(report.nodes[node].block, "dense")
    count = shape[-1 if last else 1] if len(shape) > 1 else 0
    if not isinstance(count, int) or channel >= count:
        raise NoSuch(f"{node} has no channel {channel}.", f"It has {count}, counted from 0.")
    return last
