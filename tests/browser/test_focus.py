"""The keyboard is never lost: after a verb that takes away what had the focus, Ctrl+Z undoes it."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.access import expect_focus, focused
from tests.browser.hand import SECOND, Hand
from tests.browser.rest import at_rest, until

BLUR = """() => { let e = document.activeElement;
  while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
  e?.blur(); }"""


def unpack_by_button(hand: Hand) -> None:
    hand.group("Part", "conv1", "relu1")
    hand.find("part1")
    hand.click("composite-unpack")


def rename_by_enter(hand: Hand) -> None:
    hand.choose("conv1")
    hand.fill("field-id", "first", "Enter")


def group_by_dialog(hand: Hand) -> None:
    hand.choose("conv1", "relu1")
    hand.arrange("group")
    hand.fill("group-name", "Part", "Enter")


def delete_by_menu(hand: Hand) -> None:
    hand.choose("relu1")
    hand.keys("m")
    hand.click("menu-delete")


VERBS = [unpack_by_button, rename_by_enter, group_by_dialog, delete_by_menu]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
def test_ctrl_z_goes_to_the_canvas_right_after(verb, page: Page, server) -> None:
    hand = Hand(page, server)
    hand.open(verb.__name__)
    verb(hand)
    expect(hand("toolbar-undo")).to_be_enabled()
    before = drawn(page)
    hand.keys("Control+s")
    expect(hand("status")).to_contain_text("saved in")
    hand.keys("Control+z")
    expect(hand("toolbar-redo")).to_be_enabled()
    until(page, lambda: drawn(page) != before, "Ctrl+Z took nothing back")


def test_a_button_that_is_switched_off_leaves_the_keyboard_with_the_canvas(
    page: Page, server
) -> None:
    hand = Hand(page, server)
    hand.open("switched-off")
    hand.choose("relu1")
    hand.keys("Delete")
    expect(hand("node-relu1")).to_have_count(0)
    hand("toolbar-undo").focus()
    hand.keys("Enter")
    expect(hand("toolbar-undo")).to_be_disabled()
    expect(hand("node-relu1")).to_be_visible()
    hand.keys("Control+Shift+z")
    expect(hand("node-relu1")).to_have_count(0)


def test_a_block_drawn_elsewhere_among_the_others_keeps_the_keyboard(page: Page, server) -> None:
    hand = Hand(page, server)
    hand.open("reordered")
    block = page.locator('.react-flow__node[data-id="relu1"]')
    block.focus()
    block.evaluate("e => e.parentElement.prepend(e)")  # as React does when the order changes
    expect_focus(page, "relu1")


def test_keys_are_the_canvass_when_nothing_has_the_focus(page: Page, server) -> None:
    hand = Hand(page, server)
    hand.open("nothing-focused")
    hand.choose("relu1")
    page.evaluate(BLUR)
    assert focused(page) == ""
    hand.keys("Delete")
    expect(hand("node-relu1")).to_have_count(0)
    page.evaluate(BLUR)
    hand.keys("Control+z")
    expect(hand("node-relu1")).to_be_visible()
    page.evaluate(BLUR)
    hand.keys("Control+k")
    expect(hand("search-query")).to_be_focused()


def test_keys_in_a_field_of_the_page_are_never_the_canvass(page: Page, server) -> None:
    hand = Hand(page, server)
    hand.open("field-of-the-page")
    hand.choose("relu1")
    at_rest(page)
    hand.share("rename")
    field = page.get_by_label("Project name")
    field.click()
    page.keyboard.press("End")
    page.keyboard.type("flx")
    hand.keys("Backspace", "Delete")
    expect(field).to_have_value("field-of-the-pagefl")
    expect(hand("node-relu1")).to_be_visible()


def test_a_project_is_saved_from_a_field_of_the_page_too(page: Page, server) -> None:
    hand = Hand(page, server)
    hand.open("from-a-field")
    hand.choose("relu1")
    hand.keys("Delete")
    expect(hand("status")).to_contain_text("draft")
    page.evaluate("document.body.append(document.createElement('textarea'))")
    page.locator("body > textarea").focus()
    hand.keys("Control+s")
    expect(hand("status")).to_contain_text("saved in from-a-field.loom.json")


def test_the_focus_stays_where_the_student_went_on(page: Page, server) -> None:
    hand = Hand(page, server)
    hand.open("went-on")
    hand.choose("conv1")
    hand.fill("field-id", "first", "Enter")
    hand("palette-search").focus()
    page.wait_for_timeout(400)  # longer than the canvas waits for a block to be drawn
    page.keyboard.type("rel")
    expect(hand("palette-search")).to_have_value("rel")


def drawn(page: Page) -> list[str]:
    """The ids of the blocks that are drawn."""
    return sorted(
        page.locator(".react-flow__node").evaluate_all("all => all.map(e => e.dataset.id)")
    )


def test_no_key_is_lost_while_the_page_is_drawn_anew_after_a_save(page: Page, server) -> None:
    hand = Hand(page, server)
    hand.open("while-drawn")
    hand.choose("relu1")
    before = drawn(page)
    for _ in range(3):
        hand.keys(*["Control+d"] * 20)
        hand.keys("Control+s", *["Control+z"] * 20)
        expect(hand("toolbar-undo")).to_be_disabled()
        until(page, lambda: drawn(page) == before, "a key was lost")
        hand("node-relu1").click(position=SECOND)
