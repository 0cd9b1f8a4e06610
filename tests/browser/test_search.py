"""Search in the drawing by hand in a real Chromium: blocks, settings, errors; nothing changes."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hand import Hand

WRONG = {
    "nodes": {
        "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
        "conv1": {"block": "Conv2d", "settings": {"out_channels": 4, "kernel_size": 3}},
        "pool1": {"block": "MaxPool2d", "settings": {"kernel_size": 20}},
        "logits": {"block": "Output"},
    },
    "edges": ["image -> conv1", "conv1 -> pool1", "pool1 -> logits"],
}


@pytest.mark.parametrize(
    ("query", "found"),
    [("conv1", "conv1"), ("out_channels=4", "conv1"), ("error", "pool1"), ("input", "image")],
)
def test_search_goes_to_a_block_by_id_setting_and_error(query, found, page: Page, server):
    hand = Hand(page, server)
    hand.open(f"search_{found}_{len(query)}", WRONG)
    hand("workbench").press("Control+k")
    hand.fill("search-query", query)
    expect(hand(f"search-{found}")).to_have_attribute("aria-selected", "true")
    hand.keys("Enter")
    expect(hand("field-id")).to_have_value(found)
    assert hand.saved() == hand.start


def test_a_resting_mouse_does_not_choose_from_the_list(page: Page, server):
    hand = Hand(page, server)
    hand.open("search_resting", WRONG)
    hand("workbench").press("Control+k")
    x, y = hand.at("search-logits")
    hand.keys("Escape")
    page.mouse.move(x, y)
    hand("workbench").press("Control+k")
    expect(hand("search-logits")).to_be_visible()
    page.mouse.move(x, y)  # what Chromium tells by itself when something comes under the mouse
    expect(hand("search-image")).to_have_attribute("aria-selected", "true")
    page.mouse.move(x + 3, y)
    expect(hand("search-logits")).to_have_attribute("aria-selected", "true")
