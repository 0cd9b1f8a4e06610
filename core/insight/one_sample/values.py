"""The value of every wire for one sample: a forward in evaluation mode, nothing changed by it."""

import math
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from core.engine.objective import Values
from core.insight.eval_context import own_random_state
from core.insight.features import capture
from core.insight.load_model import OpenedNetwork, seed_of
from core.insight.one_sample.wires import by_port
from core.tasks.metrics import as_tuple


@dataclass(frozen=True)
class Forward:
    """The outputs of one forward pass.

    wires: the values of each node by its path, then by port; each keeps its batch of one. In the
    order in which the nodes ran, those that do not run (Inputs, parameters) first, Outputs last.
    outputs: what the network returned.
    """

    wires: Mapping[str, Mapping[str, Any]]
    outputs: Values


@contextmanager
def seeded(network: OpenedNetwork) -> Generator[None]:
    """Draw by the project's seed, so that a network which draws gives the same each time."""
    with own_random_state(seed_of(network.project)):
        yield


def forward(network: OpenedNetwork, inputs: Sequence[Tensor]) -> Forward:
    """Run a batch of one sample; the same as a plain forward, to the bit."""
    with seeded(network):
        caught = capture(network.module, network.report, inputs)
    nodes = network.report.nodes
    wires = {path: by_port(value, nodes.get(path)) for path, value in caught.values.items()}
    ends = {name: wires.pop(name) for name, _ in network.report.outputs if name in wires}
    return Forward({**wires, **ends}, as_tuple(caught.output))


def not_finite(value: Any) -> bool:
    """Whether a value holds a NaN or grew beyond all numbers; -inf is what masks are made of."""
    if not isinstance(value, Tensor) or not value.is_floating_point() or not value.numel():
        return False
    largest = value.max().item()  # NaN where there is one: one pass over the numbers, none kept
    return math.isnan(largest) or largest == math.inf


def began(wires: Mapping[str, Mapping[str, Any]]) -> str:
    """The path of the first node, in order, whose output is not finite; "" for none."""
    sick = (path for path, ports in wires.items() if any(map(not_finite, ports.values())))
    return next(sick, "")
