"""Two real processes against one, and what they send, counted from shapes."""

import pytest
import torch
from torch.nn import functional as F

from core.wings.cards.catalogue import CARDS
from tests.wings.cards.conftest import Alone, drawing_of, subject


@pytest.mark.gate
def test_halves_of_a_layer_send_their_outputs_and_answer_alike(alone: Alone) -> None:
    values = alone.values("tensor-parallel", "mlp_iris")
    samples, outputs = 16, 16
    assert values["by_outputs"] == 2 * 4 * samples * outputs // 2
    assert values["by_inputs"] == 2 * 4 * samples * outputs
    assert values["half"] == 4 * 4 * 16 // 2
    assert 0 <= values["difference"] < 1e-5
    assert [row[:2] for row in values["rows"]] == [
        ["inputs", "0"], ["inputs", "1"], ["outputs", "0"], ["outputs", "1"],
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("template", "block", "passed"),
    [("mlp_iris", "fc1", 16 * 16), ("resnet_digits", "stem", 16 * 16 * 8 * 8)],
)
def test_a_pipeline_sends_what_its_cut_gives_and_its_gradient(
    template: str, block: str, passed: int, alone: Alone
) -> None:
    values = alone.values("pipeline-parallel", template)
    model = subject("pipeline-parallel", template).model
    assert values["sent"] == 2 * 4 * passed
    assert values["every"] == sum(4 * weight.numel() for weight in model.parameters())
    assert values["idle"] == pytest.approx(20.0)
    assert 0 <= values["difference"] < 1e-5
    ranks = {row[0]: row[1] for row in values["rows"]}
    assert {name for name, rank in ranks.items() if rank == "0"} == {
        name for name, _ in model.named_parameters() if name.startswith(f"{block}.")
    }
    assert set(ranks.values()) == {"0", "1"}


def test_a_pipeline_is_cut_where_nothing_leads_past_the_cut() -> None:
    cuts = CARDS["pipeline-parallel"].parts
    assert cuts is not None
    assert cuts(drawing_of("mlp_iris")) == ("fc1", "relu1", "fc2", "relu2")
    found = cuts(drawing_of("resnet_digits"))
    assert found == ("stem", "bn1", "relu1", "down", "bn2", "relu2", "pool")


@pytest.mark.slow
def test_micro_batches_add_up_to_the_gradient_of_the_batch(alone: Alone) -> None:
    it = subject("pipeline-parallel", "mlp_iris")
    weights = list(it.model.parameters())
    parts = [F.cross_entropy(it.model(a), b) / 4
             for a, b in zip(it.x.chunk(4), it.y.chunk(4), strict=True)]  # fmt: skip
    apart = torch.autograd.grad(sum(parts), weights)  # type: ignore[arg-type]
    whole = torch.autograd.grad(F.cross_entropy(it.model(it.x), it.y), weights)
    lies = max(float((a - b).abs().max()) for a, b in zip(apart, whole, strict=True))
    assert alone.values("pipeline-parallel", "mlp_iris")["difference"] <= lies + 1e-7
