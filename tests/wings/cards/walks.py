"""The cards for axe-core."""

from playwright.sync_api import expect

from tests.browser.hand import Hand
from tests.browser.states import Look, go, open_lenet


def card_states(look: Look, hand: Hand) -> None:
    """The cards, one that has run with a wrong prediction, one that does not suit the drawing."""
    page = look.page
    go(page, "Learn")
    page.get_by_role("radio", name="Cards").click()
    expect(page.get_by_placeholder("Search")).to_be_visible()
    look.at("learn, cards")
    page.locator(".st-key-exp_jacobian button").click()
    page.get_by_label("Your prediction").fill("3")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".ll-wrong")).to_be_visible()
    look.at("learn, a card that has run")
    page.get_by_role("button", name="All cards").click()
    page.locator(".st-key-exp_jagged-texts button").click()
    expect(page.get_by_test_id("stAlert")).to_be_visible()
    look.at("learn, a card that does not suit")


WALKS = {"cards": (open_lenet, card_states)}
