"""The dialog "Share" for axe-core."""

from playwright.sync_api import expect

from tests.browser.hand import Hand
from tests.browser.states import Look, open_lenet


def share_states(look: Look, hand: Hand) -> None:
    """The dialog over the open project."""
    page = look.page
    hand.share("share-bundle")
    expect(page.get_by_role("dialog")).to_be_visible()
    look.at("share")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


WALKS = {"share": (open_lenet, share_states)}
