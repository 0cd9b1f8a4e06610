"""Own Python as a block among others: source, costs, weights, repeats, composites, sharing."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
import torchinfo

from core.analyse import analyse, analyse_project, build
from core.analyse.activations import ActivationRecorder, instrumented_forwards
from core.files import trust
from core.graph import Composite, Edge, Graph, Node
from core.insight.features import capture
from core.insight.summary import summary
from tests.core.analyse.own_blocks import HEAD, PROJECT, TEXTS, drawn, forward
from tests.core.insight.drawn import same_totals

GOLDEN = Path(__file__).parents[2] / "golden/source/own_python.py"


pytestmark = pytest.mark.usefixtures("own_home")


@pytest.mark.usefixtures("trusting")
def test_the_source_holds_the_classes_as_they_stand(golden: bool) -> None:
    report = analyse_project(PROJECT)
    assert (report.errors, report.warnings) == ((), ())
    source = report.source or ""
    if golden:
        GOLDEN.write_text(source, "utf-8")
    assert source == GOLDEN.read_text("utf-8")
    assert all(f"\n\n\n{text}\n\n\n" in source for text in TEXTS.values())


@pytest.mark.usefixtures("trusting")
def test_it_is_summed_up_as_torchinfo_does() -> None:
    report = analyse_project(PROJECT)
    module = build(report.source or "", report.class_name)
    truth = torchinfo.summary(module, input_data=torch.rand(3, 1, 8, 8), verbose=0)
    got = summary(report, 3)
    assert (got.total_params, got.torchinfo_mult_adds) == (
        truth.total_params,
        truth.total_mult_adds,
    )
    assert got.sizes.forward_backward == truth.total_output_bytes
    assert report.total_params == 2762
    assert [(n.path, n.params) for n in report.nodes.values() if n.block == "Gate"] == [
        ("gate1", 72),
        ("gate2", 40),
        ("gate2.0", 20),
        ("gate2.1", 20),
    ]


INIT = f"{HEAD}    def __init__(self):\n        super().__init__()\n"
GAIN = "        self.gain = nn.Parameter(torch.ones(3, 1, 1))\n"
FC = "        self.fc = nn.Linear(4, 4)\n"
COUNTED = {
    "weight": ("        self.weight = nn.Parameter(torch.ones(3, 1, 1))\n", "x * self.weight"),
    "gain": (GAIN, "x * self.gain"),
    "mixed": (FC + GAIN, "self.fc(x) * self.gain"),
    "twice": (FC, "self.fc(self.fc(x))"),
    "unused": (FC + "        self.other = nn.Linear(4, 5)\n", "self.fc(x)"),
    "frozen": (FC + "        self.fc.weight.requires_grad_(False)\n", "self.fc(x)"),
}


@pytest.mark.parametrize("name", COUNTED)
def test_what_is_inside_counts_as_torchinfo_counts_it(name: str) -> None:
    layers, result = COUNTED[name]
    text = f"{INIT}{layers}\n    def forward(self, x: Tensor):\n        return {result}"
    trust.trust(text, "Mine")
    report = analyse(drawn(text))
    module = build(report.source or "", report.class_name)
    truth = torchinfo.summary(module, input_data=torch.rand(2, 3, 4, 4), verbose=0)
    got = summary(report, 2)
    same_totals(got, truth)


@pytest.mark.usefixtures("trusting")
def test_its_weights_have_the_names_of_its_node() -> None:
    report = analyse_project(PROJECT)
    keys = list(build(report.source or "", report.class_name).state_dict())
    assert keys == [
        *("conv1.weight", "conv1.bias", "gate1.fc.weight", "gate1.fc.bias"),
        *("gate2.0.fc.weight", "gate2.0.fc.bias", "gate2.1.fc.weight", "gate2.1.fc.bias"),
        *("fc.weight", "fc.bias"),
    ]


@pytest.mark.usefixtures("trusting")
def test_its_feature_maps_are_its_outputs() -> None:
    report = analyse_project(PROJECT)
    module = build(report.source or "", report.class_name).eval()
    image = torch.rand(2, 1, 8, 8)
    maps = capture(module, report, (image,)).values
    gated = module.get_submodule("gate1")(module.get_submodule("conv1")(image))
    first, second = module.get_submodule("halves")(gated)
    assert torch.equal(maps["gate1"], gated)
    assert torch.equal(maps["halves"][1], second)
    assert torch.equal(maps["join"], first + second)
    assert set(maps) <= set(report.nodes)


def test_layers_inside_of_it_are_no_nodes_of_the_drawing() -> None:
    text = f"{HEAD}    def __init__(self):\n        super().__init__()\n"
    text += "        self.steps = nn.Sequential(nn.Linear(4, 4), nn.ReLU())\n\n"
    text += "    def forward(self, x: Tensor): return self.steps(x)"
    trust.trust(text, "Mine")
    report = analyse(drawn(text))
    module = build(report.source or "", report.class_name)
    found = capture(module, report, (torch.rand(1, 3, 4, 4),)).values
    assert set(found) == {"image", "mine", "out0"}


def test_what_gives_two_tensors_cannot_follow_itself() -> None:
    text = forward("return x, x", "tuple[Tensor, Tensor]")
    trust.trust(text, "Mine")
    graph = drawn(text, outs=2)
    nodes = {**graph.nodes, "mine": Node("Mine", repeat=2)}
    (error,) = analyse(replace(graph, nodes=nodes)).errors
    assert (error.node, error.code) == ("mine", "bad_repeat")


def test_a_repeated_one_is_run_once_per_repetition() -> None:
    text = forward("return torch.cat([x, x], 1)")
    trust.trust(text, "Mine")
    graph = drawn(text)
    nodes = {**graph.nodes, "mine": Node("Mine", repeat=3)}
    report = analyse(replace(graph, nodes=nodes))
    assert str(report.nodes["mine"].outputs["output"]) == "(N, 24, 4, 4)"
    module = build(report.source or "", report.class_name)
    assert module(torch.rand(2, 3, 4, 4)).shape == (2, 24, 4, 4)


def test_an_input_that_may_stay_open_is_given_by_name() -> None:
    text = f"{HEAD}    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:\n"
    text += "        return x if mask is None else x * mask"
    trust.trust(text, "Mine")
    graph = drawn(text)
    assert "mine = self.mine(image)" not in (analyse(graph).source or "")
    assert "self.mine(image)" in (analyse(graph).source or "")
    wired = replace(graph, edges=(*graph.edges, Edge("image", "output", "mine", "mask")))
    report = analyse(wired)
    assert "self.mine(image, mask=image)" in (report.source or "")
    assert build(report.source or "", report.class_name)(torch.ones(1, 3, 4, 4)).sum() == 48


def test_inside_a_composite_its_settings_are_the_composites_s() -> None:
    gate = PROJECT.graph.composites["Gate"]
    trust.trust(gate.python, "Gate")
    inner = Graph(
        {
            "start": Node("Input", {"shape": (1,)}),
            "gate": Node("Gate", {"channels": "=width", "scale": 0.5}),
            "end": Node("Output"),
        },
        (Edge("start", "output", "gate", "x"), Edge("gate", "output", "end", "input")),
    )
    graph = Graph(
        {
            "image": Node("Input", {"shape": (4, 8, 8)}),
            "one": Node("Stage", {"width": 4}),
            "conv": Node("Conv2d", {"out_channels": 6, "kernel_size": 1}),
            "two": Node("Stage", {"width": 6}),
            "scores": Node("Output"),
        },
        (
            Edge("image", "output", "one", "start"),
            Edge("one", "end", "conv", "input"),
            Edge("conv", "output", "two", "start"),
            Edge("two", "end", "scores", "input"),
        ),
        {"Gate": gate, "Stage": Composite({"width": 4}, inner)},
    )
    source = analyse(graph).source or ""
    assert "self.gate = Gate(width, scale=0.5)" in source
    assert "self.two = Stage(6)" in source
    assert list(build(source).state_dict())[-2:] == ["two.gate.fc.weight", "two.gate.fc.bias"]


def test_weights_are_shared_as_those_of_any_layer() -> None:
    gate = PROJECT.graph.composites["Gate"]
    trust.trust(gate.python, "Gate")
    graph = Graph(
        {
            "image": Node("Input", {"shape": (3, 4, 4)}),
            "gate": Node("Gate", {"channels": 3}),
            "again": Node("", weights_of="gate"),
            "scores": Node("Output"),
        },
        (
            Edge("image", "output", "gate", "x"),
            Edge("gate", "output", "again", "x"),
            Edge("again", "output", "scores", "input"),
        ),
        {"Gate": gate},
    )
    report = analyse(graph)
    assert report.total_params == 12
    assert (report.source or "").count("self.gate(") == 2


def test_a_project_of_the_block_s_name_gets_another_class() -> None:
    text = forward("return x")
    trust.trust(text, "Mine")
    report = analyse(drawn(text), "Mine")
    assert report.class_name == "NetMine"
    assert build(report.source or "", report.class_name)(torch.ones(1, 3, 4, 4)).shape == (
        *(1, 3, 4, 4),
    )


def test_an_own_class_below_a_drawn_one_is_not_looked_into() -> None:
    text = forward("return x")
    trust.trust(text, "Mine")
    drawn_one = "def forward(self, x: Tensor):\n        x = torch.flatten(x, 1)\n        return x"
    source = f"""import torch
from torch import Tensor, nn


class First(nn.Module):
    {drawn_one}


{text}


class Whole(nn.Module):
    {drawn_one}
"""
    look = ActivationRecorder({}, None)
    assert set(instrumented_forwards(source, look)) == {"First", "Whole"}
