"""Numbers of the cards on own operators and control flow, counted and calculated by hand."""

import pytest
import torch

from tests.wings.cards.conftest import Alone, subject


@pytest.mark.gate
def test_an_operator_is_one_operation_and_plain_python_three(alone: Alone) -> None:
    values = alone.values("custom-operator", "mlp_iris")
    assert (values["added"], values["counts"]) == (1, [1, 3])
    assert [row[0] for row in values["rows"]] == [
        "test_schema", "test_autograd_registration", "test_faketensor",
        "test_aot_dispatch_dynamic",
    ]  # fmt: skip
    assert values["passed"] == 4
    z = torch.linspace(-3, 3, 31, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad((z / (1 + z.abs())).sum(), z)
    torch.testing.assert_close(slope, (1 + z.abs()) ** -2)  # the card's gradient, by its formula
    assert 0 <= values["difference"] < 1e-6


def test_cond_keeps_both_ways_and_a_trace_one(alone: Alone) -> None:
    values = alone.values("cond", "mlp_iris")
    assert (values["traced"], values["kept"], values["branches"]) == (1, 2, 2)
    assert sorted(operation for _, operation in values["ways"]) == [
        "aten.div.Tensor", "aten.mul.Tensor",
    ]  # fmt: skip
    assert values["rows"][2][:2] == ["if, exported", "refused"]


def test_its_two_batches_take_one_way_each() -> None:
    it = subject("cond", "mlp_iris")
    with torch.no_grad():
        means = sorted(it.model(sample[None]).mean().item() for sample in it.x)
    middle = sum(means) / 16
    assert sum(means[:8]) / 8 < middle < sum(means[8:]) / 8


def test_a_fork_and_its_wait_stand_in_the_graph(alone: Alone) -> None:
    values = alone.values("fork-wait")
    kinds = [row[0] for row in values["rows"]]
    assert (values["forks"], values["waits"]) == (1, 1)
    assert kinds.index("prim::fork") < kinds.index("prim::CallMethod") < kinds.index("aten::wait")
    assert 0 <= values["difference"] < 1e-5
    assert values["gain"] == values["times"][0] / values["times"][1]
