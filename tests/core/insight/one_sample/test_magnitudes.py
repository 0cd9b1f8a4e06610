"""How large values and gradients are on the wires is what a plain script calculates."""

import json
from pathlib import Path

import pytest
import torch
from torch import nn

from core.common.network_ref import PartRef, ProjectRef
from core.insight.network_cache import opened
from core.insight.one_sample import magnitudes as module_of
from core.insight.one_sample.api import magnitudes, step
from core.insight.one_sample.sample import choose, dataset_of

ROOT = Path(__file__).parents[4] / "projects"
LENET, RESNET, SPIRALS = (
    ProjectRef((ROOT / f"{name}.loom.json").read_text())
    for name in ("lenet_digits", "resnet_digits", "mlp_spirals")
)
SAMPLE = {"part": "validation", "index": 4}


def mean(value: torch.Tensor) -> float:
    return value.detach().double().abs().mean().item()


def test_the_means_of_a_sample_are_those_of_a_script() -> None:
    module, chosen = opened(LENET).module, choose(LENET, SAMPLE)
    assert chosen.targets is not None
    value = module.get_submodule("conv1")(chosen.inputs[0])
    value.retain_grad()
    after = dict(module.named_children())
    x = value
    for name in list(after)[1:]:
        x = after[name](x.flatten(1) if name == "fc1" else x)
    nn.functional.cross_entropy(x, chosen.targets[0]).backward()
    module.zero_grad()
    found = magnitudes(LENET, SAMPLE)
    assert found["forward"]["image"] == {"output": mean(chosen.inputs[0])}
    assert found["forward"]["conv1"]["output"] == pytest.approx(mean(value))
    assert value.grad is not None
    assert found["backward"]["conv1"]["output"] == pytest.approx(mean(value.grad))
    assert "image" not in found["backward"]  # nothing before it is learned


def test_a_step_tells_the_same_means() -> None:
    assert step(LENET, SAMPLE)["magnitudes"] == magnitudes(LENET, SAMPLE)


def test_an_end_of_a_composite_has_what_it_passes_on() -> None:
    forward = magnitudes(RESNET, SAMPLE)["forward"]
    assert forward["stage1.1.input"] == forward["stage1.0"]
    assert forward["stage1.1.output"] == forward["stage1.1"]


def test_training_samples_stand_for_the_plane() -> None:
    dataset, module = dataset_of(SPIRALS), opened(SPIRALS).module
    rows = dataset.train_indices[:256]
    found = magnitudes(SPIRALS, {"plane": ""})
    expected = mean(module.get_submodule("fc1")(dataset.inputs[rows]))
    assert found["forward"]["fc1"]["output"] == pytest.approx(expected)
    assert set(found["backward"]) == {"fc1", "tanh1", "fc2", "tanh2", "fc3", "logits"}


def test_without_a_loss_and_in_a_very_large_network_there_is_no_way_back(monkeypatch) -> None:
    forward = magnitudes(LENET, SAMPLE)["forward"]
    drawn = {"own": {"drawing": "/////w==", "shape": [2, 2]}}
    assert magnitudes(LENET, drawn)["backward"] == {}
    monkeypatch.setattr(module_of, "MOST_MULT_ADDS", 1000)
    large = magnitudes(LENET, SAMPLE)
    assert large["backward"] == {}
    assert {path: pytest.approx(ports) for path, ports in forward.items()} == large["forward"]


def test_up_to_an_error_there_are_values_only() -> None:
    project = json.loads(LENET.text)
    project["graph"]["nodes"]["fc1"]["settings"]["in_features"] = 7
    found = magnitudes(PartRef(json.dumps(project)), SAMPLE)
    assert found["backward"] == {}
    assert "flat" in found["forward"]
    assert "fc1" not in found["forward"]


def test_whole_numbers_have_no_magnitude() -> None:
    ref = ProjectRef((ROOT / "lstm_text.loom.json").read_text())
    ((tokens, _),) = opened(ref).report.inputs
    assert magnitudes(ref, SAMPLE)["forward"][tokens] == {"output": None}
