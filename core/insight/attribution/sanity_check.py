"""Does an explanation depend on what the network learned? Randomise it from the top and compare.

Adebayo et al., "Sanity Checks for Saliency Maps" (2018): a method whose picture stays the same
while the weights become random shows the sample, or the drawing, and not what was learned.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core.insight.attribution.subject import Attributions, ScoredSample
from core.insight.eval_context import named_modules, own_random_state

MOST_STAGES, SEED = 10, 0
Explain = Callable[[ScoredSample, str], Attributions]


@dataclass(frozen=True)
class Stage:
    """How like the first explanation one is, once all weights from `layer` to the top are random.

    layer: path in the module. correlation: Spearman's, of the sizes of the values, from -1 to 1.
    """

    layer: str
    correlation: float


def sanity_check(explain: Explain, subject: ScoredSample, node: str = "") -> list[Stage]:
    """Explain again and again while a copy of the network becomes random, its last layer first.

    Every layer with weights counts; of many, MOST_STAGES evenly spread ones are compared. The
    network itself stays as it is.
    """
    module = copy.deepcopy(subject.module)
    layers = [n for n, m in named_modules(module) if any(True for _ in m.parameters(False))]
    layers.reverse()
    places = np.linspace(0, len(layers) - 1, min(MOST_STAGES, len(layers)))
    compared = {int(place) for place in places.round()}
    first, stages = explain(subject, node).values, list[Stage]()
    with own_random_state(SEED):
        for number, name in enumerate(layers):
            randomise(module.get_submodule(name))
            if number in compared:
                found = explain(replace(subject, module=module), node).values
                stages.append(Stage(name, rank_correlation(first, found)))
    return stages


def randomise(module: nn.Module) -> None:
    """Draw a layer's own weights anew as it draws them at first; others as wide as they are."""
    reset: Any = getattr(module, "reset_parameters", None) or getattr(
        module, "_reset_parameters", None
    )
    if reset is not None:
        reset()
        return
    with torch.no_grad():
        for weight in module.parameters(recurse=False):
            weight.copy_(torch.randn_like(weight) * (weight.std(correction=0) + 1e-8))


def rank_correlation(a: Tensor, b: Tensor) -> float:
    """Spearman's rank correlation of the sizes of two explanations; 0 where one is flat."""
    ranks = [_ranks(each.abs().flatten().double().numpy()) for each in (a, b)]
    deviation = [float(rank.std()) for rank in ranks]
    if min(deviation) == 0:
        return 0.0
    moved = [rank - rank.mean() for rank in ranks]
    return float((moved[0] * moved[1]).mean() / (deviation[0] * deviation[1]))


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks, the mean of them for equal values."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place]
