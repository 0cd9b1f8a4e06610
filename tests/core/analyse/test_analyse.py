"""The analysis runs the blocks' own statements: shapes, costs, faults and what they leave alone."""

import pytest

from core.analyse import analyse, build, report_json
from core.graph import Composite, Graph, Node
from core.graph.edits import apply
from tests.core.drawing import END, IMAGE, RESIDUAL, chain, draw

LENET = chain(
    IMAGE,
    ("conv1", ("Conv2d", {"out_channels": 6, "kernel_size": 5, "padding": 2})),
    ("pool1", ("MaxPool2d", {"kernel_size": 2})),
    ("flat", ("flatten", {"start_dim": 1})),
    ("fc1", ("Linear", {"out_features": 10})),
    END,
)


def shapes(graph: Graph) -> dict[str, str]:
    report = analyse(graph)
    return {n: str(r.outputs["output"]) for n, r in report.nodes.items() if "output" in r.outputs}


def codes(graph: Graph) -> list[tuple[str, str]]:
    return [(finding.node, finding.code) for finding in analyse(graph).errors]


def test_every_wire_has_the_shape_torch_gives():
    assert shapes(LENET) == {
        "image": "(N, 1, 28, 28)",
        "conv1": "(N, 6, 28, 28)",
        "pool1": "(N, 6, 14, 14)",
        "flat": "(N, 1176)",
        "fc1": "(N, 10)",
        "logits": "(N, 10)",
    }


def test_costs_are_counted_for_one_sample():
    report = analyse(LENET)
    assert report.nodes["conv1"].params == 156
    assert report.nodes["conv1"].mult_adds == 117_600  # 150 weights at 784 positions
    assert report.total_params == 156 + 11770
    assert report.nodes["conv1"].activation_bytes == 6 * 28 * 28 * 4


def test_inferred_settings_are_listed():
    node = analyse(LENET).nodes["fc1"]
    assert node.settings["in_features"] == 1176
    assert node.inferred == ("in_features",)
    assert node.init == "nn.Linear(1176, 10)"


def test_the_batch_stays_a_symbol():
    graph = chain(IMAGE, ("flat", ("flatten", {"start_dim": 0})), END)
    assert shapes(graph)["flat"] == "(784*N,)"


def test_faults_of_several_blocks_are_all_reported_and_the_rest_keeps_its_shapes():
    graph = draw(
        {
            "image": ("Input", {"shape": (3, 32, 32)}),
            "conv1": ("Conv2d", {"out_channels": 8, "kernel_size": 40}),
            "relu1": "ReLU",
            "conv2": ("Conv2d", {"out_channels": 8, "kernel_size": 3, "groups": 2}),
            "conv3": ("Conv2d", {"out_channels": 4, "kernel_size": 3}),
            "a": "Output",
            "b": "Output",
            "c": "Output",
        },
        ["image -> conv1", "conv1 -> relu1", "relu1 -> a", "image -> conv2", "conv2 -> b"]
        + ["image -> conv3", "conv3 -> c"],
    )
    assert codes(graph) == [("conv1", "image_too_small"), ("conv2", "groups_divide")]
    report = analyse(graph)
    states = {name: node.state for name, node in report.nodes.items()}
    assert states["conv1"] == "error"
    assert states["relu1"] == "waiting"
    assert str(report.nodes["conv3"].outputs["output"]) == "(N, 4, 30, 30)"
    assert report.source is None


def test_an_open_port_waits_and_offers_a_wire():
    graph = draw({"image": ("Input", {"shape": (4,)}), "fc1": "Linear", "out": "Output"}, [])
    report = analyse(graph)
    assert ("fc1", "unconnected") in [(f.node, f.code) for f in report.errors]
    assert report.nodes["fc1"].state == "error"  # out_features is missing too
    finding = next(f for f in report.errors if f.code == "unconnected" and f.node == "fc1")
    assert finding.message == "fc1 needs a wire into its port 'input' but has none."
    assert finding.fixes[0]["edits"] == [{"op": "connect", "edge": "image -> fc1"}]


