"""Numbers of the cards on autograd, against formulas and loops that know nothing of the cards."""

import math

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.wings.cards.catalogue import CARDS
from tests.wings.cards.conftest import OWN, Alone, drawing_of, subject


@pytest.mark.gate
def test_the_graph_of_lenet_has_a_node_for_each_operation_and_each_weight(alone: Alone) -> None:
    values = alone.values("graph-of-a-step")
    assert values["accumulators"] == 10
    # 2 convolutions, 4 tanh, 2 pools, flatten, 3 Linear with their transposed weight, loss in 2
    assert values["nodes"] - values["accumulators"] == 2 + 4 + 2 + 1 + 3 * 2 + 2
    assert values["rows"][0] == ["NllLossBackward0", "LogSoftmaxBackward0"]
    assert ["AccumulateGrad", "fc3.bias"] in values["rows"]


def test_a_neuron_of_iris_by_hand(alone: Alone) -> None:
    it = subject("one-neuron", "mlp_iris")
    values = alone.values("one-neuron", "mlp_iris")
    layers = [part for part in it.model.modules() if isinstance(part, nn.Linear)]
    first = layers[0]
    z = (it.x[0] @ first.weight[values["neuron"]] + first.bias[values["neuron"]]).item()
    assert values["z"] == pytest.approx(z, rel=1e-5)
    assert z > 0  # behind a ReLU that lets it through
    assert values["unmoved"] == 0
    assert values["difference"] < 1e-6
    inputs = {row[0]: float(row[1]) for row in values["rows"]}
    assert inputs["2"] == pytest.approx(float(it.x[0, 2]), abs=1e-4)


def test_gradients_at_the_layers_are_those_of_autograd_grad(alone: Alone) -> None:
    it = subject("hooks", "mlp_iris")
    layers = list(it.model.children())
    outputs: list[Tensor] = []
    value = it.x
    for layer in layers:
        value = layer(value)
        outputs.append(value)
    loss = F.cross_entropy(value, it.y)
    lengths = [float(part.norm()) for part in torch.autograd.grad(loss, outputs)]
    values = alone.values("hooks", "mlp_iris")
    assert values["length"] == pytest.approx(lengths, rel=1e-4)
    assert values["ratio"] == pytest.approx(lengths[0] / lengths[-1], rel=1e-4)


def test_swish_and_its_derivatives_are_those_of_the_formula(alone: Alone) -> None:
    values = alone.values("own-function", "mlp_iris")
    assert values["second"] == pytest.approx(0.5)
    assert values["difference"] < 1e-12
    for z, value, slope in zip(values["xs"], values["value"], values["slopes"], strict=True):
        s = 1 / (1 + math.exp(-z))
        assert value == pytest.approx(z * s)
        assert slope == pytest.approx(s + z * s * (1 - s))


def test_gradients_add_up_to_twice_and_halves_to_one(alone: Alone) -> None:
    it = subject("accumulate")
    parts = torch.autograd.grad(F.cross_entropy(it.model(it.x), it.y), list(it.model.parameters()))
    once = float(torch.cat([part.flatten() for part in parts]).norm())
    values = alone.values("accumulate")
    assert values["ratio"] == pytest.approx(2.0)
    assert values["lengths"] == pytest.approx([once, 2 * once, 0.0, once], rel=1e-4)


def test_a_cut_leaves_the_weights_behind_it(alone: Alone) -> None:
    values = alone.values("detach")
    reached = [name for name, flag in values["rows"] if flag == "yes"]
    # cut at pool2, the block amid the drawing
    assert reached == [f"fc{n}.{kind}" for n in (1, 2, 3) for kind in ("weight", "bias")]
    assert values["still"] == 6
    assert values["without"] == 0
    assert values["with_grad"] > 4 * 16 * 6 * 28 * 28  # the output of conv1 alone


@pytest.mark.parametrize("name", ["detach", "distillation", "pipeline-parallel"])
def test_a_block_that_gives_a_tuple_is_not_offered(name: str) -> None:
    offered = CARDS[name].parts
    assert offered is not None
    blocks = {drawing_of(each).parts[path].block
              for each in ("lstm_text", OWN) for path in offered(drawing_of(each))}  # fmt: skip
    assert blocks
    assert blocks & {"LSTM", "Halves"} == set()
