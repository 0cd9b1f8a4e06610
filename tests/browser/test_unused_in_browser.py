"""Layers that forward does not use, on the canvas: mark and words, the inspector, a wire, undo."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.access import axe_script, describe, violations
from tests.browser.drawings import checked, choose, open_drawing, saved
from tests.browser.test_first_five_minutes import wire

AUX = {"block": "Linear", "settings": {"in_features": 10, "out_features": 4}}
GRAPH: dict[str, Any] = {
    "nodes": {
        "image": {"block": "Input", "settings": {"shape": [8]}},
        "fc": {"block": "Linear", "settings": {"out_features": 10}},
        "aux": {**AUX, "unused": True},
        "logits": {"block": "Output"},
    },
    "edges": ["image -> fc", "fc -> logits"],
}


def test_an_unused_block_says_so_and_a_wire_into_it_uses_it(page: Page, server: Any):
    path = open_drawing(page, server, "Unused", GRAPH)
    card = page.get_by_test_id("node-aux")
    expect(card).to_have_attribute("data-state", "unused")
    expect(card.locator(".block-foot")).to_have_text("not used by forward44")
    expect(card.locator(".icon-unused")).to_be_visible()
    assert page.get_by_role("group", name="aux, Linear, not used by forward").count() == 1
    choose(page, "aux")
    about = page.get_by_test_id("unused")
    expect(about).to_contain_text("constructed, counted in the parameters and saved under aux")
    expect(about).to_contain_text("To use it, draw a wire into it. Or delete it")
    expect(page.locator(".finding[data-level=warning]")).to_have_count(0)
    wire(page, "fc", "aux")
    checked(page)
    expect(card).not_to_have_attribute("data-state", "unused")
    expect(about).to_have_count(0)
    graph = saved(page, path)["graph"]
    assert graph["nodes"]["aux"] == AUX
    assert "fc -> aux" in graph["edges"]
    page.get_by_test_id("workbench").press("Control+z")
    expect(card).to_have_attribute("data-state", "unused")
    assert saved(page, path)["graph"] == GRAPH


def test_a_copy_is_unused_too_and_one_is_deleted_from_the_inspector(page: Page, server: Any):
    path = open_drawing(page, server, "Unused twice", GRAPH)
    choose(page, "aux")
    page.get_by_test_id("workbench").press("Control+d")
    expect(page.get_by_test_id("node-aux1")).to_have_attribute("data-state", "unused")
    choose(page, "aux")
    page.get_by_test_id("delete-unused").click()
    expect(page.get_by_test_id("node-aux")).to_have_count(0)
    nodes = saved(page, path)["graph"]["nodes"]
    assert nodes["aux1"] == GRAPH["nodes"]["aux"]


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_an_unused_block(page: Page, server: Any, theme: Any):
    axe = axe_script()
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    open_drawing(page, server, f"Unused {theme}", GRAPH)
    choose(page, "aux")
    expect(page.get_by_test_id("unused")).to_be_visible()
    found = violations(page, axe)
    assert describe([f for f in found if ">>" in f["where"] or "loom" in json.dumps(f)]) == ""
