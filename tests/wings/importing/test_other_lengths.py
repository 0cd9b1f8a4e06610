"""What was drawn for twelve tokens holds for any other number of them."""

import warnings
from collections.abc import Sequence

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.wings.importing import import_module
from tests.wings.importing.drawn import compared_with_drawing

FAMILIES = ("BERT", "GPT-2", "Llama")


@pytest.mark.gate
@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_of_transformers_holds_for_one_five_and_seventeen_tokens(name: str):
    pytest.importorskip("transformers")
    from tests.wings.importing.bench.transformers_row import NINE

    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = NINE[name]().eval()
        judged, found, ours = compared_with_drawing(model, 12, dtype="int64<99")
    assert [judged[n].equal for n in ("the sample", "another image size")] == [True, True]
    (tokens,) = found.project.graph.of_block("Input")
    assert "static_shape" not in found.project.graph.nodes[tokens].settings
    for length in (1, 5, 17):
        assert first(ours.eval()(torch.zeros(2, length, dtype=torch.int64))).shape[0] == 2


def first(result: object) -> Tensor:
    return result if isinstance(result, Tensor) else first(next(iter(as_sequence(result))))


def as_sequence(result: object) -> Sequence[object]:
    assert isinstance(result, dict | tuple | list)
    return list(result.values()) if isinstance(result, dict) else list(result)


class LeavesOut(nn.Module):
    """Makes its mask only where it hides something, as libraries do."""

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] == 1:
            return F.scaled_dot_product_attention(x, x, x)
        steps = torch.arange(x.shape[1])
        mask = steps[:, None] >= steps[None, :]
        return F.scaled_dot_product_attention(x, x, x, attn_mask=mask)


class Halves(nn.Module):
    """Really does otherwise for one step."""

    def forward(self, x: Tensor) -> Tensor:
        return x / 2 if x.shape[1] == 1 else x + 1


@pytest.mark.parametrize(("model", "held"), [(LeavesOut(), False), (Halves(), True)])
def test_a_size_is_held_only_where_the_results_would_be_others(model: nn.Module, held: bool):
    graph = import_module(model, [(12, 4)]).project.graph
    (source,) = graph.of_block("Input")
    assert ("static_shape" in graph.nodes[source].settings) is held
