"""Spirals are learned with moving boundaries: chosen, trained, watched, confirmed by a script."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from playwright.sync_api import Page, expect

from core.analyse import analyse_project
from core.data import ends, load_project
from core.engine.load_module import load_module
from core.project import open_project
from core.runs.listing import list_runs
from tests.browser.access import axe_script, describe, violations
from tests.browser.drawings import checked
from tests.browser.hand import Hand
from tests.browser.rest import at_rest, until

NODES: dict[str, Any] = {
    "features": {"block": "Input", "settings": {"shape": [2]}},
    "fc1": {"block": "Linear", "settings": {"out_features": 16}},
    "tanh1": {"block": "Tanh"},
    "fc2": {"block": "Linear", "settings": {"out_features": 16}},
    "tanh2": {"block": "Tanh"},
    "fc3": {"block": "Linear", "settings": {"out_features": 2}},
    "logits": {"block": "Output"},
}
CHAIN = list(NODES)
GRAPH = {
    "nodes": NODES,
    "edges": [f"{a} -> {b}" for a, b in pairwise(CHAIN)],
}
TRAINING = {"epochs": 1500, "batch_size": 16, "lr": 0.01, "seed": 0}


def test_spirals_are_learned_with_moving_boundaries(page: Page, server) -> None:
    hand = Hand(page, server)
    hand.open("plane", GRAPH, training=TRAINING)
    choose_spirals(page)
    look_at_the_plane(hand)
    expect(hand("sample-weights")).to_have_text("Initial weights: not trained yet")
    hand.choose("tanh1")
    expect(hand("plane-units").get_by_role("listitem")).to_have_count(16)
    before = boundary(hand)
    hand("plane-region").hover(position={"x": 30, "y": 30})
    expect(hand("plane-read")).to_have_text(re.compile(r"x1 -\d.*spiral 1 \d+ %, spiral 2 \d+ %"))
    inside = [v for v in violations(page, axe_script()) if " >> " in v["where"]]
    assert inside == [], describe(inside)

    hand.click("toolbar-train")
    page.wait_for_url("**/train**")
    page.get_by_role("link", name="Build", exact=True).click()
    look_at_the_plane(hand)
    seen = {before}

    def moved() -> bool:
        seen.add(boundary(hand))
        return len(seen) > 3

    until(page, moved, "the boundary stays where it is")
    (run,) = [view for view in list_runs(server.runs) if view.name.startswith("plane")]
    until(page, lambda: (run.dir / "final.json").exists(), "the run does not end")
    expect(hand("sample-weights")).to_have_text(f"Best weights of {run.name}")
    share = by_script(run.dir)
    assert share > 0.9
    expect(hand("plane-accuracy")).to_have_text(f"Validation accuracy {100 * share:.1f}\u00a0%")


def choose_spirals(page: Page) -> None:
    """Take the spirals on the Data page, see them drawn, and go back to the canvas."""
    page.get_by_role("link", name="Data", exact=True).click()
    page.locator(".st-key-choose_spirals button").click()
    drawn = page.get_by_role("img", name="500 samples by x1 and x2, with their classes")
    expect(drawn).to_be_visible()
    at_rest(page)
    page.get_by_role("link", name="Build", exact=True).click()


def look_at_the_plane(hand: Hand) -> None:
    """Open the strip and the plane, where they are not open any more."""
    checked(hand.page)
    if not hand("sample-strip").count():
        hand("workbench").focus()
        hand.keys("v")
    expect(hand("plane").or_(hand("sample-plane"))).to_be_visible()
    if not hand("plane").count():
        hand.click("sample-plane")
    expect(hand("plane-region")).to_be_visible()


def boundary(hand: Hand) -> str:
    """The large picture as it is drawn."""
    return hand("plane-region").locator("canvas").evaluate("c => c.toDataURL()")


def by_script(run: Path) -> float:
    """The share of validation samples that the run's best weights tell right."""
    project = open_project(run / "project.loom.json")
    report = analyse_project(project)
    data = load_project(project, *ends(report.inputs, report.outputs), seed=TRAINING["seed"])
    inputs, targets = data.validation()
    with torch.no_grad():
        predicted = load_module(run)(inputs).argmax(1)
    return (predicted == targets).float().mean().item()
