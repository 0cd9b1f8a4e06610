"""The steps that the template Digits from 30 labels tells, by hand in a real Chromium."""

import re
from typing import Any

from playwright.sync_api import Page, expect

from core.runs.files import read_json
from tests.browser.drawings import checked, choose
from tests.browser.patience import PATIENCE_MS
from tests.browser.rest import at_rest, choose_from
from tests.browser.test_runs_and_files import press
from tests.transfer import FIRST, quick, train


def press_slowly(page: Page, name: str) -> None:
    """Press a button that the page shows when something was checked first."""
    expect(page.get_by_role("button", name=name, exact=True)).to_be_enabled()
    at_rest(page)
    press(page, name)


def drawn(page: Page) -> None:
    """Wait until the Train page is whole."""
    expect(page.get_by_role("combobox", name="Start from")).to_be_visible()
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()
    expect(page.get_by_role("button", name="Train", exact=True)).to_be_enabled()


def test_a_network_begins_with_what_another_learned_and_leads_back_to_it(page: Page, server: Any):
    first = train(quick(FIRST), server.runs).name
    page.goto(server.address)
    press_slowly(page, "Digits from 30 labels")
    checked(page)
    page.get_by_role("link", name="Train").first.click()
    drawn(page)
    choose_from(page, "Start from", f"run {first}")
    press_slowly(page, "Use random weights in head")
    expect(page.get_by_text(f"4 tensors of the best weights of {first}")).to_be_visible(
        timeout=PATIENCE_MS
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
    expect(page.get_by_test_id("run-state")).to_have_text("Finished", timeout=2 * PATIENCE_MS)
    (run,) = set(server.runs.glob("*")) - before
    spec = read_json(run / "spec.json")
    assert spec["training"]["rates"] == {"encoder": 0.0}
    assert spec["start"]["left_out"] == ["head"]
    caption = page.get_by_text(f"Starts with the best weights of {first}")
    expect(caption).to_be_visible()
    press_slowly(page, "Show its start")
    expect(page).to_have_url(re.compile(f"run={first}"))
    expect(page.get_by_role("heading", name=first)).to_be_visible()
