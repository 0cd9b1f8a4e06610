"""What excites a channel: an input made for it by following the gradient (Erhan et al., 2009)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from core.analyse.activations import ActivationRecorder, local_ids, recording_activations
from core.analyse.report import Report
from core.insight.attribution.pictures import heat
from core.insight.attribution.subject import NoSuch, NotExplained, differentiable
from core.insight.eval_context import first_tensor
from core.insight.load_model import NetworkRef
from core.insight.look import Asked, Looked
from core.insight.remembered import inputs_of, labeler, opened, validation_rows
from core.insight.thumbnails import sample_picture

STEPS, RATE, SEED, WIDTH_PX = 128, 0.05, 0, 320


class _Channel(ActivationRecorder):
    """Takes the mean of one channel of one node as it leaves it."""

    def __init__(self, report: Report, node: str, channel: int, last: bool) -> None:
        super().__init__(local_ids(report.lines), frozenset())
        self.node, self.channel, self.last = node, channel, last
        self.mean: Tensor | None = None

    def out(self, value: Any) -> Any:
        """Leave the node that was entered last."""
        if ".".join(self.place) == self.node:
            found = first_tensor(value)
            self.mean = found.select(-1 if self.last else 1, self.channel).mean()
        return super().out(value)


def excite(
    module: nn.Module, report: Report, inputs: Sequence[Tensor], place: int,
    node: str, channel: int, bounds: tuple[float, float], last: bool = False,
) -> tuple[Tensor, list[float]]:  # fmt: skip
    """An input (1, ...) within bounds that makes a channel's mean large, and that mean by step.

    inputs: (1, ...) for each Input; the one at `place` is made anew, from the middle of the bounds
    with a little noise, always the same. last: whether channels are the last dimension. Adam, each
    step as large whatever the gradient's size. Raises NotExplained where none arrives.
    """
    low, high = bounds
    generator = torch.Generator().manual_seed(SEED)
    noise = torch.randn(inputs[place].shape, generator=generator)
    point = ((low + high) / 2 + 0.05 * (high - low) * noise).clamp(low, high).requires_grad_()
    optimizer = torch.optim.Adam([point], lr=RATE * (high - low))
    look, means = _Channel(report, node, channel, last), list[float]()
    source = report.source or ""
    with differentiable(module), recording_activations(module, source, report.lines, look=look):
        for _ in range(STEPS):
            given = [point.clone() if k == place else x for k, x in enumerate(inputs)]
            module(*given)
            if look.mean is None or not look.mean.requires_grad:
                raise NotExplained(f"{node} does not depend on the input.", "Choose another block.")
            means.append(float(look.mean.detach()))
            (gradient,) = torch.autograd.grad(-look.mean, point)
            point.grad = gradient
            optimizer.step()
            with torch.no_grad():
                point.clamp_(low, high)
    return point.detach(), means


def look(ref: NetworkRef, asked: Asked) -> Looked:
    """An input that excites a channel of a block, as `layerloom look` has it."""
    network, node = opened(ref), asked.block
    feeds = labeler(ref).info.feeds
    place = next((i for i, feed in enumerate(feeds) if feed.column != "noise"), 0)
    seen = validation_rows(ref)[0][place]
    if not seen.is_floating_point():
        raise NotExplained(
            "Tokens cannot be changed little by little.", "Choose a network that reads numbers."
        )
    last = _checked(network.report, node, asked.channel)
    bounds, given = (float(seen.min()), float(seen.max())), inputs_of(ref, 0, 1)
    wanted = (place, node, asked.channel, bounds, last)
    made, means = excite(network.module, network.report, given, *wanted)
    document = {
        "block": node,
        "channel": asked.channel,
        "first": means[0],
        "last": means[-1],
        "bounds": list(bounds),
        "shape": list(made.shape[1:]),
        "values": made[0].tolist(),
    }
    line = f"{node}, channel {asked.channel}: mean {means[0]:.4g}, {means[-1]:.4g} at the end."
    array = made[0].numpy()
    picture = sample_picture(array, WIDTH_PX) or heat(np.atleast_2d(array), False, WIDTH_PX)
    return Looked(document, (line,), {"input": array, "means": np.array(means)}, picture)


def _checked(report: Report, node: str, channel: int) -> bool:
    """Whether the channels of a block are its last dimension. Raises NoSuch."""
    if node not in report.nodes:
        there = ", ".join(report.nodes)
        raise NoSuch(f"There is no block called {node or '(none named)'}.", f"There are: {there}.")
    shape = next(iter(report.nodes[node].outputs.values())).shape
    last = report.nodes[node].block == "Linear"
    count = shape[-1 if last else 1] if len(shape) > 1 else 0
    if not isinstance(count, int) or channel >= count:
        raise NoSuch(f"{node} has no channel {channel}.", f"It has {count}, counted from 0.")
    return last
