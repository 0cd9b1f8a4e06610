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
from torch import Tensor, nn

from core.insight.attribution.subject import Attributions, ScoredSample

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
    layers = [n for n, m in module.named_modules() if any(True for _ in m.parameters(False))]
    layers.reverse()
    compared = set(np.linspace(0, len(layers) - 1, min(MOST_STAGES, len(layers))).round().tolist())
    first, stages = explain(subject, node).values, list[Stage]()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
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
    spread = [rank.std() for rank in ranks]
    if min(spread) == 0:
        return 0.0
    return float(
        ((ranks[0] - ranks[0].mean()) * (ranks[1] - ranks[1].mean())).mean()
        / (spread[0] * spread[1])
    )


def _ranks(values: Any) -> Any:
    """Ranks, the mean of them for equal values."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place]
