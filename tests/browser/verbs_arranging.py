"""Verbs on places, notes and shared weights, from CHAIN."""

from playwright.sync_api import expect

from tests.browser.hand import Hand
from tests.browser.verbs import Table

VERBS = Table()


@VERBS(undos=2)
def note_pinned_to_a_block(hand: Hand) -> None:
    hand.choose("conv1")
    hand.keys("n")
    hand.page.keyboard.insert_text("Finds edges.")
    hand.keys("Escape")
    expect(hand.page.get_by_text("Finds edges.")).to_be_visible()


@VERBS(undos=2)
def free_note(hand: Hand) -> None:
    hand.page.mouse.click(*hand.at("node-conv1", 0.5, -0.7), button="right")
    hand.click("menu-note")
    hand.page.keyboard.insert_text("From Thursday's lecture.")
    hand.keys("Escape")
    expect(hand.page.get_by_text("From Thursday's lecture.")).to_be_visible()


@VERBS(undos=3)
def note_let_go(hand: Hand) -> None:
    note_pinned_to_a_block(hand)
    hand.page.get_by_text("Finds edges.").click()
    hand.click("note-unpin")


@VERBS()
def align_tops(hand: Hand) -> None:
    hand.choose("conv1", "fc1", "logits")
    hand.keys("Alt+w")


@VERBS()
def align_left(hand: Hand) -> None:
    hand.choose("conv1", "logits")
    hand.keys("Alt+a")


@VERBS(undos=2)
def space_evenly(hand: Hand) -> None:
    hand.choose("conv1")
    hand.keys("Shift+ArrowRight")
    hand.choose("image", "conv1", "relu1")
    hand.keys("Alt+Shift+h")


@VERBS()
def share_weights(hand: Hand) -> None:
    hand.menu("conv1", "share")
