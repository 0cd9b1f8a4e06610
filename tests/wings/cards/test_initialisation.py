"""Numbers of the card on initial weights, against weights drawn and passed on by hand."""

import math

import pytest
import torch

from tests.wings.cards.conftest import Alone, subject


def test_small_weights_shrink_the_spread_as_a_pass_by_hand_does(alone: Alone) -> None:
    it = subject("initialisation", "mlp_iris")
    values = alone.values("initialisation", "mlp_iris")
    weights = {name: w for name, w in it.model.named_parameters() if name.endswith("weight")}
    torch.manual_seed(0)
    spreads: list[float] = []
    value = it.x
    for weight in weights.values():
        small = torch.empty_like(weight).normal_(0, 0.01)
        value = value @ small.T  # biases start at 0
        spreads.append(float(value.detach().std()))
        value = value.relu()
    assert values["small"] == pytest.approx([math.log10(s) for s in spreads], abs=1e-3)
    assert values["ratio"] == pytest.approx(spreads[0] / spreads[-1], rel=1e-3)
    assert values["depth"] == [1, 2, 3]
