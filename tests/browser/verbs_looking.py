"""Verbs that only look: what is in view afterwards is asserted, and the file stays as it is."""

from playwright.sync_api import expect

from tests.browser.drawings import CHAIN
from tests.browser.hand import Hand
from tests.browser.rest import until
from tests.browser.verbs import Table

VERBS = Table()
FAULT = {**CHAIN["nodes"], "conv1": {"block": "Conv2d", "settings": {"kernel_size": 9}}}
FAULT["conv1"]["settings"]["out_channels"] = 4


def around(hand: Hand, *nodes: str) -> tuple[float, float, float, float]:
    """Left, top, right and lower edge of all these blocks on the page."""
    boxes = [hand.box(f"node-{node}") for node in nodes]
    left, top = min(b["x"] for b in boxes), min(b["y"] for b in boxes)
    right = max(b["x"] + b["width"] for b in boxes)
    return left, top, right, max(b["y"] + b["height"] for b in boxes)


def in_view(hand: Hand, *nodes: str) -> bool:
    """Whether these blocks lie wholly inside the canvas."""
    canvas = hand.box("canvas")
    left, top, right, bottom = around(hand, *nodes)
    across = canvas["x"] <= left and right <= canvas["x"] + canvas["width"]
    return across and canvas["y"] <= top and bottom <= canvas["y"] + canvas["height"]


def filled(hand: Hand, *nodes: str) -> float:
    """The share of the canvas that these blocks take, in the direction where it is larger."""
    canvas = hand.box("canvas")
    left, top, right, bottom = around(hand, *nodes)
    return max((right - left) / canvas["width"], (bottom - top) / canvas["height"])


def go_close(hand: Hand) -> None:
    """Zoom in and drag the drawing away, until only a corner of it can be seen."""
    hand("workbench").focus()
    hand.keys(*"+++++")
    canvas = hand.box("canvas")
    start = canvas["x"] + canvas["width"] * 0.5, canvas["y"] + canvas["height"] * 0.9
    hand.drag(start, (start[0] + 340, start[1] - 420))


@VERBS(undos=0)
def zoom_to_fit(hand: Hand) -> None:
    go_close(hand)
    assert not in_view(hand, *CHAIN["nodes"])
    hand.keys("f")
    until(hand.page, lambda: in_view(hand, *CHAIN["nodes"]), "not all is in view")
    assert filled(hand, *CHAIN["nodes"]) > 0.6


@VERBS(undos=0)
def zoom_to_the_selection(hand: Hand) -> None:
    hand.choose("flat", "fc1")
    hand.keys("Shift+F")
    until(hand.page, lambda: filled(hand, "flat", "fc1") > 0.7, "the two stay small")
    assert in_view(hand, "flat", "fc1")
    assert not in_view(hand, *CHAIN["nodes"])


@VERBS({"nodes": FAULT, "edges": CHAIN["edges"]}, undos=0)
def zoom_to_an_error(hand: Hand) -> None:
    expect(hand("node-conv1")).to_have_attribute("data-state", "error")
    go_close(hand)
    assert not in_view(hand, "conv1")
    hand.keys("p")
    until(hand.page, lambda: in_view(hand, "conv1"), "the error is not in view")
    assert hand.box("node-conv1")["width"] > 100
    expect(hand("tab-block")).to_have_attribute("aria-selected", "true")
    expect(hand("field-id")).to_have_value("conv1")
