"""Layers and weights are named wherever a model hides them from torch."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import pytest
from torch import Tensor, nn

from core.wings.importing.tracing.hidden_layers import hidden_layers

OUTSIDE = nn.Linear(3, 3)
ALIKE: dict[str, nn.Module] = {}
"""Named as an attribute of a model, and read by none."""


@dataclass
class Pair:
    first: nn.Module
    more: list[nn.Module]


class Holds(nn.Module):
    """Keeps what it is given as an attribute."""

    def __init__(self, held: Any) -> None:
        super().__init__()
        self.layer, self.held, self.ALIKE = nn.Linear(3, 3), held, 0

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x) + self.ALIKE


class OfClass(nn.Module):
    shared: ClassVar[nn.Module] = nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.shared(x)


class OfFile(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return OUTSIDE(x)


def closure() -> Callable[[Tensor], Tensor]:
    layer = nn.Linear(3, 3)

    def run(x: Tensor) -> Tensor:
        return layer(x)

    return run


def called(layer: nn.Module, x: Tensor) -> Tensor:
    return layer(x)


@pytest.mark.parametrize(
    ("model", "begin"),
    [
        (Holds(Pair(nn.ReLU(), [nn.Linear(3, 3)])), "held holds layers in a Pair, whose weights "),
        (Holds(partial(called, nn.Linear(3, 3))), "held holds layers in a partial, whose "),
        (Holds(nn.Linear(3, 3).forward), "held holds layers in a method, whose weights "),
        (Holds(deque([nn.Linear(3, 3)])), "held holds layers in a deque, whose weights "),
        (Holds([nn.Parameter(OUTSIDE.weight)]), "held holds weights in a plain list, which "),
        (Holds(closure()), "the variable layer around run holds layers outside of the model, "),
        (OfClass(), "the class attribute OfClass.shared holds layers outside of the model, "),
        (OfFile(), "the global variable OUTSIDE holds layers outside of the model, whose "),
    ],
)
def test_hidden_layers_are_named_with_their_place(model: nn.Module, begin: str) -> None:
    (sentence,) = hidden_layers(model)
    assert sentence.startswith(begin)
    assert "torch neither trains nor saves: make" in sentence


@pytest.mark.parametrize("held", [[nn.ReLU()], partial(called, nn.ReLU()), called, "text", None])
def test_what_has_no_weights_is_not_named(held: Any) -> None:
    assert hidden_layers(Holds(held)) == ()


def test_a_registered_layer_is_not_named_again() -> None:
    model = Holds(None)
    model.held = (model.layer, model.layer.forward, {"w": model.layer.weight})
    assert hidden_layers(model) == ()


def test_a_global_of_the_name_of_an_attribute_is_not_read() -> None:
    ALIKE["layer"] = nn.Linear(3, 3)
    assert hidden_layers(Holds(None)) == ()
