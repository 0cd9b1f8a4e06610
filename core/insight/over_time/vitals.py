"""Measures of a network's health on a batch of samples, from its activations and weights."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from torch import Tensor

from blocks import declaration, has, of_family
from core.analyse.report import NodeReport
from core.insight.eval_context import first_tensor
from core.insight.features import capture
from core.insight.load_model import OpenedNetwork
from core.insight.over_time.thresholds import SIGMOID_FLAT, SOFTMAX_SURE, TANH_FLAT
from core.source.paths import node_paths

SAMPLES = 128
"""Validation samples that vitals are measured on, the first of them."""
FLAT = ("saturating", "probabilities")
"""Traits of activations with flat parts."""
Norms = Mapping[str, Sequence[float | None]]


@dataclass(frozen=True)
class Vitals:
    """Of one block; None where a measure does not apply.

    dead: share of its units that are 0 for all samples; units: how many it has. saturated: share
    of values in the flat part of a sigmoid, tanh or softmax. spread: standard deviation of all
    values. differs: how much of the values' size changes from sample to sample, 0 to 1. gradient:
    norm of the gradient of its weight matrices as the optimiser saw it, weight: theirs, update: of
    the change by one step.
    """

    block: str
    dead: float | None = None
    units: float | None = None
    saturated: float | None = None
    spread: float | None = None
    differs: float | None = None
    gradient: float | None = None
    weight: float | None = None
    update: float | None = None

    @property
    def update_ratio(self) -> float | None:
        """The update as a share of the weight."""
        return None if self.update is None or not self.weight else self.update / self.weight

    def plain(self) -> dict[str, Any]:
        """Its measures as JSON."""
        return {**asdict(self), "update_ratio": self.update_ratio}


def vitals(network: OpenedNetwork, inputs: Sequence[Tensor], norms: Norms) -> dict[str, Vitals]:
    """Measure every block by its path, in evaluation mode; nothing is changed by it.

    norms: of one step of the run, by parameter: weight, gradient, update; {} where none is known.
    """
    report = network.report
    values = capture(network.module, report, [x[:SAMPLES] for x in inputs]).values
    weights = _of_nodes(network, norms)
    found: dict[str, Vitals] = {}
    ran = dict.fromkeys([*values, *report.nodes])
    for path, node in ((p, report.nodes[p]) for p in ran if p in report.nodes):
        if node.children or has(node.block, "end", "stored"):
            continue
        measured = _activation(node, values.get(path))
        if measured or path in weights:
            found[path] = Vitals(node.block, **measured, **weights.get(path, {}))
    return found


def _activation(node: NodeReport, value: Any) -> dict[str, float]:
    try:
        value = first_tensor(value)
    except TypeError:  # it did not run, or gives a size
        return {}
    if not value.is_floating_point() or value.dim() < 2 or not len(value):
        return {}
    value = value.float()
    found: dict[str, float] = {}
    weighs = node.params and not of_family(node.block, "embedding")
    if weighs or has(node.block, "rectifier", *FLAT):
        found |= {"spread": value.std(correction=0).item(), "differs": _differs(value)}
    if has(node.block, "rectifier"):
        found |= _dead(value)
    if has(node.block, *FLAT):
        found["saturated"] = _saturated(node, value)
    return {name: number for name, number in found.items() if number == number}


def _differs(value: Tensor) -> float:
    size = value.square().mean().sqrt()
    return ((value - value.mean(0)).square().mean().sqrt() / size).item() if size else 0.0


def _dead(value: Tensor) -> dict[str, float]:
    """The share of units that are 0 wherever they are used, and how many units there are.

    Units are channels, or the last dimension of sequences.
    """
    active = value != 0
    over = [tuple(d for d in range(value.dim()) if d != unit) for unit in (1, value.dim() - 1)]
    dead = [~active.any(dim=dims) for dims in (over if value.dim() == 3 else over[:1])]
    worst = max(dead, key=lambda each: each.float().mean().item())
    return {"dead": worst.float().mean().item(), "units": len(worst)}


def _saturated(node: NodeReport, value: Tensor) -> float:
    if has(node.block, "probabilities"):
        usual = -1 if declaration(node.block).setting("dim") else 1
        dim = node.settings.get("dim")
        sure = value.amax(dim if isinstance(dim, int) else usual)
        return (sure > SOFTMAX_SURE).float().mean().item()
    if has(node.block, "sigmoid"):
        return ((value > SIGMOID_FLAT) | (value < 1 - SIGMOID_FLAT)).float().mean().item()
    return (value.abs() > TANH_FLAT).float().mean().item()


def _of_nodes(network: OpenedNetwork, norms: Norms) -> dict[str, dict[str, float]]:
    """Norms of the weight matrices of each node: all of them as one vector."""
    shapes = {name: p.dim() for name, p in network.module.named_parameters()}
    owners = node_paths(network.module, network.report.lines)
    sums: dict[str, list[float]] = {}
    for name, row in norms.items():
        node = _owner(name, owners, network.report.nodes)
        if shapes.get(name, 0) < 2 or node is None or any(n is None for n in row):
            continue
        squares = sums.setdefault(node, [0.0, 0.0, 0.0])
        for place, norm in enumerate(row):
            squares[place] += float(norm or 0.0) ** 2
    keys = "weight", "gradient", "update"
    return {
        node: {key: square**0.5 for key, square in zip(keys, squares, strict=True)}
        for node, squares in sums.items()
    }


def _owner(name: str, owners: Mapping[str, str], nodes: Mapping[str, NodeReport]) -> str | None:
    """The node that a parameter belongs to: of nested modules the outermost that is drawn."""
    owner = name.rpartition(".")[0]
    while owner:
        if owners.get(owner, owner) in nodes:
            return owners.get(owner, owner)
        owner = owner.rpartition(".")[0]
    return None
