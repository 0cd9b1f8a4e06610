"""How large values and gradients are on every wire: the mean of their absolute values."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from core.common.network_ref import NetworkRef
from core.engine.objective import Values
from core.insight.load_model import OpenedNetwork, OpenedPart
from core.insight.network_cache import objective
from core.insight.one_sample.gradients import Backward, backward
from core.insight.one_sample.sample import choose, dataset_of
from core.insight.one_sample.values import forward
from core.insight.one_sample.wires import origin

Json = dict[str, Any]
ON_PLANE = 256
"""So many training samples at most stand for the plane: one alone says little of all of it, and
these take a few milliseconds in the small networks that learn points."""
MOST_MULT_ADDS = 1_000_000_000
"""Of one forward pass. Beyond, only that is run: the way back of a larger network takes longer
than a third of a second on a laptop, for which the next sample would have to wait."""


def magnitudes(ref: NetworkRef, network: OpenedNetwork, sample: Mapping[str, Any]) -> Json:
    """{"forward", "backward"} of a sample, or for the plane of training samples, by path and port.

    "backward" is {} where there is no loss: a sample of one's own, a drawing with an error, and a
    network of more than MOST_MULT_ADDS.
    """
    inputs, targets = _batch(ref, sample)
    if isinstance(network, OpenedPart) or network.report.mult_adds > MOST_MULT_ADDS:
        targets = None
    if targets is None:
        return {"forward": _means(network, forward(network, inputs).wires), "backward": {}}
    return of_step(network, backward(network, inputs, targets, objective(ref)))


def of_step(network: OpenedNetwork, recorded: Backward) -> Json:
    """The same of a step that was recorded."""
    return {
        "forward": _means(network, recorded.wires),
        "backward": _means(network, recorded.gradients),
    }


def _batch(ref: NetworkRef, sample: Mapping[str, Any]) -> tuple[tuple[Tensor, ...], Values | None]:
    if "plane" not in sample:
        chosen = choose(ref, sample)
        return chosen.inputs, chosen.targets
    dataset = dataset_of(ref)
    rows = dataset.train_indices[:ON_PLANE]
    targets = tuple(y[rows] for y in dataset.all_targets)
    return tuple(x[rows] for x in dataset.all_inputs), targets or None


def _means(
    network: OpenedNetwork, found: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, float | None]]:
    """Means by path and port; what an end of a composite passes on as its own output."""
    means = {path: _ports(ports) for path, ports in found.items()}
    for path, node in network.report.nodes.items():
        if path in means:
            continue
        made, port = origin(network.project.graph, path, "")
        if made in means and port in means[made]:
            means[path] = {next(iter(node.outputs), "output"): means[made][port]}
    return {path: ports for path, ports in means.items() if ports}


def _ports(ports: Mapping[str, Any]) -> dict[str, float | None]:
    return {port: _mean(value) for port, value in ports.items() if isinstance(value, Tensor)}


def _mean(value: Tensor) -> float | None:
    """Of the finite numbers; None for whole numbers, which name things, and where there is none."""
    if not value.is_floating_point():
        return None
    known = value.detach()[torch.isfinite(value)].double().abs()
    return known.mean().item() if known.numel() else None