def test_a_loop_is_named_and_its_last_wire_can_be_removed():
    graph = draw(
        {"image": ("Input", {"shape": (4,)}), "a": "add", "b": "ReLU", "logits": "Output"},
        ["image -> a.input", "b -> a.other", "a -> b", "b -> logits"],
    )
    finding = next(f for f in analyse(graph).errors if f.code == "cycle")
    assert finding.message == "a is part of a loop: a -> b -> a."
    assert finding.fixes[0]["edits"] == [{"op": "disconnect", "edge": "a -> b"}]


def test_what_comes_after_a_loop_only_waits():
    graph = draw(
        {"a": "add", "b": "ReLU", "c": "ReLU", "d": "Output"},
        ["b -> a.input", "b -> a.other", "a -> b", "b -> c", "c -> d"],
    )
    states = {name: node.state for name, node in analyse(graph).nodes.items()}
    assert states == {"a": "error", "b": "error", "c": "waiting", "d": "waiting"}


def test_an_empty_graph_says_what_it_needs():
    assert codes(Graph()) == [("", "no_input"), ("", "no_output")]


def test_an_unknown_block_is_reported_and_the_rest_is_analysed():
    graph = chain(IMAGE, ("mystery", "NotYetInvented"), END)
    assert codes(graph) == [("mystery", "unknown_block")]
    assert shapes(graph) == {"image": "(N, 1, 28, 28)"}


def test_a_fix_can_be_applied_and_ends_in_a_valid_graph():
    graph = chain(
        ("image", ("Input", {"shape": (1, 4, 4)})),
        ("conv1", ("Conv2d", {"out_channels": 2, "kernel_size": 5})),
        END,
    )
    finding = analyse(graph).errors[0]
    assert finding.message == "conv1 has a 5x5 kernel but receives a 4x4 image."
    fixed = apply(graph, finding.fixes[0]["edits"])
    assert analyse(fixed).ok


@pytest.fixture(scope="module")
def resnet() -> Graph:
    return chain(
        IMAGE,
        ("stage1", ("Residual", {"channels": 8}, {"repeat": 2})),
        ("stage2", ("Residual", {"channels": 12})),
        END,
        composites={"Residual": RESIDUAL},
    )


def test_composites_are_reported_by_their_path(resnet: Graph):
    report = analyse(resnet)
    assert list(report.nodes)[:5] == [
        "image",
        "stage1",
        "stage1.0",
        "stage1.0.inp",
        "stage1.0.conv1",
    ]
    assert report.nodes["stage1.1.conv1"].settings["in_channels"] == 8
    assert report.nodes["stage2"].params == sum(
        report.nodes[f"stage2.{n}"].params for n in ("conv1", "conv2", "skip")
    )
    assert report.nodes["stage2.conv1"].depth == 2


def test_the_parameters_are_those_of_the_built_module(resnet: Graph):
    report = analyse(resnet, "Two stages")
    assert report.source is not None
    module = build(report.source)
    assert sum(p.numel() for p in module.parameters()) == report.total_params
    assert "stage1.1.conv2.weight" in module.state_dict()


def test_a_fault_inside_a_composite_is_filed_there(resnet: Graph):
    nodes = {**resnet.nodes, "stage2": Node("Residual", {"channels": -1})}
    report = analyse(Graph(nodes, resnet.edges, resnet.composites))
    assert report.errors[0].node == "stage2.conv1"
    assert report.errors[0].code == "bad_setting"
    assert report.nodes["stage2"].state == "error"
    assert report.nodes["stage1"].state == "ok"


def test_shared_weights_are_counted_once():
    graph = draw(
        {
            "image": ("Input", {"shape": (4,)}),
            "fc1": ("Linear", {"out_features": 4}),
            "fc2": ("Linear", {}, {"weights_of": "fc1"}),
            "logits": "Output",
        },
        ["image -> fc1", "fc1 -> fc2", "fc2 -> logits"],
    )
    nodes = {**graph.nodes, "fc2": Node("", weights_of="fc1")}
    report = analyse(Graph(nodes, graph.edges))
    assert report.total_params == 20
    assert report.source is not None
    assert "x = self.fc1(x)" in report.source
    assert list(build(report.source).state_dict()) == ["fc1.weight", "fc1.bias"]


