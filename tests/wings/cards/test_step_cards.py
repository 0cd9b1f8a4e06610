"""Numbers of the cards on checkpoints, hooks and the interpreter, in plain torch."""

import pytest
import torch
from torch import Tensor, fx, nn
from torch.nn import functional as F

from core.wings.cards.catalogue import CARDS
from core.wings.cards.graphs.limits import TAKEN
from core.wings.cards.run import objection
from tests.wings.cards.conftest import DEAD, Alone, drawing_of, subject

ROW = 4 * 16 * 16
"""Bytes of the output of a hidden layer of the MLP on iris: 16 samples, 16 numbers."""


@pytest.mark.gate
def test_segments_keep_their_inputs_and_the_last_one_what_it_needs(alone: Alone) -> None:
    values = alone.values("activation-checkpoints", "mlp_iris")
    # fc1, relu1, fc2, relu2, fc3; a Linear keeps its input, a ReLU its output, which is the next
    # input; the batch is there anyway
    kept = [2 * ROW, ROW, 2 * ROW, 3 * ROW, 4 * ROW]
    assert values["kept_mb"] == pytest.approx([1e-6 * size for size in kept])
    assert (values["plain"], values["least"], values["share"]) == (2 * ROW, ROW, 50.0)
    assert (values["best"], values["again"], values["operations"]) == (2, 3, 5)
    assert values["difference"] == 0.0
    said = CARDS["activation-checkpoints"].explanation(values)
    assert "2 segments keep least here, 1,024 of 2,048 bytes" in said


def lengths(model: nn.Module, output: Tensor, y: Tensor, factor: float) -> dict[str, Tensor]:
    """Gradients of the weights, the loss multiplied: what a doubled gradient at the end makes."""
    loss = factor * F.cross_entropy(output, y)
    names, weights = zip(*model.named_parameters(), strict=True)
    return dict(zip(names, torch.autograd.grad(loss, weights), strict=True))


def test_a_doubled_gradient_doubles_the_block_and_all_before_it(alone: Alone) -> None:
    values = alone.values("gradient-hooks", "mlp_iris")
    assert values["ways"] == [
        ["on its output", "2", "4 of 6"],  # weight and bias of fc2 and fc1, not of fc3
        ["full backward pre-hook", "2", "4 of 6"],
        ["full backward hook", "1", "2 of 6"],
        ["on its weight", "2", "1 of 6"],
    ]
    factors = dict(zip(values["names"], values["factors"], strict=True))
    it = subject("gradient-hooks", "mlp_iris")
    once = lengths(it.model, it.model(it.x), it.y, 1.0)
    twice = lengths(it.model, it.model(it.x), it.y, 2.0)
    for name in ("fc1.weight", "fc2.bias"):
        wanted = (twice[name].norm() / once[name].norm()).item()
        assert factors[name] == pytest.approx(wanted, rel=1e-5)
    assert factors["fc3.weight"] == pytest.approx(1.0)


def test_where_no_gradient_arrives_a_hook_changes_none(alone: Alone) -> None:
    values = alone.values("gradient-hooks", DEAD)
    assert values["changed"] == 0
    assert "twice 0 is 0" in CARDS["gradient-hooks"].explanation(values)


def test_hooks_come_in_the_order_that_torch_defines(alone: Alone) -> None:
    values = alone.values("hook-order", "mlp_iris")
    assert [row[1] for row in values["rows"]] == [
        "forward pre-hook of the module",
        "forward hook of the module",
        "full backward pre-hook of the module",
        "tensor hook of the output",
        "node pre-hook of the output",
        "node hook of the output",
        "tensor hook of the weight",
        "pre-hook of AccumulateGrad",
        "post_accumulate_grad hook of the weight",
        "hook of AccumulateGrad",
        "full backward hook of the module",
    ]
    assert (values["early"], values["calls"]) == (6, 11)
    assert values["finished"] == "post_accumulate_grad hook of the weight"
    it = subject("hook-order", "mlp_iris")
    gradient = lengths(it.model, it.model(it.x), it.y, 1.0)["fc2.weight"]
    rows = {row[1]: row for row in values["rows"]}
    for hook in ("tensor hook of the weight", "post_accumulate_grad hook of the weight"):
        assert rows[hook][2] == f"{gradient.norm():.3g}"


def test_the_interpreter_runs_each_node_and_the_pass_replaces_each_tanh(alone: Alone) -> None:
    values = alone.values("fx-interpreter")
    it = subject("fx-interpreter")
    assert values["nodes"] == 1 + 11 + 1 + 1  # Input, blocks, flatten, output
    assert values["difference"] == 0.0
    assert values["changes"] == [[f"tanh{n}", "Tanh", "hardtanh"] for n in (1, 2, 3, 4)]
    shapes = {row[0]: row[2] for row in values["rows"]}
    assert shapes["conv1"] == "(16, 6, 28, 28)"
    with torch.no_grad():
        expected = it.model(it.x)
        for name in ("tanh1", "tanh2", "tanh3", "tanh4"):
            setattr(it.model, name, nn.Hardtanh())
        moved = (it.model(it.x) - expected).abs().max().item()
    assert values["moved"] == pytest.approx(moved, rel=1e-5)


@pytest.mark.slow
def test_a_network_without_activations_is_left_as_it_is(alone: Alone) -> None:
    values = alone.values("fx-interpreter", "lstm_text")
    assert (values["replaced"], values["moved"], values["changes"]) == (0, 0.0, [])
    assert "no node that the pass replaces" in CARDS["fx-interpreter"].explanation(values)


def test_a_block_with_a_name_of_a_traced_module_is_named() -> None:
    assert tuple(sorted(n for n in set(dir(fx.GraphModule)) - set(dir(nn.Module))
                                 if not n.startswith("_"))) == TAKEN  # fmt: skip
    for name in ("fx-interpreter", "fx-table", "activation-checkpoints"):
        assert objection(CARDS[name], drawing_of("autoencoder_digits")) == (
            "torch.fx uses the name code itself. Rename that block to run this card."
        )
