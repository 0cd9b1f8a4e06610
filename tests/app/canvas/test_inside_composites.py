"""What is inside a composite keeps its places and its numbers on the way to the canvas and back."""

import json
from typing import Any

from app.canvas import protocol
from app.canvas.protocol import read_layout
from app.canvas.session import DocSession
from core.project import graph_from_json, graph_to_json, read_text

GRAPH: dict[str, Any] = {
    "nodes": {"image": {"block": "Input", "settings": {"shape": [4]}}, "use": {"block": "Part"}},
    "edges": ["image -> use"],
    "composites": {
        "Part": {
            "settings": {"rate": 1.0},
            "nodes": {
                "input": {"block": "Input"},
                "drop": {"block": "Dropout", "settings": {"p": 1.0}},
                "output": {"block": "Output"},
            },
            "edges": ["input -> drop", "drop -> output"],
        }
    },
}


def test_places_inside_a_composite_bear_its_name() -> None:
    found = {"image": [0, 0], "Part.drop": [8, 16], "Part.gone": [1, 1], "Other.drop": [1, 1]}
    layout = read_layout(found, graph_from_json(GRAPH))
    assert layout == {"image": (0, 0), "Part.drop": (8, 16)}


def test_a_whole_number_from_the_browser_stays_the_float_it_was() -> None:
    graph = {key: GRAPH[key] for key in ("nodes", "edges")}
    text = {"layerloom": 1, "name": "x", "graph": graph, "composites": GRAPH["composites"]}
    doc = DocSession("d", read_text(json.dumps(text)), None, lambda _: {})
    sent = json.loads(json.dumps(graph_to_json(doc.project.graph)).replace("1.0", "1"))
    up = {
        "v": protocol.VERSION,
        "doc": "d",
        "client": "c",
        "sid": doc.sid,
        "epoch": 1,
        "rev": 1,
        "semRev": 1,
    }
    assert doc.receive({**up, "graph": sent, "layout": {}, "need": [], "action": None})
    part = doc.project.graph.composites["Part"]
    assert repr(part.settings["rate"]) == "1.0"
    assert repr(part.graph.nodes["drop"].settings["p"]) == "1.0"
