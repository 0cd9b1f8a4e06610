"""The first look at a drawing: all of it where that can be read, else its beginning and a word."""

import json
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.project.templates import FOLDER
from tests.browser.hand import Hand
from tests.browser.test_view import view

pytestmark = pytest.mark.browser

SIZES = ((1280, 800), (1920, 1080))
WIDEST = ("seq2seq_dates", "transformer_dates", "two_heads_digits", "vae_digits", "vit_digits")
HIGHEST = ("alexnet_digits", "nin_digits", "vgg_digits")
LETTERS_PX = 24  # of a name on a card that is seen from far


def opened(page: Page, server: Any, name: str, text: str) -> Hand:
    hand = Hand(page, server)
    hand.path = server.workspace / f"{name}.loom.json"
    hand.path.write_text(text, "utf-8")
    hand.go()
    hand("canvas").wait_for()
    return hand


@pytest.mark.parametrize("name", [*WIDEST, *HIGHEST])
def test_a_template_is_seen_whole_and_its_names_can_be_read(page: Page, server, name: str):
    text = (FOLDER / f"{name}.loom.json").read_text("utf-8")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        hand = opened(page, server, f"look_{name}_{width}", text)
        canvas = hand.box("canvas")
        boxes = [hand.box(f"node-{node}") for node in json.loads(text)["graph"]["nodes"]]
        assert min(b["x"] for b in boxes) >= canvas["x"]
        assert min(b["y"] for b in boxes) >= canvas["y"]
        assert max(b["x"] + b["width"] for b in boxes) <= canvas["x"] + canvas["width"]
        assert max(b["y"] + b["height"] for b in boxes) <= canvas["y"] + canvas["height"]
        assert view(page)[2] * LETTERS_PX >= 9.8
        expect(hand("more")).to_have_count(0)


def test_a_drawing_that_is_too_long_says_where_it_goes_on(page: Page, server):
    page.set_viewport_size({"width": 1280, "height": 800})
    nodes = ["image", *(f"relu{i}" for i in range(1, 30))]
    blocks = {node: {"block": "ReLU"} for node in nodes}
    blocks["image"] = {"block": "Input", "settings": {"shape": [8]}}  # pyright: ignore[reportArgumentType]
    graph = {"nodes": blocks, "edges": [f"{a} -> {b}" for a, b in pairwise(nodes)]}
    places = {node: [0, 140 * i] for i, node in enumerate(nodes)}
    project = {"layerloom": 1, "name": "Long", "graph": graph, "layout": places}
    hand = opened(page, server, "Long", json.dumps(project))
    expect(hand("more")).to_contain_text("The drawing goes on below.")
    assert hand.box("node-image")["y"] > hand.box("canvas")["y"]
    hand.click("more-all")
    expect(hand("more")).to_have_count(0)
    canvas, last = hand.box("canvas"), hand.box("node-relu29")
    assert last["y"] + last["height"] < canvas["y"] + canvas["height"]
