"""The autograd graph leads to blocks and says what each node keeps; the command tells the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from core.common.network_ref import NetworkRef, ProjectRef
from core.insight.one_sample.api import step

ROOT = Path(__file__).parents[4]
LENET = str(ROOT / "projects" / "lenet_digits.loom.json")
SAMPLE = {"part": "validation", "index": 2}


def graph_of(name: str) -> dict[str, Any]:
    ref: NetworkRef = ProjectRef((ROOT / "projects" / f"{name}.loom.json").read_text())
    return step(ref, SAMPLE)["graph"]


def test_lenet_s_graph_leads_to_its_blocks_and_says_what_each_keeps() -> None:
    graph = graph_of("lenet_digits")
    nodes = [(node["name"], node["block"], node["bytes"]) for node in graph["nodes"]]
    assert nodes[:3] == [
        ("NllLossBackward0", "", 8 + 4),  # the target, and the sum of the weights
        ("LogSoftmaxBackward0", "", 10 * 4),
        ("AddmmBackward0", "fc3", 0),  # its input is kept as the result of tanh4
    ]
    assert ("ConvolutionBackward0", "conv1", 28 * 28 * 4) in nodes
    weights = {n["parameter"]: n["block"] for n in graph["nodes"] if n["name"] == "AccumulateGrad"}
    assert weights["conv2.weight"] == "conv2"
    assert len(weights) == 10
    linear = graph["nodes"][2]
    saved = {each["name"]: each for each in linear["saved"]}
    assert saved["mat2"]["weight"] == "fc3.weight"
    keeper = graph["nodes"][saved["mat1"]["same"]]
    assert (keeper["name"], keeper["block"]) == ("TanhBackward0", "tanh4")
    assert graph["bytes"] == sum(node["bytes"] for node in graph["nodes"])


def test_nodes_inside_composites_lead_to_the_innermost_block() -> None:
    graph = graph_of("resnet_digits")
    blocks = {node["block"] for node in graph["nodes"]}
    assert {"stage1.0.conv1", "stage1.1.conv1", ""} <= blocks
    assert {node["block"] for node in graph["nodes"] if "AddBackward" in node["name"]} >= {
        "stage1.0.join", "stage1.1.join",
    }  # fmt: skip


def test_the_command_tells_the_same_graph(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["look", LENET, "--sample", "2", "--what", "autograd", "--json"]
    assert main(arguments) == 0
    found, graph = json.loads(capsys.readouterr().out), graph_of("lenet_digits")
    assert [node["node"] for node in found["nodes"]] == list(range(27))
    assert [node["name"] for node in found["nodes"]] == [n["name"] for n in graph["nodes"]]
    assert found["edges"] == [list(edge) for edge in graph["edges"]]
    assert found["kept_for_backward_bytes"] == graph["bytes"]
    assert main([*arguments[:-1], "--block", "tanh1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "27 nodes keep 35,524 B for the backward pass.",
        "23 TanhBackward0, of tanh1, keeps 18,816 B -> 24",
    ]
    assert main([*arguments, "--block", "nope"]) == 2
    assert "nope has no node in the autograd graph." in capsys.readouterr().err
