"""The first look at a drawing: all of it where that can be read, else its beginning and a word."""

import json
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.project.templates import FOLDER
from tests.browser.hand import Hand
from tests.browser.test_view import view

SIZES = ((1280, 800), (1920, 1080))
WIDEST = ("seq2seq_dates", "transformer_dates", "two_heads_digits", "vae_digits", "vit_digits")
HIGHEST = ("alexnet_digits", "nin_digits", "vgg_digits")
WIRED = ("lstm_text", "transformer_dates", "transformer_digits", "vit_digits")
BEHIND = """e => {
  const cards = [...e.querySelectorAll('.react-flow__node')].map(
    card => [card.dataset.id, card.getBoundingClientRect()]);
  return [...e.querySelectorAll('.react-flow__edge')].flatMap(edge => {
    const path = edge.querySelector('path.react-flow__edge-path'), at = path.getScreenCTM();
    const ends = edge.dataset.id.split(' -> ').map(end => end.split('.')[0]);
    const inside = (card, {x, y}) =>
      x > card.left && x < card.right && y > card.top && y < card.bottom;
    const places = Array.from({length: Math.ceil(path.getTotalLength() / 3)},
      (_, i) => path.getPointAtLength(3 * i).matrixTransform(at));
    return cards.filter(([id, card]) => !ends.includes(id) && places.some(p => inside(card, p)))
      .map(([id]) => `${edge.dataset.id} behind ${id}`);
  }); }"""
COVERED = """e => {
  const labels = [...e.querySelectorAll('.wire-label')].map(
    label => [label.textContent, label.getBoundingClientRect()]);
  return labels.flatMap(([text, a], i) => labels.slice(i + 1).filter(([, b]) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom - 2 && b.top < a.bottom - 2
  ).map(([other]) => `${text} on ${other}`)); }"""
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


@pytest.mark.parametrize("name", WIRED)
def test_no_wire_of_a_template_runs_behind_a_card_and_no_label_covers_another(
    page: Page, server, name: str
):
    page.set_viewport_size({"width": 1920, "height": 1080})
    text = (FOLDER / f"{name}.loom.json").read_text("utf-8")
    hand = opened(page, server, f"wires_{name}", text)
    hand.box("canvas")
    assert hand("canvas").evaluate(BEHIND) == []
    assert hand("canvas").evaluate(COVERED) == []


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
