"""Weights are shared only with a layer that has its own, of the same sizes; every fix mends it."""

from dataclasses import replace

from core.analyse import analyse, build
from core.graph import Composite, Graph, Node
from core.graph.edits import apply
from tests.core.drawing import END, IMAGE, chain, draw


def sharing(graph: Graph, **owners: str) -> Graph:
    """The same graph, with some nodes that use the weights of others."""
    nodes = {n: Node("", weights_of=owners[n]) if n in owners else v
             for n, v in graph.nodes.items()}  # fmt: skip
    return replace(graph, nodes=nodes)


def mended(graph: Graph, fix: int = 0) -> Graph:
    (error,) = analyse(graph).errors
    return apply(graph, error.fixes[fix]["edits"])


LAYERS = chain(
    ("data", ("Input", {"shape": (4,)})),
    ("fc1", ("Linear", {"out_features": 4})),
    ("fc2", ("Linear", {"out_features": 4})),
    ("fc3", ("Linear", {"out_features": 4})),
    END,
)


def test_sharing_with_one_that_shares_names_the_owner_of_all():
    graph = sharing(LAYERS, fc2="fc1", fc3="fc2")
    (error,) = analyse(graph).errors
    assert (error.node, error.code) == ("fc3", "weights_of")
    assert error.message == (
        "fc3 shares the weights of fc2, but fc2 itself shares the weights of fc1."
    )
    module = build(str(analyse(mended(graph)).source))
    assert list(module.state_dict()) == ["fc1.weight", "fc1.bias"]


def test_an_input_has_no_weights_to_share():
    errors = analyse(sharing(LAYERS, fc1="data")).errors
    assert [error.message for error in errors if error.code == "weights_of"] == [
        "fc1 shares the weights of data, but data is not a layer with its own weights."
    ]


CONV = ("Conv2d", {"out_channels": 8, "kernel_size": 3, "padding": 1})
PART = chain(("inp", "Input"), ("conv1", CONV), ("conv2", CONV), ("out", "Output"))


def test_sizes_are_compared_inside_a_composite():
    part = Composite({}, sharing(PART, conv2="conv1"))
    graph = chain(IMAGE, ("stage", "Part"), END, composites={"Part": part})
    (error,) = analyse(graph).errors
    assert error.message == (
        "stage.conv2 shares the weights of conv1, "
        "but it has in_channels 8 while conv1 has 1."
    )  # fmt: skip
    assert analyse(mended(graph)).total_params == 80 + 584


def test_sizes_inside_a_shared_composite_are_compared():
    composites = {"Part": Composite({}, PART)}
    graph = chain(IMAGE, ("one", "Part"), ("two", "Part"), END, composites=composites)
    (error,) = analyse(sharing(graph, two="one")).errors
    assert error.message == (
        "two shares the weights of one, but its conv1 has in_channels 8 while one.conv1 has 1."
    )
    assert analyse(mended(sharing(graph, two="one"))).ok


def test_a_wrong_setting_is_mended_where_it_stands_and_not_at_the_sharer():
    graph = apply(LAYERS, [{"op": "set", "node": "fc1", "settings": {"bias": 3}}])
    graph = sharing(graph, fc3="fc1")
    for error in analyse(graph).errors:
        assert error.code == "bad_setting"
        assert analyse(apply(graph, error.fixes[0]["edits"])).ok


def test_a_single_number_into_an_image_layer_is_a_finding():
    graph = draw(
        {"image": ("Input", {"shape": (3, 8, 8)}), "loss": "CrossEntropyLoss"}
        | {"target": ("Input", {"shape": (), "dtype": "int64"}), "conv1": CONV, "end": "Output"},
        ["image -> loss.input", "target -> loss.target", "loss -> conv1", "conv1 -> end"],
    )
    assert not analyse(graph).ok


def test_a_wire_behind_an_output_is_mended_by_the_block_before_it():
    graph = draw(
        {"data": ("Input", {"shape": (4,)}), "fc1": ("Linear", {"out_features": 3})}
        | {"logits": "Output", "act": "ReLU", "more": "Output"},
        ["data -> fc1", "fc1 -> logits", "logits -> act", "act -> more"],
    )
    (error,) = analyse(graph).errors
    assert error.message == "act has a wire from logits, but an Output has no result."
    assert error.fixes[0]["title"] == "Connect fc1 to it instead"
    assert analyse(mended(graph)).ok


def test_an_input_that_has_the_dtype_already_is_not_offered_it():
    graph = chain(IMAGE, ("some", "any"), ("conv1", CONV), END)
    for error in analyse(graph).errors:
        assert not [fix for fix in error.fixes if fix["title"].startswith("Set the Input")]
