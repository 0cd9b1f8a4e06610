"""Edits make new graphs, keep them acyclic, and follow the file's order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.graph import Composite, Edge, Graph, GraphError, Node
from core.graph import edits as e
from core.graph.names import MODULE_ATTRIBUTES, check_id, fresh_id
from core.graph.order import ancestors, find_cycle, order
from core.graph.ports import parse_edge, write_edge


def wire(graph: Graph, text: str) -> Graph:
    return e.connect(graph, parse_edge(text, graph.nodes, graph.composites))


def chain() -> Graph:
    graph = Graph()
    for name, block in [("image", "Input"), ("conv1", "Conv2d"), ("fc1", "Linear")]:
        graph = e.add(graph, name, Node(block))
    graph = e.add(graph, "logits", Node("Output"))
    for text in ("image -> conv1", "conv1 -> fc1", "fc1 -> logits"):
        graph = wire(graph, text)
    return graph


def test_an_edit_leaves_the_old_graph_alone():
    old = chain()
    new = e.set_settings(old, "conv1", {"out_channels": 8})
    assert old.nodes["conv1"].settings == {}
    assert new.nodes["conv1"].settings == {"out_channels": 8}


def test_a_node_that_is_passed_by_leaves_its_wires_to_the_node_before_it():
    graph = e.add(chain(), "side", Node("Output"))
    graph = wire(graph, "fc1 -> side")
    joined = e.bypass(graph, "fc1")
    assert [write_edge(edge, joined.nodes, {}) for edge in joined.edges] == [
        "image -> conv1",
        "conv1 -> logits",
        "conv1 -> side",
    ]


def test_passing_by_a_sum_keeps_its_first_input():
    graph = e.add(chain(), "join", Node("add"))
    for text in ("conv1 -> join.input", "fc1 -> join.other", "join -> logits"):
        graph = wire(graph, text)
    joined = e.bypass(graph, "join")
    assert write_edge(joined.into("logits")[0], joined.nodes, {}) == "conv1 -> logits"


def test_a_node_of_which_another_output_is_read_is_not_passed_by():
    graph = e.add(chain(), "lstm1", Node("LSTM"))
    for text in ("conv1 -> lstm1", "lstm1.h_n -> fc1"):
        graph = wire(graph, text)
    with pytest.raises(GraphError, match="lstm1 cannot be left out because fc1 reads its"):
        e.bypass(graph, "lstm1")


def test_a_setting_set_to_none_is_taken_away():
    graph = e.set_settings(chain(), "conv1", {"padding": 2})
    assert e.set_settings(graph, "conv1", {"padding": None}) == chain()


def test_a_wire_into_a_block_that_shares_weights_takes_the_place_of_the_one_there():
    graph = e.add(chain(), "again", Node("", weights_of="conv1"))
    for source in ("conv1", "image"):
        graph = e.apply(graph, [{"op": "connect", "edge": f"{source} -> again"}])
    assert graph.into("again") == (Edge("image", "output", "again", "input"),)
    with pytest.raises(GraphError, match="again has no input port 'other'"):
        e.apply(graph, [{"op": "connect", "edge": "image -> again.other"}])


def test_a_wire_that_closes_a_loop_is_refused_by_name():
    with pytest.raises(GraphError, match=r"conv1 would be part of a loop with a wire from fc1\."):
        wire(chain(), "fc1 -> conv1")


def test_a_wire_to_an_unknown_port_is_refused():
    with pytest.raises(GraphError, match="fc1 has no input port 'other'"):
        wire(chain(), "image -> fc1.other")


def test_a_second_wire_into_a_port_replaces_the_first():
    graph = wire(chain(), "image -> fc1")
    assert [(x.source, x.target) for x in graph.edges] == [
        ("image", "conv1"),
        ("image", "fc1"),
        ("fc1", "logits"),
    ]


def test_insert_splits_the_wire_and_stands_after_its_source():
    graph = e.insert(chain(), "flat", Node("Linear"), "fc1", "input")
    assert list(graph.nodes) == ["image", "conv1", "flat", "fc1", "logits"]
    assert [(x.source, x.target) for x in graph.edges] == [
        ("image", "conv1"),
        ("conv1", "flat"),
        ("flat", "fc1"),
        ("fc1", "logits"),
    ]


def test_removing_the_owner_of_weights_leaves_them_to_the_first_sharer():
    graph = e.add(chain(), "conv2", Node("", weights_of="conv1"))
    graph = e.add(graph, "conv3", Node("", weights_of="conv1"))
    graph = e.remove(graph, "conv1")
    assert graph.nodes["conv2"] == Node("Conv2d")
    assert graph.nodes["conv3"].weights_of == "conv2"


def test_rename_follows_in_wires():
    graph = e.rename(chain(), "conv1", "stem")
    assert [(x.source, x.target) for x in graph.edges][:2] == [("image", "stem"), ("stem", "fc1")]


@pytest.mark.parametrize(
    "bad",
    ["", "1conv", "conv-1", "F", "self", "nn", "forward", "parameters", "class", "_conv", "print"]
    + ["conv\n", "ｃonv1", "a" * 41, "training", "super", "torchvision"],
)
def test_an_id_that_python_or_torch_uses_is_refused(bad: str):
    assert check_id(bad) is not None


def test_the_list_of_module_attributes_is_torchs():
    import torch

    public = {name for name in dir(torch.nn.Module()) if not name.startswith("_")}
    assert public <= MODULE_ATTRIBUTES


def test_fresh_ids_count_up():
    assert fresh_id("conv", {"conv1", "conv2"}) == "conv3"
    assert fresh_id("image", set()) == "image"
    assert fresh_id("image", {"image"}) == "image1"


def test_the_order_is_sources_first_then_the_files():
    graph = Graph(
        {name: Node("add") for name in ("d", "c", "b", "a")},
        (Edge("a", "output", "c", "input"), Edge("b", "output", "c", "other")),
    )
    assert order(graph) == ["d", "b", "a", "c"]


def test_a_cycle_is_named_and_the_rest_keeps_its_order():
    nodes = {name: Node("add") for name in ("a", "b", "c", "d")}
    graph = Graph(nodes, (Edge("b", "output", "c", "input"), Edge("c", "output", "b", "input")))
    assert sorted(find_cycle(graph) or []) == ["b", "c"]
    assert order(graph) == ["a", "d"]


@pytest.mark.parametrize("text", ["image -> conv1", "conv1 -> join.input", "h -> cat1.tensors.1"])
def test_a_wire_reads_and_writes_the_same(text: str):
    nodes = {
        "image": Node("Input"),
        "conv1": Node("Conv2d"),
        "join": Node("add"),
        "cat1": Node("cat"),
        "h": Node("Conv2d"),
    }
    assert write_edge(parse_edge(text, nodes, {}), nodes, {}) == text


NAMES = [f"n{i}" for i in range(6)]
edges = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(["input", "other"]))
)


@given(edges)
def test_no_sequence_of_connections_closes_a_loop(wires: list[tuple[str, str, str]]):
    graph = Graph({name: Node("add") for name in NAMES})
    for source, target, port in wires:
        try:
            graph = e.connect(graph, Edge(source, "output", target, port))
        except GraphError:
            assert source == target or target in ancestors(graph, source)
    ranks = {name: i for i, name in enumerate(order(graph))}
    assert len(ranks) == 6
    assert all(ranks[x.source] < ranks[x.target] for x in graph.edges)


def test_a_node_can_share_weights_and_have_its_own_again():
    graph = e.apply(chain(), [{"op": "share", "node": "fc1", "with": "conv1"}])
    assert graph.nodes["fc1"] == Node("", {}, weights_of="conv1")
    assert graph.edges == chain().edges
    own = {"op": "replace", "node": "fc1", "block": "Linear", "settings": {"out_features": 4}}
    assert e.apply(graph, [own]).nodes["fc1"] == Node("Linear", {"out_features": 4})


def test_a_sharer_owns_nothing_to_share():
    graph = e.apply(chain(), [{"op": "share", "node": "fc1", "with": "conv1"}])
    with pytest.raises(GraphError, match="fc1 has no weights of its own to share"):
        e.apply(graph, [{"op": "share", "node": "logits", "with": "fc1"}])


def test_an_edit_with_a_composite_is_made_inside_it():
    graph = Graph({"use": Node("Part")}, (), {"Part": Composite({}, Graph({"act": Node("ReLU")}))})
    made = e.apply(graph, [{"op": "repeat", "node": "act", "times": 3, "composite": "Part"}])
    assert made.composites["Part"].graph.nodes["act"].repeat == 3
    assert made.nodes == graph.nodes


def test_a_wire_into_a_block_that_forward_does_not_use_makes_it_used():
    nodes = {"image": Node("Input"), "aux": Node("Linear", {"out_features": 2}, unused=True)}
    graph = Graph(nodes)
    assert graph.is_unused("aux")
    wired = e.connect(graph, Edge("image", "output", "aux", "input"))
    assert not wired.nodes["aux"].unused
