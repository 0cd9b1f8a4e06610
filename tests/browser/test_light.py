"""After a first run Build opens with values on and light runs; for less motion it stands still."""

from itertools import pairwise
from typing import Any

from playwright.sync_api import Page, expect

from core.analyse import analyse_project
from core.prepare.create import prepare
from core.project import open_project
from tests.browser.hand import Hand
from tests.core.small_runs import train_here

TRAINING = {"epochs": 2, "batch_size": 64, "lr": 0.01, "seed": 0, "threads": 1}
NODES: dict[str, Any] = {
    "features": {"block": "Input", "settings": {"shape": [2]}},
    "fc1": {"block": "Linear", "settings": {"out_features": 8}},
    "relu1": {"block": "ReLU"},
    "fc2": {"block": "Linear", "settings": {"out_features": 2}},
    "logits": {"block": "Output"},
}
GRAPH = {"nodes": NODES, "edges": [f"{a} -> {b}" for a, b in pairwise(NODES)]}


def test_a_trained_drawing_opens_with_its_values_until_they_are_turned_off(
    page: Page, server
) -> None:
    hand = Hand(page, server)
    hand.open("lit", GRAPH, data={"source": "spirals"}, training=TRAINING)
    expect(hand("sample-strip")).to_have_count(0)
    project = open_project(hand.path)
    run = prepare(project, analyse_project(project), server.runs)
    assert train_here(run).state == "finished"

    page.emulate_media(reduced_motion="no-preference")
    hand.reload()
    page.wait_for_selector("[data-testid=light]")
    expect(hand("plane-region")).to_be_visible()
    expect(hand("light")).to_have_count(0)  # it has run there and back
    threads_stand(page)

    page.emulate_media(reduced_motion="reduce")
    hand.reload()
    threads_stand(page)
    assert hand("light").count() == 0  # would have begun with the threads
    hand.choose("relu1")
    hand.keys("Delete")
    expect(hand("sample-weights")).to_have_text(
        f"Best weights of {run.name}, drawing changed since"
    )
    hand.keys("Control+z")
    expect(hand("sample-weights")).to_have_text(f"Best weights of {run.name}")

    hand("workbench").focus()
    hand.keys("v")
    expect(hand("sample-strip")).to_have_count(0)
    hand.reload()
    assert hand("sample-strip").count() == 0
    hand("workbench").focus()
    hand.keys("v")
    expect(hand("sample-strip")).to_be_visible()


def threads_stand(page: Page) -> None:
    """Forward on each of the four wires, and back to the first that is learned; all are seen."""
    there, back = page.locator(".thread.there"), page.locator(".thread.back")
    expect(there).to_have_count(4)
    expect(back).to_have_count(3)
    for thread in (*there.all(), *back.all()):
        expect(thread).to_have_css("visibility", "visible")  # a level line has no height to be seen
