"""Blocks frozen and slowed on the canvas, with the keyboard: the mark, the source, the file."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.drawings import checked, choose, open_drawing, saved


def test_a_frozen_block_is_marked_and_kept_and_the_source_stays(page: Page, server: Any):
    path = open_drawing(page, server, "freezing")
    choose(page, "conv1")
    page.keyboard.press("t")
    mark = page.get_by_test_id("node-conv1").locator(".block-frozen")
    expect(mark).to_have_text("frozen")
    expect(page.get_by_test_id("field-frozen")).to_be_checked()
    choose(page, "fc1")
    page.get_by_test_id("field-lr-factor").fill("0.1")
    expect(page.get_by_test_id("node-fc1")).to_contain_text("×0.1 lr")
    nodes = saved(page, path)["graph"]["nodes"]
    assert nodes["conv1"]["frozen"] is True
    assert nodes["fc1"]["lr_factor"] == 0.1
    page.reload()
    checked(page)
    expect(mark).to_have_text("frozen")
    choose(page, "conv1")
    page.keyboard.press("m")
    page.get_by_test_id("menu-freeze").click()
    expect(mark).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(mark).to_have_text("frozen")
