"""The training script adds gradients as the ranks of a run do."""

import pytest
import torch
from torch import nn

from core.engine.torchrun_functions import GradientSum
from core.wings.launch.engine.rank_step import RankStep, StepRounds
from core.wings.launch.engine.ranks import Ranks
from tests.wings.launch.engine.forked_ranks import on_ranks


def _sums(ranks: Ranks) -> list[bool]:
    """Whether the sum of a run and that of the script are the same tensor for each weight."""
    torch.manual_seed(1)
    weights = [nn.Parameter(torch.randn(7, 5)), nn.Parameter(torch.randn(5))]
    weights.append(nn.Parameter(torch.randn(3)))  # nothing uses it
    module = nn.Module()
    for index, weight in enumerate(weights):
        module.register_parameter(f"weight{index}", weight)
    step = RankStep(ranks, module, weights, False, lambda: 0.0)
    sums = GradientSum(module, ranks.world)
    count, found = 5, [weight.grad for weight in weights]
    step.turn = StepRounds(0, 1, count)
    step._total.extend([None] * 3)
    for number in range(2):
        k = number * ranks.world + ranks.rank
        torch.manual_seed(k)
        gradients = [torch.randn(7, 5), torch.randn(5) if k % 2 else None, None]
        step.turn.number, step.turn.k = number, k
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.grad = gradient
        step.stream.begin(0)
        step.begin()
        step.exchange()
        found = [weight.grad for weight in weights]
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.grad = gradient
        sums.add(min(ranks.world, count - number * ranks.world), number == 0)
    pairs = zip(found, [weight.grad for weight in weights], strict=True)
    return [torch.equal(a, b) if a is not None and b is not None else a is b for a, b in pairs]


@pytest.mark.slow
def test_the_script_adds_gradients_as_a_run_does_to_the_bit() -> None:
    assert on_ranks(3, _sums) == [[True, True, True]] * 3
