"""Numbers of the cards on weights, against numpy's singular values."""

import numpy as np
import pytest

from core.analyse import analyse_project, report_json
from core.wings.cards.card import Card
from core.wings.cards.catalogue import CARDS
from core.wings.cards.drawing import Drawing
from core.wings.cards.run import block_of, objection
from core.wings.cards.text import card_text
from tests.core.small_runs import project, table_net
from tests.wings.cards.conftest import Alone, subject


def test_spectral_norm_brings_the_largest_singular_value_to_one(alone: Alone) -> None:
    values = alone.values("spectral-norm")
    weight = subject("spectral-norm").model.get_submodule("conv1").weight
    matrix = weight.detach().flatten(1).numpy()  # type: ignore[operator]
    assert values["before"] == pytest.approx(np.linalg.svd(matrix)[1][0], rel=1e-5)
    assert values["after"] == pytest.approx(1.0, abs=0.02)
    assert [key for key, _ in values["rows"]] == [
        "bias", "parametrizations.weight.original", "parametrizations.weight.0._u",
        "parametrizations.weight.0._v",
    ]  # fmt: skip


def computing(way: str) -> Drawing:
    graph = table_net(4, 3, hidden=4)
    graph["nodes"]["fc1"]["settings"]["parametrize"] = way
    found = project(graph, {"source": "iris"})
    return Drawing(found, report_json(analyse_project(found)))


@pytest.mark.gate
@pytest.mark.parametrize("card", CARDS.values(), ids=lambda card: card.name)
@pytest.mark.parametrize("way", ["weight_norm", "symmetric"])
def test_the_text_of_a_card_holds_a_drawing_whose_weights_are_computed(
    card: Card, way: str
) -> None:
    drawing = computing(way)
    if card.parts is not None and not card.parts(drawing):
        assert objection(card, drawing) == card.without_part
        return
    text = card_text(card, drawing, block_of(card, drawing, "")).text
    assert (
        "class SymmetricWeight(nn.Module):"
        if way == "symmetric"
        else "weight_norm(nn.Linear(4, 4))"
    ) in text


@pytest.mark.parametrize("name", ["pruning-masks", "quantisation-steps"])
def test_weights_that_are_computed_are_not_changed(name: str) -> None:
    assert objection(CARDS[name], computing("weight_norm")) == (
        "It changes weights, and that of fc1 is computed from others (weight_norm)."
    )


def test_spectral_norm_is_offered_of_weights_that_are_learned_as_they_are() -> None:
    parts = CARDS["spectral-norm"].parts
    assert parts is not None
    assert parts(computing("weight_norm")) == ("fc2",)
