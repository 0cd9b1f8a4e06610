"""Hypothesis strategies for projects, as a file can hold them in its usual form."""

from typing import Any

from hypothesis import strategies as st

from core.graph import Composite, Graph, Node
from core.graph.edits import sort_edges
from core.graph.ports import parse_edge
from core.project import Project

IDS = ("image", "conv1", "fc1", "join", "other", "lstm", "logits")
BLOCKS = ("Input", "Conv2d", "Linear", "add", "cat", "Output", "Mystery", "Part")
NAMES = st.sampled_from(("bias", "out_channels", "kernel_size", "zeta", "alpha", "a b"))

texts = st.text(st.characters(codec="ascii", categories=("L", "N", "P", "Zs")), max_size=12)
numbers = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | texts
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple) | st.dictionaries(texts, inner, max_size=3)
    ),
    max_leaves=6,
)
extras = st.dictionaries(st.sampled_from(("colour", "später", "x y")), values, max_size=2)
pixels = st.integers(-5000, 5000) | st.floats(-5000, 5000).map(lambda x: round(x, 2) + 0.0)


@st.composite
def nodes(draw: st.DrawFn) -> dict[str, Node]:
    """Some nodes; any may share the weights of another."""
    found: dict[str, Node] = {}
    for name in draw(st.lists(st.sampled_from(IDS), unique=True, max_size=6)):
        shared = draw(st.sampled_from(("", "", *IDS)))
        found[name] = Node(
            draw(st.sampled_from(BLOCKS if not shared else (*BLOCKS, ""))),
            draw(st.dictionaries(NAMES, values, max_size=3)),
            draw(texts),
            draw(st.integers(1, 1000)),
            shared,
            draw(extras),
        )
    return found


@st.composite
def graphs(draw: st.DrawFn, parts: dict[str, Composite]) -> Graph:
    """Nodes and edges between them, one into each port at most, cycles allowed."""
    found = draw(nodes())
    ends: dict[tuple[str, str], Any] = {}
    if found:
        name = st.sampled_from(list(found))
        left = st.sampled_from(("", ".output", ".hidden"))
        right = st.sampled_from(("", ".input", ".other", ".tensors.0", ".tensors.1", ".tensors.12"))
        for _ in range(draw(st.integers(0, 8))):
            text = f"{draw(name)}{draw(left)} -> {draw(name)}{draw(right)}"
            edge = parse_edge(text, _named(found), parts)
            ends.setdefault((edge.target, edge.target_port), edge)
    edges = sort_edges(Graph(_named(found), (), parts), ends.values())
    return Graph(found, edges)


def _named(found: dict[str, Node]) -> dict[str, Node]:
    from core.project.read_edges import resolved

    return resolved(found)


@st.composite
def projects(draw: st.DrawFn) -> Project:
    """Whole projects in the form that reading gives."""
    part = Composite(
        draw(st.dictionaries(st.just("channels"), values)), Graph({"conv1": Node("Linear")})
    )
    parts = draw(st.sampled_from(({}, {"Part": part})))
    graph = draw(graphs(parts))
    return Project(
        name=draw(texts),
        about=draw(texts),
        graph=Graph(graph.nodes, graph.edges, parts, draw(extras)),
        data={"source": "digits", **draw(extras)},
        training=draw(extras),
        notes=draw(st.lists(values, max_size=3).map(tuple)),
        layout=draw(st.dictionaries(st.sampled_from(IDS), st.tuples(pixels, pixels), max_size=3)),
        extra=draw(extras),
    )