def test_weights_of_a_layer_with_other_sizes_cannot_be_shared():
    graph = draw(
        {"image": ("Input", {"shape": (4,)}), "fc1": ("Linear", {"out_features": 3})}
        | {"fc2": "Linear", "logits": "Output"},
        ["image -> fc1", "fc1 -> fc2", "fc2 -> logits"],
    )
    nodes = {**graph.nodes, "fc2": Node("", weights_of="fc1")}
    assert codes(Graph(nodes, graph.edges)) == [("fc2", "weights_of")]


def test_a_result_nobody_uses_is_a_warning():
    graph = draw(
        {"image": ("Input", {"shape": (4,)}), "relu1": "ReLU", "logits": "Output"},
        ["image -> relu1", "image -> logits"],
    )
    report = analyse(graph)
    assert report.ok
    assert [(w.node, w.code) for w in report.warnings] == [("relu1", "unused_result")]


def test_the_json_has_the_form_of_the_contract():
    answer = report_json(analyse(LENET))
    assert answer["ok"] is True
    assert answer["nodes"]["conv1"]["block"] == "Conv2d"
    assert answer["nodes"]["conv1"]["outputs"] == {
        "output": {"shape": ["N", 6, 28, 28], "dtype": "float32"}
    }
    assert answer["errors"] == []
    assert answer["edges"]["image -> conv1"] == "(N, 1, 28, 28)"


def test_the_same_graph_gives_the_same_bytes():
    assert analyse(LENET, "a").source == analyse(LENET, "a").source


def test_a_node_that_shares_with_nobody_says_so():
    graph = chain(IMAGE, ("fc1", "Linear"), END)
    nodes = {**graph.nodes, "fc1": Node("", weights_of="gone")}
    finding = analyse(Graph(nodes, graph.edges)).errors[0]
    assert finding.message == "fc1 shares the weights of gone, which does not exist."


def test_a_graph_that_unfolds_into_too_many_blocks_is_refused_at_once():
    composites = {"Residual": RESIDUAL}
    for level in range(4):
        inside = "Residual" if level == 0 else f"Level{level - 1}"
        edges = ["inp -> many", "many -> out"]
        nodes = {"inp": "Input", "many": (inside, {}, {"repeat": 100}), "out": "Output"}
        composites[f"Level{level}"] = Composite({}, draw(nodes, edges, composites))
    report = analyse(chain(IMAGE, ("deep", "Level3"), END, composites=composites))
    assert [(f.node, f.code) for f in report.errors] == [("deep", "too_large")]
    assert "unfolds into 803,030,303 blocks" in report.errors[0].message


def test_a_layer_that_no_machine_holds_is_refused_without_allocating():
    graph = chain(
        ("data", ("Input", {"shape": (10**6,)})),
        ("fc1", ("Linear", {"out_features": 10**9})),
        END,
    )
    finding = analyse(graph).errors[0]
    assert finding.code == "too_large"
    assert finding.message == (
        "fc1 has 1,000,001,000,000,000 parameters, 3,638.0 TiB of memory; at most 1 TiB is allowed."
    )


def test_a_wire_from_an_output_without_a_value_is_an_error():
    attention = ("MultiheadAttention", {"num_heads": 2, "batch_first": True, "need_weights": False})
    graph = draw(
        {
            "steps": ("Input", {"shape": (5, 8)}),
            "attention": attention,
            "a": "Output",
            "b": "Output",
        },
        [f"steps -> attention.{port}" for port in ("query", "key", "value")]
        + ["attention -> a", "attention.attn_output_weights -> b"],
    )
    assert codes(graph) == [("b", "no_value")]


def test_a_wire_from_a_layer_that_forward_does_not_use_is_one_error():
    graph = draw(
        {
            **dict([IMAGE]),
            "flat": ("flatten", {"start_dim": 1}),
            "aux": ("Linear", {"in_features": 784, "out_features": 2}, {"unused": True}),
            "a": "Output",
            "b": "Output",
        },
        ["image -> flat", "flat -> a", "aux -> b"],
    )
    assert codes(graph) == [("b", "unused_source")]
