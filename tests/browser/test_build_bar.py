"""The bar of Build: what is done with the project as a file, and how the drawing is looked at."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.first_sight import first_sight
from tests.browser.hand import Hand

CONTROLS, WORDS = 34, 160
LINKS = 8
"""Of the site's own bar: its mark, its pages, help and the switch between light and dark. What it
has besides is not Build's."""
TEMPLATE = Path("projects/lenet_digits.loom.json")


@pytest.mark.gate
def test_lenet_is_opened_with_few_controls_and_words_in_view(page: Page, server) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    hand = Hand(page, server)
    hand.path = server.workspace / "first_sight.loom.json"
    hand.path.write_text(TEMPLATE.read_text("utf-8"), "utf-8")
    hand.go()
    expect(page.locator(".wire-label text", has_text="(N, 10)")).to_be_visible()
    seen = first_sight(page)
    of_site = page.locator('[data-testid="stHeader"] :is(a, button), .st-key-help_bar button')
    more = max(0, of_site.filter(visible=True).count() - LINKS)
    assert len(seen.controls) - more <= CONTROLS, str(seen)
    assert len(seen.words) <= WORDS, str(seen)


def test_a_project_is_downloaded_with_its_last_edit_renamed_and_saved_from_one_menu(
    page: Page, server
) -> None:
    hand = Hand(page, server)
    hand.open("one-menu")
    hand.choose("conv1")
    hand("setting-out_channels").fill("7")
    with page.expect_download() as download:
        hand.share("download")
    assert download.value.suggested_filename == "one-menu.loom.json"
    graph = json.loads(Path(download.value.path()).read_text("utf-8"))["graph"]
    assert graph["nodes"]["conv1"]["settings"]["out_channels"] == 7
    hand.share("rename")
    page.get_by_role("textbox", name="Project name").fill("Another name")
    page.keyboard.press("Enter")
    expect(hand("project-name")).to_have_text("Another name")
    expect(hand("status")).to_contain_text("draft")
    hand.share("save")
    expect(hand("status")).to_contain_text("saved in one-menu.loom.json")
    assert json.loads(hand.path.read_text("utf-8"))["name"] == "Another name"


def test_a_menu_is_gone_through_with_arrows_and_left_with_escape_or_tab(page: Page, server) -> None:
    hand = Hand(page, server)
    hand.open("by-arrows")
    hand("toolbar-arrange").press("Enter")
    expect(hand("toolbar-tidy")).to_be_focused()
    hand.keys("ArrowUp")
    expect(hand("toolbar-help")).to_be_focused()
    hand.keys("Escape")
    expect(hand("toolbar-arrange")).to_be_focused()
    expect(hand("arrange-open")).to_have_count(0)
    hand.keys("Enter")
    hand("toolbar-help").focus()
    hand.keys("Tab")
    expect(hand("arrange-open")).to_have_count(0)
    expect(hand("toolbar-sample")).to_be_focused()


def test_panels_are_hidden_from_the_menu_and_come_back_by_a_button_in_the_bar(
    page: Page, server
) -> None:
    hand = Hand(page, server)
    hand.open("hidden-panels")
    expect(hand("toolbar-toggle-palette")).to_have_count(0)
    hand.arrange("toggle-palette")
    expect(hand("palette")).to_have_count(0)
    hand.click("toolbar-toggle-palette")
    expect(hand("palette")).to_be_visible()
    hand("workbench").focus()
    hand.keys("i")
    expect(hand("workbench")).to_have_attribute("data-side", "closed")
    hand.keys("2")
    expect(hand("tab-source")).to_have_attribute("aria-selected", "true")


def test_other_settings_are_folded_until_one_is_set_and_stay_as_they_were_left(
    page: Page, server
) -> None:
    hand = Hand(page, server)
    hand.open("folded")
    hand.choose("conv1")
    more = hand("more-settings")
    expect(more).to_have_text("More settings (6)")
    expect(hand("setting-dilation")).to_be_hidden()
    expect(page.locator("label[title=kernel_size] wbr")).to_have_count(1)
    hand("setting-kernel_size").focus()
    expect(hand("setting-help")).to_contain_text("Side of a filter. At least 1.")
    more.click()
    hand.fill("setting-dilation", "2")
    hand.choose("fc1")
    expect(hand("setting-bias")).to_be_visible()
    more.click()
    expect(hand("setting-bias")).to_be_hidden()
    hand.choose("conv1")
    expect(hand("setting-dilation")).to_have_value("2")
    expect(hand("setting-dilation")).to_be_visible()
    hand.choose("fc1")
    expect(hand("setting-bias")).to_be_hidden()


def test_on_a_tablet_the_inspector_is_a_sheet_over_the_canvas(page: Page, server) -> None:
    page.set_viewport_size({"width": 820, "height": 1000})
    hand = Hand(page, server)
    hand.open("tablet")
    expect(hand("palette")).to_be_visible()
    expect(hand("workbench")).to_have_attribute("data-side", "closed")
    before = hand.box("canvas")
    bar = [
        box for box in (each.bounding_box() for each in page.locator(".bar button").all()) if box
    ]
    assert all(a["x"] + a["width"] <= b["x"] + 1 for a, b in pairwise(bar)), "buttons overlap"
    hand.choose("conv1")
    hand.click("toolbar-toggle-side")
    expect(hand("setting-out_channels")).to_be_visible()
    assert hand.box("canvas") == before
    sheet = page.get_by_role("complementary", name="Inspector").bounding_box()
    assert sheet
    assert sheet["x"] > before["x"]
    assert sheet["x"] + sheet["width"] <= 820
