"""What the canvas asks between edits: answers by the same analysis and the same statements."""

import pytest
import torch
from torch.nn import functional as F

from core.analyse import analyse
from core.graph import GraphError
from core.insight.canvas_queries import after, curve
from core.project import graph_to_json
from tests.core.drawing import END, IMAGE, chain, draw

LINEAR = ("fc1", ("Linear", {"in_features": 784, "out_features": 10}))
BROKEN = chain(IMAGE, LINEAR, END)


def test_a_fix_is_answered_with_the_shapes_it_leads_to():
    fix = analyse(BROKEN).errors[0].fixes[0]
    found = after(graph_to_json(BROKEN), fix["edits"])
    assert (found["errors"], found["first"], found["more"]) == (0, "", 0)
    wanted = [("flat", ["N", 784]), ("fc1", ["N", 10])]
    assert [row for row in found["changed"] if row["node"] != "logits"] == [
        {"node": node, "before": {}, "after": {"output": {"shape": shape, "dtype": "float32"}}}
        for node, shape in wanted
    ]


def test_a_changed_dtype_and_a_changed_integer_are_returned_as_data():
    nodes = {"cast": ("to", {"dtype": "float64"}), "side": ("size", {"dim": 3}), "logits": "Output"}
    wires = ["image -> cast", "cast -> side", "cast -> logits"]
    graph = draw(dict([IMAGE]) | nodes, wires)
    found = after(graph_to_json(graph), [
        {"op": "set", "node": "cast", "settings": {"dtype": "float16"}},
        {"op": "set", "node": "image", "settings": {"shape": [1, 8, 8]}},
    ])  # fmt: skip
    rows = {
        row["node"]: (row["before"]["output"], row["after"]["output"]) for row in found["changed"]
    }
    assert rows["cast"] == (
        {"shape": ["N", 1, 28, 28], "dtype": "float64"},
        {"shape": ["N", 1, 8, 8], "dtype": "float16"},
    )
    assert [side["value"] for side in rows["side"]] == ["28", "8"]


def test_what_stays_wrong_after_a_fix_is_reported():
    found = after(graph_to_json(BROKEN), [{"op": "disconnect", "edge": "image -> fc1"}])
    assert (found["errors"], found["changed"]) == (1, [])
    assert found["first"] == "fc1 needs a wire into its port 'input' but has none."


def test_edits_that_cannot_be_made_are_refused():
    with pytest.raises(GraphError, match="nobody is not in the graph"):
        after(graph_to_json(BROKEN), [{"op": "remove", "node": "nobody"}])


@pytest.mark.parametrize(
    ("block", "settings", "torchs"),
    [
        ("GELU", {}, F.gelu),
        ("LeakyReLU", {"negative_slope": 0.3}, lambda x: F.leaky_relu(x, 0.3)),
        ("ELU", {"alpha": 2.0}, lambda x: F.elu(x, 2.0)),
        ("sin", {}, torch.sin),
    ],
)
def test_a_curve_is_torchs_own(block: str, settings: dict[str, float], torchs):
    found = curve(block, settings)
    wanted = torchs(torch.linspace(-4, 4, 81)).tolist()
    assert found["y"] == [pytest.approx(value, abs=1e-5) for value in wanted]
    assert (found["x"][0], found["x"][40], found["x"][80]) == (-4.0, 0.0, 4.0)


@pytest.mark.parametrize("block", ["Softmax", "GLU", "Linear", "MultiheadAttention", "Nothing"])
def test_what_mixes_numbers_has_no_curve(block: str):
    with pytest.raises(ValueError, match=f"{block} has no curve"):
        curve(block, {"dim": 1} if block == "Softmax" else {})
