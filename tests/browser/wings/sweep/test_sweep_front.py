"""The front of a sweep: a click on a point puts its trial on the canvas."""

import json

from playwright.sync_api import Page, expect

from core.project import templates, write_text
from core.wings.sweep import files
from tests.browser.rest import at_rest
from tests.browser.states import to_sweep
from tests.browser.wings.sweep.test_sweep_page_in_browser import row, to_sweeps

OBJECTIVES = [
    {"name": "val_accuracy", "words": "validation accuracy", "direction": "maximize",
     "unit": "", "kind": "metric"},
    {"name": "params", "words": "parameters", "direction": "minimize", "unit": "", "kind": "cost"},
]  # fmt: skip
TRIALS = [(2, 0.96, 131, 0.05, 16), (1, 0.9, 35, 0.02, 4), (3, 0.7, 67, 0.003, 8)]
"""Number, accuracy, parameters, learning rate and width."""


def write_sweep(server) -> None:
    """Write the folder of a finished sweep of the MLP on iris."""
    folder = server.runs / "sweeps" / "fronts"
    folder.mkdir(parents=True, exist_ok=True)  # a second try has it
    search = ["lr=0.001..0.1:log", "fc1.out_features=4..32"]
    request = {"file": "", "project_sha256": "0", "search": search, "trials": 3, "seed": 0,
               "prune": False, "fixed": {}, "name": "fronts",
               "objectives": [each["name"] for each in OBJECTIVES]}  # fmt: skip
    rows = [
        {"trial": number, "state": "finished", "value": accuracy,
         "values": {"val_accuracy": accuracy, "params": params}, "run": None,
         "settings": {"lr": lr, "fc1.out_features": width}, "epoch": 2, "seconds": 1.0,
         "as": None, "reason": ""}
        for number, accuracy, params, lr, width in TRIALS
    ]  # fmt: skip
    goal = {"metric": "val_accuracy", "direction": "maximize"}
    results = {"ok": True, "goal": goal, "objectives": OBJECTIVES, "front": [2, 1],
               "trials": rows, "total": 3, "importances": None}  # fmt: skip
    (folder / files.ASKED).write_text(json.dumps(request))
    (folder / files.PROJECT).write_text(write_text(templates.load_template("mlp_iris")))
    (folder / files.RESULTS).write_text(json.dumps(results))


def test_a_click_on_the_front_puts_drawing_and_settings_on_the_canvas(page: Page, server) -> None:
    write_sweep(server)
    to_sweeps(page, server.address)
    points = page.locator(".front circle")
    expect(points).to_have_count(3)
    expect(page.locator(".front circle.best")).to_have_count(2)
    expect(row(page, 2)).to_contain_text("on the front")
    expect(row(page, 2)).to_contain_text("131")
    page.locator('.front [data-front="1"]').hover()
    reading = page.get_by_test_id("front-reading")
    expect(reading).to_contain_text("Trial 1: accuracy 90.0%, parameters 35;")
    at_rest(page)
    page.locator('.front [data-front="1"]').click()
    page.wait_for_url("**/build?*")
    expect(page.get_by_text("The settings of trial 1 were applied")).to_be_visible()
    page.get_by_role("link", name="Train", exact=True).click()
    rate = page.get_by_role("textbox", name="Learning rate", exact=True)
    expect(rate).to_have_value("0.02")
    to_sweep(page)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("were applied:")).to_have_count(0)
