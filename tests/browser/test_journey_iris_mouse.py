"""A first network of one's own, by mouse alone: from an empty project to having learned iris."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.drawings import checked
from tests.browser.hand import Hand
from tests.browser.journey import Journey, accuracy, run_of
from tests.browser.patience import PATIENCE_MS
from tests.browser.rest import at_rest

RULE = 1 / 3
"""How often who always says the commonest of three kinds is right."""


def dragged(hand: Hand, journey: Journey, block: str, place: tuple[float, float]) -> None:
    """Drag a block that the palette suggests, without searching for it."""
    journey.clicks += 1
    hand.drag(hand.at(f"suggested-{block}"), place)


def draw_it(hand: Hand, journey: Journey) -> None:
    """An Input dragged, three blocks clicked, and the ReLU dropped on a wire."""
    expect(hand("empty")).to_be_visible()
    dragged(hand, journey, "Input", hand.at("canvas"))
    journey.click(*(hand(f"suggested-{block}") for block in ("Linear", "Linear", "Output")))
    expect(hand("node-logits")).to_be_visible()
    dragged(hand, journey, "ReLU", hand.middle("fc1", "fc2"))
    expect(hand("wire-relu1.output -> fc2.input")).to_be_attached()
    expect(hand("wire-fc1.output -> relu1.input")).to_be_attached()
    checked(hand.page)


def all_in_view(hand: Hand) -> bool:
    """Whether each card is seen whole."""
    canvas = hand.box("canvas")
    boxes = [hand.box(f"node-{node}") for node in ("image", "fc1", "relu1", "fc2", "logits")]
    return all(
        box["x"] >= canvas["x"] and box["x"] + box["width"] <= canvas["x"] + canvas["width"]
        for box in boxes
    )


def choose_iris(page: Page, journey: Journey) -> None:
    journey.click(page.get_by_role("link", name="Data", exact=True))
    field = page.get_by_role("combobox", name="Data set")
    expect(field).to_be_visible()
    at_rest(page)  # an open list closes when the page is drawn anew
    journey.click(field, page.get_by_role("option", name="iris", exact=False).first)
    expect(page.get_by_text("image needs shape [4] and fc2 needs out_features 3")).to_be_visible(
        timeout=PATIENCE_MS
    )
    journey.click(page.get_by_role("button", name="Fit the network to the data"))
    onward = page.get_by_role("button", name="Train on this data")
    expect(onward).to_be_in_viewport()
    journey.click(onward)


@pytest.mark.gate
def test_an_mlp_on_iris_is_drawn_trained_and_learns_by_mouse_alone(
    page: Page, server, capsys: pytest.CaptureFixture[str]
):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(server.address)
    expect(page.get_by_text("Start with a template")).to_be_visible()
    hand, journey = Hand(page, server), Journey("MLP on iris by mouse", most=11)
    journey.click(page.get_by_role("button", name="Empty project"))
    draw_it(hand, journey)
    assert all_in_view(hand)
    journey.mark("drawn")
    choose_iris(page, journey)
    run = run_of(page, server.runs)
    expect(page.get_by_test_id("run-state")).to_have_text("Finished")
    verdict = page.get_by_text("Learned", exact=True).first
    expect(verdict).to_be_in_viewport()
    journey.end(capsys)
    assert accuracy(run) > RULE + 0.5
    assert json.loads((run / "baseline.json").read_text("utf-8"))["value"] == pytest.approx(RULE)
    assert (journey.clicks, journey.keys) == (11, 0)
