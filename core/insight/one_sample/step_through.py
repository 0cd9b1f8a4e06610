"""One training step on one sample, event by event: forward, loss, backward, update.

As the blocks show it: in evaluation mode, float32, with a fresh optimiser, on a copy of the
weights. Nothing of the network or of a run changes.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from torch import Tensor, nn

from core.common.errors import TrainingError
from core.engine.objective import Objective
from core.engine.optim import configure_optimizers
from core.insight.load_model import OpenedNetwork
from core.insight.one_sample.gradients import Backward
from core.settings.validate import resolve
from core.source.paths import node_paths
from core.tasks.tensor_values import floats, norm

Json = dict[str, Any]
SHOWN = 5
"""At most so many numbers of a parameter are listed before and after."""


def events(network: OpenedNetwork, recorded: Backward, objective: Objective) -> list[Json]:
    """All events of a step in their order.

    {"kind": "forward" or "backward", "path", "port"}: the value, or its gradient, is there;
    {"kind": "loss", "path": the Output, "loss", "losses"}; {"kind": "update", "path", "name",
    "before", "after", "shape", "gradient", "change", "weight": norms}.
    """
    inputs = [name for name, _ in network.report.inputs]
    outputs = [name for name, _ in network.report.outputs]
    steps = [_seen("forward", path, recorded) for path in (*inputs, *recorded.ran, *outputs)]
    if recorded.loss is None:
        return steps
    read = objective.main.outputs[0]
    steps.append(
        {
            "kind": "loss",
            "path": outputs[read],
            "loss": recorded.loss.item(),
            "losses": list(recorded.losses),
        }
    )
    steps += [_seen("backward", path, recorded) for path in recorded.order]
    return steps + updates(network, recorded, objective)


def _seen(kind: str, path: str, recorded: Backward) -> Json:
    ports = recorded.gradients[path] if kind == "backward" else recorded.wires.get(path, {})
    return {"kind": kind, "path": path, "port": next(iter(ports), "output")}


def updates(network: OpenedNetwork, recorded: Backward, objective: Objective) -> list[Json]:
    """The update of each parameter, of the first step of the project's optimiser.

    [] where losses train parts of their own, one after the other.
    """
    if objective.groups or not recorded.weights:
        return []
    module = deepcopy(network.module)
    before = {name: p.detach().clone() for name, p in module.named_parameters()}
    for name, weight in module.named_parameters():
        weight.grad = recorded.weights[name].clone() if name in recorded.weights else None
    step(module, _training(network))
    nodes = node_paths(module, network.report.lines)
    return [
        _update(name, nodes, before[name], weight.detach(), recorded.weights[name])
        for name, weight in module.named_parameters()
        if name in recorded.weights
    ]


def _training(network: OpenedNetwork) -> Mapping[str, Any]:
    info = network.info
    try:
        return resolve(network.project.training, info.task, info.losses, info.rare)
    except TrainingError:  # a drawing may have settings that no run would take
        return resolve({}, info.task, info.losses, info.rare)


def step(module: nn.Module, training: Mapping[str, Any]) -> None:
    """Update the weights by their gradients, clipped as the settings say."""
    optimization = configure_optimizers(module, training, steps_per_epoch=1)
    if training.get("clip_norm") is not None:
        nn.utils.clip_grad_norm_(optimization.weights, training["clip_norm"])
    if training.get("clip_value") is not None:
        nn.utils.clip_grad_value_(optimization.weights, training["clip_value"])
    for optimiser in optimization.optimisers:
        optimiser.step()


def _update(
    name: str, nodes: Mapping[str, str], before: Tensor, after: Tensor, gradient: Tensor
) -> Json:
    owner, _, _own = name.rpartition(".")
    return {
        "kind": "update",
        "path": nodes.get(owner, name),
        "name": name,
        "shape": list(after.shape),
        "before": floats(before.reshape(-1)[:SHOWN]),
        "after": floats(after.reshape(-1)[:SHOWN]),
        "grad": floats(gradient.reshape(-1)[:SHOWN]),
        "gradient": norm(gradient).item(),
        "change": norm(after - before).item(),
        "weight": norm(before).item(),
    }
