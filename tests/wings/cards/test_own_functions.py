"""Numbers of the cards on own Functions, the engine and kernels, counted and by other ways."""

import pytest
import torch

from core.wings.cards.catalogue import CARDS
from tests.wings.cards.conftest import WRONG, Alone, subject


@pytest.mark.gate
def test_a_block_whose_gradient_is_half_its_slope_fails_both_checks(alone: Alone) -> None:
    values = alone.values("gradcheck-of-a-block", WRONG)
    assert (values["first"], values["second"], values["agreed"]) == (False, False, 0)
    assert [row[0] for row in values["rows"]] == ["gradcheck", "gradgradcheck"]
    said = CARDS["gradcheck-of-a-block"].explanation(values)
    assert "not the slope of what it calculates" in said
    assert "Both derivatives are right" not in said


@pytest.mark.slow
@pytest.mark.parametrize("template", ["mlp_iris", "resnet_digits", "gpt_text"])
def test_blocks_of_torch_pass_both_checks(template: str, alone: Alone) -> None:
    values = alone.values("gradcheck-of-a-block", template)
    assert values["rows"] == [["gradcheck", "agrees"], ["gradgradcheck", "agrees"]]
    assert values["ratio"] == values["best"][1] / values["best"][0]


@pytest.mark.slow
def test_a_function_keeps_what_goes_into_a_convolution_and_two_numbers_a_channel(
    alone: Alone,
) -> None:
    values = alone.values("conv-bn-function", "resnet_digits")
    into, out_of, statistics = 16 * 1 * 8 * 8, 16 * 16 * 8 * 8, 2 * 16
    assert values["plain_bytes"] == 4 * (into + out_of + statistics)
    assert values["kept"] == 4 * (into + statistics)
    assert values["share"] == pytest.approx(100 * 4224 / 69760)
    assert 0 <= values["difference"] < 1e-5
    assert "once_differentiable" in values["refused"]


@pytest.mark.gate
def test_the_engine_takes_the_nodes_of_the_mlp_one_by_one(alone: Alone) -> None:
    values = alone.values("engine-queue", "mlp_iris")
    # 3 Linear of a product, a transpose and 2 weights; 2 ReLU; the loss in 2
    assert (values["events"], values["weights"]) == (3 * 4 + 2 + 2, 6)
    assert (values["longest"], values["wrong"]) == (3, 0)
    names = [row[1] for row in values["rows"]]
    assert names[:6] == [
        "NllLossBackward0", "LogSoftmaxBackward0", "AddmmBackward0", "AccumulateGrad fc3.bias",
        "TBackward0", "AccumulateGrad fc3.weight",
    ]  # fmt: skip
    assert values["lengths"][:6] == [1, 1, 1, 3, 2, 2]


@pytest.mark.slow
def test_gradients_of_weights_arrive_in_the_order_of_the_events(alone: Alone) -> None:
    values = alone.values("engine-queue", "lenet_digits")
    it, came = subject("engine-queue"), list[str]()
    for name, weight in it.model.named_parameters():
        weight.register_post_accumulate_grad_hook(lambda _, name=name: came.append(name))
    torch.nn.functional.cross_entropy(it.model(it.x), it.y).backward()
    added = [row[1] for row in values["rows"] if row[1].startswith("AccumulateGrad")]
    assert added == [f"AccumulateGrad {name}" for name in came]


@pytest.mark.slow
def test_a_value_that_is_read_twice_waits_for_two_gradients(alone: Alone) -> None:
    values = alone.values("engine-queue", "resnet_digits")
    assert values["wrong"] == 0
    assert (values["gathered"], values["at"]) == (2, "ReluBackward0")
    assert "waits for 2 gradients" in CARDS["engine-queue"].explanation(values)


ALIASES = ("CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional",
           "CompositeImplicitAutograd", "PrivateUse1")  # fmt: skip


@pytest.mark.gate
def test_a_new_device_needs_kernels_that_are_registered_for_no_alias(alone: Alone) -> None:
    values = alone.values("dispatcher-table", "mlp_iris")
    names = [row[0] for row in values["rows"]]
    assert {"aten::t", "aten::addmm", "aten::relu"} <= set(names)
    registered = torch._C._dispatch_has_kernel_for_dispatch_key
    without = [name for name in names if not any(registered(name, key) for key in ALIASES)]
    assert without == [row[0] for row in values["rows"] if row[-1] == "none"] == ["aten::relu"]
    assert (values["missing"], values["different"]) == (1, len(names))
    own = [row[3] == "its own" for row in values["rows"]]
    assert own == [registered(name, "CPU") for name in names]


@pytest.mark.slow
def test_a_call_with_gradients_runs_autograd_and_then_the_cpu(alone: Alone) -> None:
    values = alone.values("dispatcher-table", "mlp_iris")
    assert values["named"] == "aten::addmm"
    assert values["path"] == "AutogradCPU, then CPU"
    assert values["way"][0] == ["AutocastCPU", "switched off"]
    assert ["CPU", "its own"] in [row[:2] for row in values["full"]]


@pytest.mark.slow
def test_each_kernel_lets_another_tool_work(alone: Alone) -> None:
    it = subject("operator-kernels", "mlp_iris")
    values = alone.values("operator-kernels", "mlp_iris")
    rows = {row[0]: row[1:] for row in values["rows"]}
    weight = it.model.get_submodule("fc1").weight
    (slope,) = torch.autograd.grad(it.model(it.x).sum(), weight)
    total = f"{it.model(it.x).sum().item():.6g}"
    assert float(rows["sum of the output"][0]) == pytest.approx(float(total), rel=1e-4)
    assert rows["shape on meta"] == ["refused: NotImplementedError", "48", "48"]  # 16 of 3 classes
    assert rows["torch.export"][0].startswith("refused")
    assert float(rows["gradient"][2]) == pytest.approx(slope.abs().max().item(), rel=1e-4)
    assert (values["alone"], values["shaped"], values["complete"]) == (1, 3, 4)
    assert values["passed"] == 4
    assert 0 <= values["difference"] < 1e-5


@pytest.mark.slow
@pytest.mark.needs("g++")
def test_an_operator_in_cpp_has_two_kernels_and_gives_the_linears_outputs(alone: Alone) -> None:
    values = alone.values("cpp-operator", "mlp_iris")
    assert values["kernels"] == 2
    assert dict(values["rows"]) == {
        "CPU": "affine.cpp", "Meta": "affine.cpp", "AutogradCPU": "none", "PrivateUse1": "none",
    }  # fmt: skip
    assert values["slower"] == values["times"][1] / values["times"][0]
    assert 0 <= values["difference"] < 1e-5
