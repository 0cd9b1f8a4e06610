"""What of a drawing is in view: a composite's inside, and a window that changes."""

import json
import re
import time
from itertools import pairwise
from typing import Any

from playwright.sync_api import Page, expect

from tests.bench.workbench import residual
from tests.browser.drawings import open_drawing
from tests.browser.hand import Hand

INSIDE = ["input", "c1", "b1", "r1", "c2", "b2", "r2", "c3", "b3", "join", "last", "output"]
BLOCK = {"input": "Input", "join": "add", "output": "Output"}
WAIT_S = 360


def in_a_line(ids: list[str]) -> list[str]:
    return [f"{a} -> {b}" for a, b in pairwise(ids)]


RESIDUAL: dict[str, Any] = {
    "nodes": {name: {"block": BLOCK.get(name, "ReLU")} for name in INSIDE},
    "edges": [*in_a_line(INSIDE), "input -> join.other"],
}
GRAPH: dict[str, Any] = {
    "nodes": {
        "image": {"block": "Input", "settings": {"shape": [4, 8, 8]}},
        "stage": {"block": "Residual"},
        "logits": {"block": "Output"},
    },
    "edges": ["image -> stage", "stage -> logits"],
}


def view(page: Page) -> tuple[float, float, float]:
    """Where the drawing lies in the canvas, and its zoom."""
    style = page.locator(".react-flow__viewport").get_attribute("style") or ""
    x, y, zoom = re.findall(r"-?[\d.]+(?=px|\))", style)[:3]
    return float(x), float(y), float(zoom)


def off_centre(page: Page, left: str, right: str) -> float:
    """How far the middle of the blocks is from that of the canvas, in pixels."""
    names = (f"node-{left}", f"node-{right}", "canvas")
    found = [page.get_by_test_id(name).bounding_box() for name in names]
    a, b, canvas = (box for box in found if box)
    return abs((a["x"] + b["x"] + b["width"]) / 2 - canvas["x"] - canvas["width"] / 2)


def centred(page: Page, left: str, right: str) -> None:
    end = time.monotonic() + WAIT_S
    while off_centre(page, left, right) > 2:
        assert time.monotonic() < end, f"{off_centre(page, left, right)} pixels off the centre"
        page.wait_for_timeout(50)


def test_a_composite_without_places_opens_whole_and_can_be_read(page: Page, server):
    page.set_viewport_size({"width": 1280, "height": 800})
    hand = Hand(page, server)
    hand.open("Folded", GRAPH, composites={"Residual": RESIDUAL})
    hand("node-stage").dblclick(position={"x": 40, "y": 14})
    hand("node-c1").wait_for()
    canvas, crumbs = hand.box("canvas"), hand.box("crumbs")
    boxes = [hand.box(f"node-{name}") for name in INSIDE]
    assert view(page)[2] >= 0.5
    assert min(b["y"] for b in boxes) > crumbs["y"] + crumbs["height"]
    assert min(b["x"] for b in boxes) > canvas["x"]
    assert max(b["x"] + b["width"] for b in boxes) < canvas["x"] + canvas["width"]
    assert len({round(b["y"]) for b in boxes}) == 4  # rows


def test_a_drawing_is_fitted_again_until_a_hand_moves_the_view(page: Page, server):
    open_drawing(page, server, "Fitted again")
    page.set_viewport_size({"width": 1900, "height": 900})
    centred(page, "image", "relu1")
    page.get_by_test_id("workbench").press("i")
    centred(page, "image", "relu1")
    canvas = page.get_by_test_id("canvas")
    canvas.hover(position={"x": 60, "y": 600})
    page.mouse.down()
    page.mouse.move(700, 700, steps=4)
    page.mouse.up()
    moved = view(page)
    page.set_viewport_size({"width": 1300, "height": 900})
    page.wait_for_timeout(1000)
    assert view(page) == moved


def test_a_drawing_stays_while_a_field_is_written_in(page: Page, server):
    open_drawing(page, server, "Not while writing")
    centred(page, "image", "relu1")
    before = view(page)
    page.get_by_test_id("palette-search").fill("conv")
    page.set_viewport_size({"width": 1900, "height": 900})
    page.wait_for_timeout(1000)
    assert view(page) == before
    page.get_by_test_id("workbench").focus()
    centred(page, "image", "relu1")


def test_a_wide_fan_begins_in_view_and_keeps_its_direction(page: Page, server):
    branches = [f"fc{i}" for i in range(24)]
    linear = {"block": "Linear", "settings": {"out_features": 4}}
    fan: dict[str, Any] = {
        "nodes": {
            "image": {"block": "Input", "settings": {"shape": [8]}},
            **dict.fromkeys(branches, linear),
            "cat1": {"block": "cat", "settings": {"dim": 1}},
            "logits": {"block": "Output"},
        },
        "edges": [f"image -> {name}" for name in branches]
        + [f"{name} -> cat1.tensors.{i}" for i, name in enumerate(branches)]
        + ["cat1 -> logits"],
    }
    path = server.workspace / "Fan.loom.json"
    path.write_text(json.dumps({"layerloom": 1, "name": "Fan", "graph": fan}), "utf-8")
    hand = Hand(page, server)
    hand.path = path
    hand.go()
    canvas, image = hand.box("canvas"), hand.box("node-image")
    assert image["y"] > canvas["y"]
    assert image["y"] + image["height"] < canvas["y"] + canvas["height"]
    hand("workbench").focus()
    hand.keys("l")
    layout = json.loads(hand.saved())["layout"]
    assert sorted(branches, key=lambda name: layout[name][1]) == branches
    hand.reload()
    for flows, verb in (("right", hand.arrange), ("down", lambda _: hand.undo()), ("right", None)):
        hand.click("toolbar-arrange")
        expect(hand("toolbar-direction")).to_have_text(re.compile(f"^Data flows {flows}"))
        hand.keys("Escape")
        if verb:
            verb("direction")


def test_a_block_seen_from_afar_is_taken_by_a_click_and_several_by_a_frame(
    page: Page, server
) -> None:
    hand = Hand(page, server)
    hand.path = server.workspace / "from_afar.loom.json"
    hand.path.write_text(json.dumps(residual(600)))
    hand.go()
    hand("workbench").press("f")
    patches = page.locator(".tiny-blocks path")
    expect(patches.first).to_be_visible()
    expect(page.locator(".react-flow__node")).to_have_count(0)
    box = page.locator('.tiny-blocks path[data-family="ends"]').bounding_box()
    assert box
    page.mouse.move(box["x"] + 3, box["y"] + 2)
    expect(page.locator(".react-flow__node")).to_have_count(1)
    page.mouse.click(box["x"] + 3, box["y"] + 2)
    expect(hand("node-image")).to_have_attribute("data-selected", "true")
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] - 8, box["y"] - 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 60, steps=6)
    page.mouse.up()
    page.keyboard.up("Shift")
    chosen = page.locator(".react-flow__node .block[data-selected]")
    expect(chosen.nth(3)).to_be_attached()
    assert chosen.count() == page.locator(".react-flow__node").count()
