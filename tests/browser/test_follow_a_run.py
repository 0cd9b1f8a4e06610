"""A dying network: back to its epoch 3, where a script confirms a number; its mark mends it."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from playwright.sync_api import Page, expect

from core.analyse import analyse_project
from core.engine.load_module import load_module
from core.insight.load_model import open_run
from core.prepare.create import prepare
from core.project import open_project
from core.runs.listing import view_run
from core.runs.verdict_facts import read_facts
from tests.browser.access import axe_script, describe, violations
from tests.browser.hand import Hand
from tests.core.small_runs import ended, train_here, until

NAMES = ("image", "flat", "fc1", "relu1", "fc2", "relu2", "fc3", "logits")
NODES: dict[str, Any] = {
    "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
    "flat": {"block": "flatten", "settings": {"start_dim": 1}},
    "fc1": {"block": "Linear", "settings": {"out_features": 64}},
    "relu1": {"block": "ReLU"},
    "fc2": {"block": "Linear", "settings": {"out_features": 64}},
    "relu2": {"block": "ReLU"},
    "fc3": {"block": "Linear", "settings": {"out_features": 10}},
    "logits": {"block": "Output"},
}
GRAPH = {"nodes": NODES, "edges": [f"{a} -> {b}" for a, b in pairwise(NAMES)]}
TRAINING = {"optimizer": "Adam", "lr": 0.3, "epochs": 5, "seed": 0, "threads": 1}


def test_back_to_epoch_3_and_on_with_what_the_mark_offers(page: Page, server) -> None:
    hand = Hand(page, server)
    hand.open("dying", GRAPH, data={"source": "digits"}, training=TRAINING)
    project = open_project(hand.path)
    run = prepare(project, analyse_project(project), server.runs)
    assert train_here(run).state == "finished"
    hand("workbench").focus()
    hand.keys("v")
    expect(hand("sample-weights")).to_have_text(f"Best weights of {run.name}")

    slider = hand("time-slider")
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight"):
        slider.press(key)
    expect(hand("time-told")).to_have_text("Epoch 3 of 5")
    expect(hand("sample-weights")).to_have_text(f"Weights of {run.name} after epoch 3")
    the_number_is_that_of_a_script(hand, run)
    inside = [v for v in violations(page, axe_script()) if " >> " in v["where"]]
    assert inside == [], describe(inside)
    with page.expect_download() as film:
        hand.click("time-film")
    assert film.value.suggested_filename == f"{run.name}.webp"

    mark = hand("mark-relu1")
    expect(mark).to_have_text(re.compile(r"\d+% dead$"))
    mark.click()
    expect(hand("health-note")).to_contain_text("of the units of relu1 are 0 for every sample")
    hand("remedy-0").filter(has_text="Learning rate 0.003, and train").click()
    expect(hand("sample-run")).to_have_value("dying-002")
    mended = until(server.runs / "dying-002", ended)
    assert (mended.state, read_facts(mended.dir).training["lr"]) == ("finished", 0.003)
    assert read_facts(mended.dir).column("val_accuracy")[-1] > 0.85
    assert read_facts(run).column("val_accuracy")[-1] < 0.3
    expect(hand("sample-weights")).to_contain_text("Best weights of")
    expect(hand("sample-run")).to_have_value("dying-002")
    expect(hand("mark-relu1")).to_have_count(0)
    assert view_run(run).state == "finished"  # the first run stays as it is


def the_number_is_that_of_a_script(hand: Hand, run: Path) -> None:
    """The first number that leaves fc3, with the weights of epoch 3."""
    sample = open_run(run).dataset.all_validation()[0][0][:1]
    with torch.no_grad():
        value = load_module(run, "epoch-000003")(sample)[0, 0].item()
    hand("wire-fc3.output -> logits.input").locator("path").last.dispatch_event("click")
    cell = hand("value-numbers").locator("tr").nth(0).locator("td").nth(0)
    digits = re.escape(f"{value:.9f}"[:6])  # as far as threads do not matter
    expect(cell).to_have_attribute("title", re.compile(f"^{digits}"))
