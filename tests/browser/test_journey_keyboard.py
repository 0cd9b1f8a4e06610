"""A network of one's own, without a template and without a mouse: a residual on digits, trained."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.drawings import checked
from tests.browser.hand import Hand
from tests.browser.journey import Journey, accuracy, run_of

NETWORK = (
    "input 1 8 8",
    "conv2d 16 3 padding=1",
    "relu",
    "conv2d 8 3 padding=1",
    "add relu1",
    "relu",
    "flatten",
    "lin 10",
    "out",
)


class Keyboard(Hand):
    """A hand that only types, and counts what it presses."""

    journey: Journey

    def keys(self, *keys: str) -> None:
        self.journey.keys += len(keys)
        super().keys(*keys)

    def line(self, text: str) -> None:
        self.journey.line(text)
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")


def type_the_network(hand: Keyboard) -> None:
    hand.keys("/")
    expect(hand("palette-search")).to_be_focused()
    for words in NETWORK:
        hand.line(words)
        expect(hand("palette-search")).to_have_value("")
        if words.startswith("conv2d 8"):
            set_the_channels_after_all(hand)
    checked(hand.page)
    expect(hand.page.locator(".react-flow__node")).to_have_count(len(NETWORK))
    expect(hand("problem-count")).to_have_text("no problems")


def set_the_channels_after_all(hand: Keyboard) -> None:
    hand.keys("Tab")
    expect(hand("setting-out_channels")).to_be_focused()
    hand.keys("Control+a")
    hand.line("16")
    expect(hand("palette-search")).to_be_focused()
    expect(hand("node-conv2")).to_contain_text("16 · 3×3 · pad 1")


def train(hand: Keyboard) -> None:
    page = hand.page
    hand.keys("Control+Enter")
    page.wait_for_url("**/train**")
    expect(page.get_by_test_id("run-state")).to_have_text("Finished")


@pytest.mark.gate
def test_a_residual_on_digits_is_drawn_and_trained_by_keyboard_only(
    page: Page, server, capsys: pytest.CaptureFixture[str]
):
    hand = Keyboard(page, server)
    page.goto(server.address)
    page.get_by_role("button", name="Empty project").focus()
    hand.journey = Journey("residual on digits by keyboard", most=20)
    hand.keys("Enter")
    page.wait_for_url("**/build**")
    expect(hand("empty")).to_be_visible()
    type_the_network(hand)
    hand.journey.mark("drawn")
    train(hand)
    hand.journey.end(capsys)
    assert accuracy(run_of(page, server.runs)) > 0.85
