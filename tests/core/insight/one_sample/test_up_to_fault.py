"""A drawing with an error shows the values of what comes before it; a NaN shows where it began."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from core.common.network_ref import NetworkRef, PartRef, ProjectRef
from core.insight.load_model import NotReady
from core.insight.network_cache import opened
from core.insight.one_sample.api import look, probe, step

ROOT = Path(__file__).parents[4]
SAMPLE = {"part": "validation", "index": 2}


def lenet(change: Any) -> NetworkRef:
    project = json.loads((ROOT / "projects" / "lenet_digits.loom.json").read_text())
    change(project["graph"])
    return PartRef(json.dumps(project))


def too_narrow(graph: Any) -> None:
    graph["nodes"]["fc1"]["settings"]["in_features"] = 7


def test_values_are_there_up_to_the_block_with_the_error() -> None:
    ref = lenet(too_narrow)
    answer = look(ref, SAMPLE, "")
    whole = ProjectRef((ROOT / "projects" / "lenet_digits.loom.json").read_text())
    assert answer["fault"] == "fc1"
    ran = set(answer["blocks"])
    assert {"image", "conv1", "tanh1", "pool1", "conv2", "tanh2", "pool2", "flat"} <= ran
    assert not {"fc1", "tanh3", "fc2", "logits"} & ran
    assert answer["prediction"] == {"words": "", "scores": []}
    conv1 = answer["blocks"]["conv1"]
    assert conv1 == look(whole, SAMPLE, "")["blocks"]["conv1"]
    probed = probe(ref, SAMPLE, "flat", "output", 0)
    assert probed["value"]["shape"] == [1, 400]
    assert probed["gradient"] is None
    assert {event["kind"] for event in step(ref, SAMPLE)["events"]} == {"forward"}


def test_a_wire_that_is_missing_is_an_end_too() -> None:
    def cut(graph: Any) -> None:
        graph["edges"] = [e for e in graph["edges"] if not e.startswith("pool1 ->")]

    answer = look(lenet(cut), SAMPLE, "")
    assert answer["fault"] == "conv2"
    assert "pool1" in answer["blocks"]
    assert "conv2" not in answer["blocks"]


def test_a_drawing_of_which_nothing_runs_says_why() -> None:
    def wrong(graph: Any) -> None:
        graph["nodes"]["image"]["settings"]["shape"] = [-1]

    with pytest.raises(NotReady):
        look(lenet(wrong), SAMPLE, "")


def test_the_block_where_a_nan_began_is_named() -> None:
    ref = ProjectRef((ROOT / "projects" / "mlp_iris.loom.json").read_text())
    weight = opened(ref).module.get_submodule("fc2").weight
    kept = weight.detach().clone()  # type: ignore[operator]
    with torch.no_grad():
        weight.fill_(float("nan"))  # type: ignore[operator]
    try:
        answer = look(ref, SAMPLE, "")
    finally:
        with torch.no_grad():
            weight.copy_(kept)  # type: ignore[operator]
    assert answer["began"] == "fc2"
    assert answer["blocks"]["fc2"]["values"][0] == "nan"
