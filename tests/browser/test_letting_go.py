"""What a key does while the mouse still holds something on the canvas."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.drawings import checked
from tests.browser.hand import Hand


@pytest.fixture
def hand(page: Page, server) -> Hand:
    hand = Hand(page, server)
    hand.open("Letting go")
    return hand


def take(hand: Hand, test_id: str, x: float = 0.2, y: float = 0.2) -> tuple[float, float]:
    """Press the button on a thing and move it some way."""
    start = hand.at(test_id, x, y)
    hand.page.mouse.move(*start)
    hand.page.mouse.down()
    hand.page.mouse.move(start[0] + 60, start[1] + 210, steps=5)
    return start


def nothing_done(hand: Hand) -> None:
    hand.page.mouse.up()
    expect(hand("toolbar-undo")).to_be_disabled()
    assert hand.saved() == hand.start


def test_escape_lets_go_of_a_block_where_it_was(hand: Hand):
    before = hand.box("node-relu1")
    take(hand, "node-relu1")
    expect(hand.page.locator(".react-flow__node.dragging")).to_have_count(1)
    hand.keys("Escape")
    assert hand.box("node-relu1") == before
    nothing_done(hand)


def test_escape_lets_go_of_a_wire(hand: Hand):
    line = hand.page.locator(".react-flow__connection")
    take(hand, "port-conv1-out-output", 0.5, 0.5)
    expect(line).to_have_count(1)
    hand.keys("Escape")
    expect(line).to_have_count(0)
    nothing_done(hand)
    expect(hand.page.get_by_text("Takes conv1")).to_have_count(0)


def test_escape_lets_go_of_a_wire_that_has_reached_its_port(hand: Hand):
    take(hand, "port-conv1-out-output", 0.5, 0.5)
    hand.page.mouse.move(*hand.at("port-flat-in-input"), steps=5)
    hand.keys("Escape")
    nothing_done(hand)
    expect(hand.page.locator("[data-wiring]")).to_have_count(0)


def test_escape_forgets_the_port_that_was_clicked(hand: Hand):
    hand("port-image-out-output").click()
    hand.keys("Escape")
    hand("port-relu1-in-input").click()
    hand.keys("Escape")
    nothing_done(hand)


def test_a_block_deleted_while_it_is_dragged_comes_back_with_one_undo(hand: Hand):
    take(hand, "node-relu1")
    hand.keys("Delete")
    expect(hand("node-relu1")).to_have_count(0)
    hand.page.mouse.move(*hand.at("canvas", 0.5, 0.8), steps=3)
    hand.page.mouse.up()
    hand.undo()
    expect(hand("node-relu1")).to_be_visible()
    checked(hand.page)
    nothing_done(hand)


def test_what_was_written_and_moved_just_before_a_reload_is_there_again(hand: Hand):
    hand.choose("relu1")
    hand.keys("Shift+ArrowRight")
    hand.find("conv1")
    hand("setting-out_channels").fill("17")
    hand.reload()
    expect(hand("node-conv1")).to_contain_text("(N, 17, 6, 6)")
    expect(hand("rescue")).to_have_count(0)
    assert hand.graph["layout"]["relu1"][0] > 600
    hand.undo(2)
    nothing_done(hand)


def test_blocks_selected_with_a_frame_move_together_by_keys(hand: Hand):
    left, top = hand.at("node-image", -0.1, -0.5)
    right, bottom = hand.at("node-relu1", 1.1, 1.5)
    hand.page.keyboard.down("Shift")
    hand.drag((left, top), (right, bottom))
    hand.page.keyboard.up("Shift")
    expect(hand.page.locator(".react-flow__node.selected")).to_have_count(3)
    hand.keys_at_once("Shift+ArrowUp", "Shift+ArrowUp", "Shift+ArrowRight")
    layout = hand.graph["layout"]
    assert [layout[name] for name in ("image", "conv1", "relu1")] == [
        [24, -48],
        [324, -48],
        [624, -48],
    ]
    hand.undo()
    nothing_done(hand)
