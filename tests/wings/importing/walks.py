"""The Import page for axe-core."""

from playwright.sync_api import expect

from tests.browser.hand import Hand
from tests.browser.states import Look, go


def import_states(look: Look, hand: Hand) -> None:
    """The page before a model is chosen."""
    look.page.goto(hand.server.address)
    go(look.page, "Import")
    expect(look.page.get_by_role("tab").first).to_be_visible()
    look.at("import")


WALKS = {"import": (import_states,)}
