"""The canvas in a real Chromium: costs as a heat map, formulas, two tabs, undo after a reload."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.access import checked, open_lenet, press
from tests.browser.hand import colour_by


def test_blocks_are_coloured_by_what_they_cost(page: Page, server):
    open_lenet(page, server.address)
    dear, free = page.get_by_test_id("node-fc1"), page.get_by_test_id("node-tanh1")
    expect(page.get_by_test_id("heat-legend")).to_have_count(0)
    colour_by(page, "params")
    legend = page.get_by_test_id("heat-legend")
    expect(legend).to_contain_text("156")  # conv1, the cheapest: 6 x (5 x 5 + 1)
    expect(legend).to_contain_text("48.1")  # fc1, the dearest: 400 x 120 + 120
    assert dear.evaluate("e => e.style.getPropertyValue('--warmth')") == "100%"
    expect(dear).to_contain_text("48.1")
    expect(free).to_have_attribute("data-cold", "true")
    colour_by(page, "bytes")
    expect(free).to_contain_text("18.8")  # 6 x 28 x 28 float32
    page.get_by_test_id("heat-off").click()
    expect(legend).to_have_count(0)


def test_the_formula_shows_the_numbers_of_this_block(page: Page, server):
    open_lenet(page, server.address)
    page.get_by_test_id("node-conv1").click()
    formula = page.get_by_test_id("filled-formula")
    expect(formula).to_contain_text("28+2⋅2−5")
    page.get_by_test_id("setting-kernel_size").fill("3")
    checked(page)
    expect(formula).to_contain_text("28+2⋅2−3")
    expect(formula).to_contain_text("=30")


@pytest.mark.gate
def test_two_tabs_notice_each_other_and_the_student_chooses(page: Page, server):
    open_lenet(page, server.address)
    page.get_by_test_id("node-tanh4").click()
    other = page.context.new_page()
    other.goto(page.url)
    checked(other, 60_000)
    page.get_by_test_id("workbench").focus()
    press(page, "Delete")
    checked(page)
    banner = other.get_by_test_id("elsewhere")
    expect(banner).to_be_visible()
    expect(other.get_by_test_id("node-tanh4")).to_be_visible()
    other.get_by_test_id("elsewhere-theirs").click()
    expect(other.get_by_test_id("node-tanh4")).to_have_count(0)
    expect(banner).to_have_count(0)
    checked(other)
    other.get_by_test_id("node-fc3").click()
    press(other, "Delete")
    checked(other)
    expect(page.get_by_test_id("elsewhere")).to_be_visible()
    page.get_by_test_id("elsewhere-mine").click()
    expect(page.get_by_test_id("elsewhere")).to_have_count(0)
    expect(page.get_by_test_id("node-fc3")).to_be_visible()
    expect(banner).to_be_visible()


def test_undo_goes_on_after_a_reload(page: Page, server):
    open_lenet(page, server.address)
    page.get_by_test_id("node-tanh4").click()
    press(page, "Delete")
    checked(page)
    page.get_by_test_id("node-fc2").click()
    press(page, "Delete")
    checked(page)
    page.reload()
    checked(page, 60_000)
    expect(page.get_by_test_id("node-fc2")).to_have_count(0)
    page.get_by_test_id("toolbar-undo").click()
    expect(page.get_by_test_id("node-fc2")).to_be_visible()
    page.get_by_test_id("toolbar-undo").click()
    expect(page.get_by_test_id("node-tanh4")).to_be_visible()
    checked(page)
