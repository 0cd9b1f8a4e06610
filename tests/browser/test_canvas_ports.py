"""Names of ports on cards that have many of them never stand on each other."""

import json
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.hand import Hand

INNER = {
    "the_picture_that_was_taken": {"block": "Input"},
    "the_mask": {"block": "Input"},
    "join": {"block": "add"},
    "a_rather_long_output_name": {"block": "Output"},
    "another_long_output_name": {"block": "Output"},
}
MINE: dict[str, Any] = {
    "nodes": INNER,
    "edges": [
        "the_picture_that_was_taken -> join.input",
        "the_mask -> join.other",
        "join -> a_rather_long_output_name",
        "join -> another_long_output_name",
    ],
}
ATTENTION = {"embed_dim": 16, "num_heads": 2, "batch_first": True}
DECODER = {"d_model": 16, "nhead": 2, "batch_first": True}
GRAPH: dict[str, Any] = {
    "nodes": {
        "image": {"block": "Input", "settings": {"shape": [8, 16]}},
        "attention1": {"block": "MultiheadAttention", "settings": ATTENTION},
        "lstm1": {"block": "LSTM", "settings": {"hidden_size": 16, "batch_first": True}},
        "decoder1": {"block": "TransformerDecoderLayer", "settings": DECODER},
        "mine1": {"block": "Mine"},
    },
    "edges": ["image -> attention1.query", "image -> mine1.the_mask"],
}
NAMES = """e => [...e.querySelectorAll('.port-name')].map(name => {
  const {left, right, top, bottom} = name.getBoundingClientRect();
  return {name: name.textContent, left, right, top, bottom}; })"""


def overlaps(names: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Pairs of names, of one line, of which one begins before the other ends."""
    ordered = sorted(names, key=lambda n: (round(n["top"]), n["left"]))
    return [
        (a["name"], b["name"])
        for a, b in pairwise(ordered)
        if round(a["top"]) == round(b["top"]) and b["left"] < a["right"]
    ]


@pytest.mark.parametrize(("direction", "step"), [("down", (0, 200)), ("right", (320, 0))])
def test_names_of_ports_stand_beside_each_other(
    page: Page, server, direction: str, step: tuple[int, int]
):
    places = {node: [step[0] * i, step[1] * i] for i, node in enumerate(GRAPH["nodes"])}
    path = server.workspace / f"Ports {direction}.loom.json"
    project = {"layerloom": 1, "name": path.name, "graph": GRAPH, "composites": {"Mine": MINE}}
    path.write_text(json.dumps({**project, "layout": places}), "utf-8")
    hand = Hand(page, server)
    hand.path = path
    page.set_viewport_size({"width": 1920, "height": 1080})
    hand.go()
    for node, count in {"attention1": 7, "lstm1": 6, "decoder1": 6, "mine1": 4}.items():
        names = hand(f"node-{node}").evaluate(NAMES)
        card = hand.box(f"node-{node}")
        assert len(names) == count
        assert overlaps(names) == []
        assert min(n["left"] for n in names) >= card["x"]
        assert max(n["right"] for n in names) <= card["x"] + card["width"]
