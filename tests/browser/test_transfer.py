"""The steps that the template Digits from 30 labels tells, by hand in a real Chromium."""

import re
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as TooLate

from core.analyse import analyse_project
from core.project.templates import load_template
from core.train import prepare, view_run, worker
from core.train.folder import read_json
from tests.browser.drawings import checked, choose
from tests.browser.test_runs_and_files import SLOW_MS, press

pytestmark = pytest.mark.browser


def first_run(runs: Path) -> str:
    """A run of the autoencoder, trained here for an epoch."""
    project = load_template("unlabelled_digits")
    quick = {**project.training, "epochs": 1, "threads": 1}
    project = replace(project, training=quick)
    run = prepare(project, analyse_project(project), runs)
    handler = signal.getsignal(signal.SIGTERM)
    try:
        worker.main(run)
    finally:
        signal.signal(signal.SIGTERM, handler)
    assert view_run(run).state == "finished"
    return run.name


def press_slowly(page: Page, name: str) -> None:
    """Press a button that the page shows when something was checked first."""
    expect(page.get_by_role("button", name=name, exact=True)).to_be_enabled(timeout=SLOW_MS)
    press(page, name)


def drawn(page: Page) -> None:
    """Wait until the Train page is whole: what is still being drawn closes a list again."""
    expect(page.get_by_role("combobox", name="Start from")).to_be_visible(timeout=SLOW_MS)
    expect(page.get_by_role("heading", name="Runs")).to_be_visible(timeout=SLOW_MS)
    expect(page.get_by_role("button", name="Train", exact=True)).to_be_enabled(timeout=SLOW_MS)


def start_from(page: Page, name: str) -> None:
    """Choose from the list, opening it again where the page has closed it."""
    box, option = (
        page.get_by_role("combobox", name="Start from"),
        page.get_by_role("option", name=name),
    )
    for _ in range(20):
        box.click()
        try:
            option.click(timeout=3000)
        except TooLate:
            page.keyboard.press("Escape")
        else:
            return
    raise AssertionError(f"{name} is not offered")


def test_a_network_begins_with_what_another_learned_and_leads_back_to_it(page: Page, server: Any):
    first = first_run(server.runs)
    page.goto(server.address)
    press_slowly(page, "Digits from 30 labels")
    checked(page)
    page.get_by_role("link", name="Train").first.click()
    drawn(page)
    start_from(page, f"run {first}")
    press_slowly(page, "Leave out head")
    expect(page.get_by_text(f"4 tensors of the best weights of {first}")).to_be_visible(
        timeout=SLOW_MS
    )
    page.get_by_role("link", name="Build").first.click()
    checked(page)
    choose(page, "encoder")
    page.keyboard.press("t")
    expect(page.get_by_test_id("node-encoder").locator(".block-frozen")).to_have_text("frozen")
    checked(page)
    page.get_by_role("link", name="Train").first.click()
    drawn(page)
    before = set(server.runs.glob("*"))
    press_slowly(page, "Train")
    expect(page.get_by_test_id("run-state")).to_have_text("Finished", timeout=2 * SLOW_MS)
    (run,) = set(server.runs.glob("*")) - before
    spec = read_json(run / "spec.json")
    assert spec["training"]["rates"] == {"encoder": 0.0}
    assert spec["start"]["left_out"] == ["head"]
    told = page.get_by_text(f"Begins with the best weights of {first}")
    expect(told).to_be_visible(timeout=SLOW_MS)
    press_slowly(page, "Show its start")
    expect(page).to_have_url(re.compile(f"run={first}"), timeout=SLOW_MS)
    expect(page.get_by_role("heading", name=first)).to_be_visible()
