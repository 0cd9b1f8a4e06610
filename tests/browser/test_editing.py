"""Drawing with wires and finding blocks in a real Chromium, with the file saved after it."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.drawings import checked, choose, open_drawing, saved

pytestmark = pytest.mark.browser

LONGER = {
    "nodes": {
        "image": {"block": "Input", "settings": {"shape": [4, 8, 8]}},
        "conv1": {"block": "Conv2d", "settings": {"out_channels": 8, "kernel_size": 3}},
        "relu1": {"block": "ReLU"},
        "logits": {"block": "Output"},
    },
    "edges": ["image -> conv1", "conv1 -> relu1", "relu1 -> logits"],
}


def drag(page: Page, source: str, x: float, y: float) -> None:
    """Drag a wire from the output of a block to a place on the page."""
    page.get_by_test_id(f"port-{source}-out-output").hover()
    page.mouse.down()
    page.mouse.move(x - 8, y - 8, steps=3)
    page.mouse.move(x, y, steps=3)
    page.mouse.up()


def test_a_wire_into_the_void_offers_what_fits_and_wires_it(page: Page, server):
    path = open_drawing(page, server, "void")
    box = page.get_by_test_id("canvas").bounding_box()
    assert box is not None
    drag(page, "conv1", box["x"] + box["width"] / 2, box["y"] + box["height"] - 80)
    popup = page.get_by_test_id("drop")
    expect(popup).to_contain_text("(N, 4, 6, 6)")
    page.get_by_test_id("drop-query").fill("batch")
    expect(popup.get_by_test_id("drop-BatchNorm2d")).to_be_visible()
    expect(popup.get_by_test_id("drop-BatchNorm1d")).to_have_count(0)
    page.keyboard.press("Enter")
    file = saved(page, path)
    assert list(file["graph"]["nodes"].items())[2] == ("bn", {"block": "BatchNorm2d"})
    assert "conv1 -> bn" in file["graph"]["edges"]
    page.keyboard.press("Control+z")
    expect(page.get_by_test_id("node-bn")).to_have_count(0)


def test_a_residual_in_one_move_with_the_projection_it_needs(page: Page, server):
    path = open_drawing(page, server, "residual", LONGER)
    relu = page.get_by_test_id("port-relu1-in-input").bounding_box()
    assert relu is not None
    drag(page, "image", relu["x"] + 4, relu["y"] + 4)
    page.get_by_test_id("residual-add").click()
    file = saved(page, path)
    assert file["graph"]["nodes"]["join"] == {"block": "add"}
    assert file["graph"]["edges"] == [
        "image -> conv1",
        "conv1 -> join.input",
        "image -> join.other",
        "join -> relu1",
        "relu1 -> logits",
    ]
    expect(page.get_by_test_id("node-join")).to_have_attribute("data-state", "error")
    expect(page.get_by_test_id("fix-join-0")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.get_by_test_id("node-join")).to_have_count(0)
    expect(page.get_by_test_id("node-relu1")).to_have_attribute("data-state", "ok")


def test_a_block_is_replaced_and_keeps_its_wires(page: Page, server):
    path = open_drawing(page, server, "replacing")
    choose(page, "relu1")
    page.get_by_test_id("replace").click()
    page.get_by_test_id("replace-query").fill("gelu")
    page.get_by_test_id("replace-GELU").click()
    checked(page)
    file = saved(page, path)
    assert file["graph"]["nodes"]["relu1"] == {"block": "GELU"}
    assert file["graph"]["edges"][:3] == ["image -> conv1", "conv1 -> relu1", "relu1 -> flat"]
    page.keyboard.press("Control+z")
    expect(page.get_by_test_id("node-relu1")).to_contain_text("ReLU")


def test_search_goes_to_a_block_by_its_setting(page: Page, server):
    path = open_drawing(page, server, "searching")
    written = path.read_text("utf-8")
    page.get_by_test_id("workbench").press("Control+k")
    page.get_by_test_id("search-query").fill("out_features=10")
    expect(page.get_by_test_id("search-fc1")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("field-id")).to_have_value("fc1")
    assert path.read_text("utf-8") == written
