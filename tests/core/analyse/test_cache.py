"""What the analysis remembers from edit to edit never shows: warm and cold say exactly the same."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.analyse import analyse, analyse_project, report_json
from core.analyse.report import NodeReport
from core.common.bounded_cache import BoundedCache, without_caches
from core.graph import Composite, Graph, GraphError, Node
from core.graph.edits import apply
from core.graph.ports import write_edge
from core.project import Project, graph_from_json, graph_to_json
from tests.core.drawing import END, IMAGE, RESIDUAL, chain, draw

CONV = {"out_channels": 8, "kernel_size": 3, "padding": 1}
PLAIN = draw(
    {
        "image": ("Input", {"shape": (1, 8, 8)}),
        "stem": ("Conv2d", CONV),
        "bn": "BatchNorm2d",
        "conv1": ("Conv2d", CONV),
        "conv2": ("Conv2d", CONV),
        "join": "add",
        "relu": ("ReLU", {}),
        "flat": ("flatten", {"start_dim": 1}),
        "fc": ("Linear", {"out_features": 10}),
        "logits": "Output",
    },
    ["image -> stem", "stem -> bn", "bn -> conv1", "conv1 -> conv2", "bn -> join.input"]
    + ["conv2 -> join.other", "join -> relu", "relu -> flat", "flat -> fc", "fc -> logits"],
)
COMPOSED = chain(
    IMAGE,
    ("stem", ("Conv2d", CONV)),
    ("stage1", ("Residual", {"channels": 8}, {"repeat": 2})),
    ("stage2", ("Residual", {"channels": 16})),
    ("wide", ("Linear", {"out_features": 28}, {"repeat": 3})),
    END,
    composites={"Residual": RESIDUAL},
)
VALUES: tuple[Any, ...] = (
    None,
    0,
    1,
    1.0,
    True,
    False,
    4,
    8,
    16,
    0.5,
    "=channels",
    (3, 3),
    (1, 4, 4),
)
NAMES = ("out_channels", "kernel_size", "padding", "bias", "channels", "out_features", "shape",
         "eps", "dtype", "alpha", "dim", "start_dim")  # fmt: skip
BLOCKS = ("Conv2d", "BatchNorm2d", "ReLU", "add", "flatten", "Linear", "Output", "Residual", "Gone")
pick = st.integers(0, 10**6)
EDITS = st.one_of(
    st.tuples(st.just("set"), pick, st.sampled_from(NAMES), st.sampled_from(VALUES)),
    st.tuples(st.just("inside"), pick, st.sampled_from(NAMES), st.sampled_from(VALUES)),
    st.tuples(st.sampled_from(["disconnect", "remove", "repeat", "share", "undo"]), pick, pick),
    st.tuples(st.sampled_from(["connect", "replace", "add", "insert", "rename"]), pick, pick),
    st.tuples(st.just("order"), pick),
)  # fmt: skip


def fields(node: Node, **changes: Any) -> Node:
    return replace(node, **changes)


def with_node(graph: Graph, name: str, **changes: Any) -> Graph:
    return replace(graph, nodes={**graph.nodes, name: fields(graph.nodes[name], **changes)})


def absolute(graph: Graph, kind: str, one: int, two: int) -> dict[str, Any]:
    """An edit of the kind the canvas makes, on whichever nodes the numbers pick."""
    names = list(graph.nodes)
    name, other, block = names[one % len(names)], names[two % len(names)], BLOCKS[two % len(BLOCKS)]
    start = {"Conv2d": CONV, "Linear": {"out_features": 4}}.get(block, {})
    edge = graph.edges[one % len(graph.edges)] if graph.edges else None
    target, port = (edge.target, edge.target_port) if edge else ("a", "")
    return {
        "disconnect": {"edge": write_edge(edge, graph.nodes, graph.composites) if edge else "a"},
        "remove": {"node": name},
        "connect": {"edge": f"{name} -> {other}"},
        "replace": {"node": name, "block": block, "settings": start},
        "add": {"id": f"new{one % 7}", "block": block, "settings": start},
        "insert": {"id": f"new{one % 7}", "block": block, "settings": start,
                   "target": target, "port": port},
        "rename": {"node": name, "to": f"other{two % 7}"},
    }[kind] | {"op": kind}  # fmt: skip


def edited(graph: Graph, edit: tuple[Any, ...]) -> Graph:
    """The graph after an edit; the same one where the edit cannot be made."""
    kind, one, *rest = edit
    if not graph.nodes:
        return graph
    name = list(graph.nodes)[one % len(graph.nodes)]
    try:
        if kind == "set":
            return apply(graph, [{"op": "set", "node": name, "settings": {rest[0]: rest[1]}}])
        if kind == "inside":
            return within(graph, edited_inside(graph, edit))
        if kind == "repeat":
            return with_node(graph, name, repeat=1 + rest[0] % 3)
        if kind == "share":
            return with_node(graph, name, weights_of=list(graph.nodes)[rest[0] % len(graph.nodes)])
        if kind == "order":
            items = list(graph.nodes.items())
            return replace(graph, nodes=dict([*items[1:], items[0]]))
        return apply(graph, [absolute(graph, kind, one, rest[0])])
    except (GraphError, KeyError):
        return graph


def edited_inside(graph: Graph, edit: tuple[Any, ...]) -> Composite:
    part = graph.composites.get("Residual", RESIDUAL)
    return replace(part, graph=edited(part.graph, ("set", *edit[1:])))


def within(graph: Graph, part: Composite) -> Graph:
    return replace(graph, composites={"Residual": part}) if graph.composites else graph


def report_text(found: dict[str, Any]) -> str:
    """A report as text in which 1, 1.0 and true differ, and the order of nodes counts."""
    return json.dumps(report_json(analyse(graph_from_json(found))))


@pytest.mark.gate
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from([PLAIN, COMPOSED]), st.lists(EDITS, min_size=1, max_size=12))
def test_after_any_edits_the_report_is_that_of_a_process_that_has_just_started(
    graph: Graph, edits: list[tuple[Any, ...]]
):
    past = [graph]
    for edit in edits:
        graph = past[edit[1] % len(past)] if edit[0] == "undo" else edited(graph, edit)
        past.append(graph)
        found = graph_to_json(graph)
        warm = report_text(json.loads(json.dumps(found)))
        with without_caches():
            cold = report_text(json.loads(json.dumps(found)))
        assert warm == cold


def test_an_edit_visits_only_what_it_changed(monkeypatch: pytest.MonkeyPatch):
    with without_caches():
        first = graph_to_json(PLAIN)
        analyse(graph_from_json(first))
        first["nodes"]["conv2"]["settings"] = {**CONV, "bias": False}
        marked: list[str] = []
        before = NodeReport.__init__

        def counted(self: NodeReport, path: str, *args: Any, **more: Any) -> None:
            marked.append(path)
            before(self, path, *args, **more)

        monkeypatch.setattr(NodeReport, "__init__", counted)
        report = analyse(graph_from_json(first))
    assert marked == ["conv2"]
    assert report.nodes["conv2"].params == 8 * 8 * 3 * 3


def test_a_changed_shape_reaches_every_node_behind_it():
    found = graph_to_json(PLAIN)
    assert str(analyse(graph_from_json(found)).nodes["fc"].inputs["input"]) == "(N, 512)"
    found["nodes"]["image"]["settings"]["shape"] = [1, 4, 8]
    assert str(analyse(graph_from_json(found)).nodes["fc"].inputs["input"]) == "(N, 256)"


def test_a_setting_of_another_type_is_another_setting():
    found = graph_to_json(PLAIN)
    for value, source in ((1e-3, "eps=0.001"), (1, "eps=1)"), (1.0, "eps=1.0)")):
        found["nodes"]["bn"]["settings"] = {"eps": value}
        assert source in (analyse(graph_from_json(found)).source or "")


def test_a_warning_of_training_follows_the_settings_not_the_memory():
    data = {"source": "digits"}
    project = Project("one", "", PLAIN, data, {})
    assert [f.code for f in analyse_project(project).warnings] == ["no_activation"]
    batch_of_one = replace(project, training={"batch_size": 1})
    assert [f.code for f in analyse_project(batch_of_one).warnings] == [
        "no_activation",
        "batch_of_one",
    ]


def test_the_memory_is_bounded_and_keeps_what_was_used_last():
    memory: BoundedCache[int, str] = BoundedCache(10)
    for number in range(100):
        memory.put(number, str(number))
        assert memory.get(0) == "0"
    assert len(memory) <= 20
    assert memory.get(50) is None
    assert memory.get(99) == "99"
