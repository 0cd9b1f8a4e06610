"""Layers that torch does not train in the original are named, with what to do."""

import pytest
import torch
from torch import Tensor, nn

from core.analyse import analyse, build
from core.wings.importing import import_module
from core.wings.importing.tracing.hidden_layers import hidden_layers
from core.wings.importing.verify.equivalence import verdicts


class Features(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.head = nn.Linear(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            features = self.backbone(x)
        return self.head(features)


class Freezes(Features):
    def forward(self, x: Tensor) -> Tensor:
        self.backbone.requires_grad_(False)
        return self.head(self.backbone(x))


class Nested(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = {"a": [nn.Linear(6, 6)]}


@pytest.mark.parametrize("kind", [Features, Freezes])
def test_a_backbone_without_gradients_is_named_with_the_offer_to_freeze_it(
    kind: type[nn.Module],
) -> None:
    model = kind().eval()
    found = import_module(model, [(4,)])
    judged = verdicts(model, build(str(analyse(found.project.graph).source)), found.keys, [(4,)])
    assert (
        "The original computes backbone without gradients (torch.no_grad, detach or requires_grad_ "
        "in forward): freeze these blocks of the drawing before it is trained" in judged[-1].note
    )


def test_layers_in_a_list_inside_of_a_dictionary_are_named() -> None:
    assert hidden_layers(Nested()) == (
        "parts holds layers in a plain dictionary, whose weights torch neither trains nor saves: "
        "make it an nn.ModuleDict",
    )
