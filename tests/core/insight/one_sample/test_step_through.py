"""A step event by event: its order, and weights after it as torch's optimiser leaves them."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from core.common.network_ref import NetworkRef, ProjectRef
from core.insight.network_cache import objective, opened
from core.insight.one_sample.api import step
from core.insight.one_sample.sample import choose
from core.insight.one_sample.step_through import step as update_weights
from core.settings.validate import resolve

ROOT = Path(__file__).parents[4]
SAMPLE = {"part": "training", "index": 0}


def ref_of(name: str, **training: Any) -> NetworkRef:
    project = json.loads((ROOT / "projects" / f"{name}.loom.json").read_text())
    project["training"] = {**project.get("training", {}), **training}
    return ProjectRef(json.dumps(project))


def paths(events: list[dict[str, Any]], kind: str) -> list[str]:
    return [event["path"] for event in events if event["kind"] == kind]


def test_blocks_run_in_order_then_the_loss_then_back_then_the_update() -> None:
    events = step(ref_of("lenet_digits"), SAMPLE)["events"]
    there = ["image", "conv1", "tanh1", "pool1", "conv2", "tanh2", "pool2", "flat", "fc1", "tanh3",
             "fc2", "tanh4", "fc3", "logits"]  # fmt: skip
    assert paths(events, "forward") == there
    assert paths(events, "loss") == ["logits"]
    assert sorted(paths(events, "backward")) == sorted(there[1:])
    back = [path for path in paths(events, "backward") if path != "logits"]
    assert back == [path for path in reversed(there) if path in back]
    assert paths(events, "update") == ["conv1"] * 2 + ["conv2"] * 2 + ["fc1"] * 2 + [
        "fc2", "fc2", "fc3", "fc3",
    ]  # fmt: skip
    kinds = [event["kind"] for event in events]
    assert kinds == sorted(kinds, key=["forward", "loss", "backward", "update"].index)


def test_what_is_inside_a_composite_runs_before_it_is_left() -> None:
    ran = paths(step(ref_of("resnet_digits"), SAMPLE)["events"], "forward")
    composites = [path for path in ran if any(other.startswith(f"{path}.") for other in ran)]
    assert composites
    for path in composites:
        inner = [k for k, other in enumerate(ran) if other.startswith(f"{path}.")]
        assert max(inner) < len(ran) - 1 - ran[::-1].index(path)


@pytest.mark.parametrize(
    ("training", "make"),
    [
        ({"optimizer": "SGD", "lr": 0.1, "optimizer_settings": {}},
         lambda weights: torch.optim.SGD(weights, lr=0.1)),
        ({"optimizer": "Adam", "lr": 0.01, "optimizer_settings": {}},
         lambda weights: torch.optim.Adam(weights, lr=0.01)),
    ],
)  # fmt: skip
def test_weights_after_the_update_are_those_of_torch_s_optimiser(training: Any, make: Any) -> None:
    plain = {"scheduler": None, "warmup": 0, "clip_norm": None, "clip_value": None}
    ref = ref_of("lenet_digits", **training, **plain)
    updates = {e["name"]: e for e in step(ref, SAMPLE)["events"] if e["kind"] == "update"}
    network, chosen = opened(ref), choose(ref, SAMPLE)
    assert chosen.targets is not None
    module = network.module
    kept = {name: value.clone() for name, value in module.state_dict().items()}
    optimiser = make(module.parameters())
    logits = module(chosen.inputs[0])
    torch.nn.functional.cross_entropy(logits, chosen.targets[0]).backward()
    optimiser.step()
    for name, weight in module.named_parameters():
        assert updates[name]["before"] == kept[name].reshape(-1)[:5].tolist()
        assert updates[name]["after"] == pytest.approx(weight.reshape(-1)[:5].tolist(), abs=1e-7)
        assert weight.grad is not None
        assert updates[name]["gradient"] == pytest.approx(float(weight.grad.norm()), rel=1e-5)
        change = float((weight.detach() - kept[name]).norm())
        assert updates[name]["change"] == pytest.approx(change, rel=1e-3)
    module.load_state_dict(kept)
    module.zero_grad(set_to_none=True)


def test_a_step_changes_nothing_of_the_network_and_an_own_sample_only_runs_forward() -> None:
    ref = ref_of("lenet_digits")
    before = {name: v.clone() for name, v in opened(ref).module.state_dict().items()}
    step(ref, SAMPLE)
    after = opened(ref).module.state_dict()
    assert all(torch.equal(after[name], value) for name, value in before.items())
    assert objective(ref).groups == ()
    own = {"own": {"drawing": "/////w==", "shape": [2, 2]}}
    assert {event["kind"] for event in step(ref, own)["events"]} == {"forward"}
    assert paths(step(ref_of("dcgan_digits"), SAMPLE)["events"], "update") == []


@pytest.mark.parametrize(
    ("clipping", "change"),
    [
        ({}, [3.0, 4.0]),
        ({"clip_norm": 1.0}, [0.6, 0.8]),
        ({"clip_value": 3.5}, [3.0, 3.5]),
    ],
)
def test_the_update_is_of_clipped_gradients(clipping: dict[str, Any], change: list[float]) -> None:
    layer = torch.nn.Linear(2, 1, bias=False)
    before = layer.weight.detach().clone()
    layer.weight.grad = torch.tensor([[3.0, 4.0]])
    given = {"optimizer": "SGD", "lr": 1.0, "optimizer_settings": {"momentum": 0.0}, **clipping}
    update_weights(layer, resolve({"scheduler": None, **given}, "classification"))
    assert (before - layer.weight).flatten().tolist() == pytest.approx(change, abs=1e-5)
