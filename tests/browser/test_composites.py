"""Composites in a real Chromium: after each verb the saved file is what it must be."""

from playwright.sync_api import Page, expect

from tests.browser.access import expect_focus, press
from tests.browser.drawings import checked, choose, open_drawing, saved
from tests.browser.hand import colour_by


def group(page: Page, name: str, *nodes: str) -> None:
    choose(page, *nodes)
    page.keyboard.press("Control+g")
    page.get_by_test_id("group-name").fill(name)
    page.get_by_test_id("group-done").click()
    checked(page)


def test_an_open_composite_shows_its_shapes_and_every_use_follows(page: Page, server):
    path = open_drawing(page, server, "opening")
    group(page, "Stage", "conv1", "relu1")
    page.get_by_test_id("palette-Stage").click()
    page.get_by_test_id("node-stage2").dblclick(position={"x": 40, "y": 14})
    expect(page.get_by_test_id("crumbs")).to_contain_text("Changes apply to all 2 uses of Stage")
    expect(page.get_by_test_id("node-conv1")).to_contain_text("(N, 4, 4, 4)")
    page.get_by_test_id("node-conv1").click(position={"x": 40, "y": 14})
    page.get_by_test_id("promote-out_channels").click()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("crumbs")).to_have_count(0)
    choose(page, "stage2")
    page.get_by_test_id("setting-out_channels").fill("6")
    page.get_by_test_id("composite-independent").click()
    file = saved(page, path)
    stage = {"block": "Stage2", "settings": {"out_channels": 6}}
    assert file["graph"]["nodes"]["stage2"] == stage
    assert sorted(file["composites"]) == ["Stage", "Stage2"]
    assert file["composites"]["Stage"]["settings"] == {"out_channels": 4}
    assert file["composites"]["Stage"]["nodes"]["conv1"]["settings"]["out_channels"] == (
        "=out_channels"
    )
    assert file["composites"]["Stage"] == file["composites"]["Stage2"]
    expect(page.get_by_test_id("node-stage2")).to_contain_text("(N, 6, 4, 4)")


def test_keys_heat_and_formula_reach_into_an_open_composite(page: Page, server):
    open_drawing(page, server, "walking")
    group(page, "Stage", "conv1", "relu1")
    page.get_by_test_id("workbench").focus()
    press(page, "Enter", "ArrowDown")
    expect_focus(page, "input")
    press(page, "ArrowRight", "ArrowRight")
    expect(page.get_by_test_id("crumbs")).to_be_visible()
    page.get_by_test_id("node-conv1").click(position={"x": 40, "y": 14})
    expect(page.get_by_test_id("filled-formula")).to_contain_text("8+2⋅0−3")
    colour_by(page, "params")
    expect(page.get_by_test_id("heat-legend")).to_contain_text("40 in total")  # 4 x (3 x 3 + 1)
    expect(page.get_by_test_id("node-conv1")).to_contain_text("40")
    page.get_by_test_id("promote-kernel_size").click()
    checked(page)
    expect(page.get_by_test_id("filled-formula")).to_have_count(0)
    page.locator('.react-flow__node[data-id="conv1"]').focus()
    press(page, "Escape")
    expect(page.get_by_test_id("crumbs")).to_be_visible()
    press(page, "Escape")
    expect(page.get_by_test_id("crumbs")).to_have_count(0)
    expect_focus(page, "stage1")


def test_undo_after_a_reload_goes_on_from_inside_a_composite(page: Page, server):
    open_drawing(page, server, "reloading")
    group(page, "Stage", "conv1", "relu1")
    page.keyboard.press("Enter")
    choose(page, "relu1")
    page.keyboard.press("Delete")
    checked(page)
    page.reload()
    checked(page)
    expect(page.get_by_test_id("node-stage1")).to_be_visible()
    page.get_by_test_id("toolbar-undo").click()
    checked(page)
    page.get_by_test_id("node-stage1").dblclick(position={"x": 40, "y": 14})
    expect(page.get_by_test_id("node-relu1")).to_be_visible()
    page.get_by_test_id("crumb-0").click()
    page.get_by_test_id("toolbar-undo").click()
    expect(page.get_by_test_id("node-conv1")).to_be_visible()
