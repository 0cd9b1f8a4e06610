"""Renaming a project: the field has the keyboard, and Enter renames."""

from playwright.sync_api import Page, expect

from tests.browser.hand import Hand


def test_a_name_is_typed_at_once_and_enter_takes_it(page: Page, server):
    hand = Hand(page, server)
    hand.open("rename-me")
    hand.share("rename")
    field = page.get_by_role("textbox", name="Project name")
    expect(field).to_be_focused()
    page.keyboard.type("Small network")  # the old name is selected and gives way
    page.keyboard.press("Enter")
    expect(page).to_have_title("Small network · Build")
