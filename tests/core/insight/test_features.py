"""Feature maps are what a plain forward computes, for modules and functions alike."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.analyse import Report, build
from core.analyse.report import size
from core.insight.features import capture, feature_maps
from tests.core.insight.drawn import DRAWINGS, chain, lenet, resnet, shared

every_drawing = pytest.mark.parametrize("name", DRAWINGS)


def made(report: Report, batch: int = 2) -> tuple[nn.Module, tuple[Tensor, ...]]:
    torch.manual_seed(0)
    module = build(report.source or "", report.class_name).eval()
    return module, tuple(
        torch.randn(size(s, batch)) if s.floating else torch.randint(11, size(s, batch))
        for _, s in report.inputs
    )


@every_drawing
def test_watching_gives_the_output_of_a_plain_forward_to_the_bit(name: str) -> None:
    report = DRAWINGS[name]()
    module, inputs = made(report)
    with torch.no_grad():
        plain = module(*inputs)
    assert torch.equal(capture(module, report, inputs).output, plain)


@every_drawing
def test_every_block_is_caught_with_the_shape_the_analysis_says(name: str) -> None:
    report = DRAWINGS[name]()
    module, inputs = made(report)
    values = capture(module, report, inputs).values
    for path, node in report.nodes.items():
        if node.block in ("Input", "Output") and "." in path:
            continue  # the ends of a composite are its neighbours' values
        shape = size(next(iter(node.outputs.values())), 2)
        assert first_of(values[path]).shape == shape, path


def first_of(value: Any) -> Tensor:
    while isinstance(value, tuple):
        value = value[0]
    return value


@pytest.mark.parametrize("name", ["conv1", "pool2", "fc2"])
def test_a_module_s_map_is_what_a_forward_hook_sees(name: str) -> None:
    report = lenet()
    module, inputs = made(report)
    seen: list[Tensor] = []
    handle = module.get_submodule(name).register_forward_hook(lambda _m, _a, out: seen.append(out))
    with torch.no_grad():
        module(*inputs)
    handle.remove()
    assert torch.equal(feature_maps(module, report, inputs, name), seen[0])


def test_repeated_blocks_are_kept_apart() -> None:
    report = resnet()
    module, inputs = made(report)
    values = capture(module, report, inputs).values
    stem, first, second = values["stem"], values["stage.0"], values["stage.1"]
    with torch.no_grad():
        assert torch.equal(module.get_submodule("stage.0")(stem), first)
        assert torch.equal(module.get_submodule("stage.1")(first), second)
    assert torch.equal(values["stage"], second)
    assert torch.equal(values["stage.0.join"], first)
    assert not torch.equal(values["stage.0.conv1"], values["stage.1.conv1"])


def test_an_in_place_layer_does_not_change_the_map_before_it() -> None:
    report = resnet()
    module, inputs = made(report)
    values = capture(module, report, inputs).values
    before, after = values["last.conv1"], values["last.relu1"]
    assert before.min() < 0
    assert torch.equal(before.clamp(min=0), after)


def test_two_calls_of_one_layer_are_two_nodes() -> None:
    report = shared()
    module, inputs = made(report)
    values = capture(module, report, inputs).values
    with torch.no_grad():
        assert torch.equal(module.get_submodule("fc1")(values["relu"]), values["again"])
    assert not torch.equal(values["fc1"], values["again"])


def test_all_outputs_of_a_recurrent_layer_are_kept() -> None:
    report = DRAWINGS["lstm"]()
    module, inputs = made(report)
    output, (h_n, c_n) = capture(module, report, inputs).values["lstm"]
    assert [tuple(t.shape) for t in (output, h_n, c_n)] == [(2, 5, 6), (2, 2, 6), (2, 2, 6)]
    assert torch.equal(output[:, -1], h_n[-1])


def test_only_the_nodes_asked_for_are_kept() -> None:
    report = lenet()
    module, inputs = made(report)
    assert set(capture(module, report, inputs, ["image", "conv2", "logits"]).values) == {
        "image",
        "conv2",
        "logits",
    }


def test_a_node_that_does_not_exist_is_named() -> None:
    report = lenet()
    module, inputs = made(report)
    with pytest.raises(ValueError, match="conv9 needs to be a node"):
        feature_maps(module, report, inputs, "conv9")


def test_looking_leaves_the_module_and_the_random_state_as_they_were() -> None:
    report = chain([4], ("drop", "Dropout", {}), ("bn", "BatchNorm1d", {}))
    module, inputs = made(report)
    module.train()
    module.get_submodule("bn").eval()
    buffers = {k: v.clone() for k, v in module.state_dict().items()}
    state = torch.get_rng_state()
    capture(module, report, inputs)
    assert (module.training, module.get_submodule("bn").training) == (True, False)
    assert all(torch.equal(v, buffers[k]) for k, v in module.state_dict().items())
    assert torch.equal(torch.get_rng_state(), state)
    untouched(module)


def test_a_failing_pass_leaves_no_hooks_behind() -> None:
    report = resnet()
    module, _ = made(report)
    with pytest.raises(RuntimeError):
        capture(module, report, (torch.rand(1, 3, 8, 8),))
    untouched(module)


def untouched(module: nn.Module) -> None:
    for part in module.modules():
        assert "forward" not in part.__dict__
        assert not part._forward_hooks
        assert not part._forward_pre_hooks


def test_gradients_still_flow_after_looking() -> None:
    report = lenet()
    module, inputs = made(report)
    capture(module, report, inputs)
    module(*inputs).sum().backward()
    assert all(p.grad is not None for p in module.parameters())
