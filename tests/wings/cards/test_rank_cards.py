"""Numbers of the cards on several processes, by sums and shuffles of plain torch."""

import pytest
import torch
import torch.distributed as dist
from torch.nn import functional as F

from tests.wings.cards.conftest import Alone, subject


@pytest.mark.gate
@pytest.mark.parametrize(("template", "weights"), [("mlp_iris", 403), ("lenet_digits", 61706)])
def test_a_ring_ends_with_the_sum_on_every_rank(template: str, weights: int, alone: Alone) -> None:
    values = alone.values("ring-all-reduce", template)
    parts = [len(part) for part in torch.zeros(weights).tensor_split(4)]
    assert values["gradients"] == weights
    assert values["wrong"] == 0
    assert values["steps"] == 2 * 3
    # each rank sends three parts to be added and three that are finished: all but one, twice
    most = max(2 * weights - parts[rank] - parts[(rank + 1) % 4] for rank in range(4))
    assert values["each"] == 4 * most
    assert values["server"] == 4 * 4 * weights
    assert len(values["rows"]) == 6 * 4
    assert values["in_ring"][2] == pytest.approx(1.5e-6 * 4 * weights)
    assert values["at_server"][2] == pytest.approx(1e-6 * values["server"])
    assert values["apart"] < 1e-6


def test_no_message_of_a_ring_leads_elsewhere_than_to_the_next_rank(alone: Alone) -> None:
    values = alone.values("ring-all-reduce", "mlp_iris")
    assert values["rows"][0] == ["1", "0", "1", "0", "adds it", "404"]
    assert values["rows"][12] == ["4", "0", "1", "1", "keeps it", "404"]
    assert all((int(row[1]) + 1) % 4 == int(row[2]) for row in values["rows"])


def test_the_mean_of_the_quarters_is_the_gradient_of_the_batch(alone: Alone) -> None:
    it = subject("ring-all-reduce", "mlp_iris")
    weights = list(it.model.parameters())
    losses = [F.cross_entropy(it.model(it.x[k : k + 4]), it.y[k : k + 4]) for k in (0, 4, 8, 12)]
    quarters = torch.autograd.grad(sum(losses) / 4, weights)  # type: ignore[arg-type]
    whole = torch.autograd.grad(F.cross_entropy(it.model(it.x), it.y), weights)
    lies = max(float((a - b).abs().max()) for a, b in zip(quarters, whole, strict=True))
    assert alone.values("ring-all-reduce", "mlp_iris")["apart"] < lies + 1e-6


def order(epoch: int) -> list[int]:
    """The samples of all ranks in the order of places: a shuffle, its beginning at the end."""
    found = torch.randperm(14, generator=torch.Generator().manual_seed(epoch)).tolist()
    return found + found[:2]


def test_ranks_take_turns_in_one_shuffle_of_each_epoch(alone: Alone) -> None:
    values = alone.values("distributed-sampler", "mlp_iris")
    rows = {(int(row[0]), int(row[1])): row[2:] for row in values["rows"]}
    for epoch in range(3):
        for rank in range(4):
            mine = " ".join(map(str, order(epoch)[rank::4]))
            assert rows[epoch, rank] == [mine, rows[0, rank][0]]
    assert (values["twice"], values["left_out"]) == (2, 2)
    assert (values["stuck"], values["slots"]) == (16, 16)
    assert values["moved"] > 0


@pytest.mark.parametrize(("template", "backwards"), [("mlp_iris", "yes"), ("lenet_digits", "no")])
def test_buckets_are_those_that_torch_fills_with_gradients_in_their_order(
    template: str, backwards: str, alone: Alone
) -> None:
    values = alone.values("gradient-buckets", template)
    of_model = dict(subject("gradient-buckets", template).model.named_parameters())
    weights = {row[1]: of_model[row[1]] for row in values["rows"]}
    layers = dict.fromkeys(name.partition(".")[0] for name in reversed(of_model))
    assert list(dict.fromkeys(name.partition(".")[0] for name in weights)) == list(layers)
    assert (list(weights) == list(of_model)[::-1]) == (backwards == "yes")
    sizes = {name: 4 * weight.numel() for name, weight in weights.items()}
    quarter = sum(sizes.values()) // 4
    assigned = dist._compute_bucket_assignment_by_size  # pyright: ignore[reportPrivateImportUsage]
    expected, _ = assigned(list(weights.values()), [quarter])
    filled = [sum(list(sizes.values())[place] for place in bucket) for bucket in expected]
    assert values["backwards"] == backwards
    assert values["sizes"] == filled
    assert values["buckets"] == len(filled)
    assert values["usual"] == 1
    assert values["early"] == round(100 * sum(filled[:-1]) / sum(filled), 1)


def test_each_gradient_comes_once_and_goes_to_one_bucket(alone: Alone) -> None:
    values = alone.values("gradient-buckets", "resnet_digits")
    assert sorted(row[1] for row in values["rows"]) == sorted(
        name for name, _ in subject("gradient-buckets", "resnet_digits").model.named_parameters()
    )
    assert sum(values["sizes"]) == 4 * 51642
