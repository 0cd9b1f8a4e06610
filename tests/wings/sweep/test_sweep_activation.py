"""An activation that is new is known to the search space of a sweep."""

from app.wings.sweep import space
from tests.test_new_activation import arctan, network

__all__ = ["arctan"]


def test_a_sweep_offers_it_and_its_alternatives() -> None:
    found = {each.key: each for each in space.searchable(network())}
    assert found["arc1.block"].value == "Arctan"
    assert {"ReLU", "Tanh", "Arctan"} <= set(found["arc1.block"].choices)
