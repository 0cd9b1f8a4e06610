"""A sweep by mouse and keyboard: begun, watched, found again after a reload, stopped, taken."""

from playwright.sync_api import Locator, Page, expect

from core.runs.files import read_json
from core.wings.sweep import files
from tests.browser.patience import PATIENCE_MS
from tests.browser.rest import at_rest, until
from tests.browser.states import to_sweep
from tests.browser.test_runs_and_files import fill, press


def to_sweeps(page: Page, address: str) -> None:
    """Open the MLP on iris and its page of sweeps."""
    page.goto(address)
    page.locator(".st-key-open_template_mlp_iris button").click()
    page.wait_for_url("**/build?*project=*")
    to_sweep(page)
    expect(page.get_by_role("heading", name="Sweep · MLP on iris")).to_be_visible()
    at_rest(page)


def row(page: Page, trial: int) -> Locator:
    """The row of a trial in the table."""
    button = page.get_by_role("button", name=f"Show trial {trial}", exact=True)
    return page.locator(".sweep-table tbody tr", has=button)


def test_a_sweep_is_watched_found_again_taken_and_given_back(page: Page, server) -> None:
    others = set(files.folders(server.runs))
    to_sweeps(page, server.address)
    fill(page, "spinbutton", "Trials", "3")
    fill(page, "spinbutton", "Epochs each", "2")
    press(page, "Start the sweep")
    state = page.get_by_test_id("run-state")
    expect(row(page, 1)).to_be_visible()
    page.reload()
    expect(state).to_have_text("Finished")
    expect(page.locator(".sweep-table tbody tr")).to_have_count(3)
    expect(page.locator("polyline.trial")).to_have_count(3)
    page.get_by_role("button", name="Show trial 2", exact=True).press("Enter")
    chosen = page.get_by_role("button", name="Show trial 2", exact=True)
    expect(chosen).to_have_attribute("aria-pressed", "true")
    expect(chosen).to_be_focused()
    (folder,) = set(files.folders(server.runs)) - others
    best = read_json(folder / files.RESULTS)["best"]["settings"]
    at_rest(page)
    press(page, "Apply the best")
    page.get_by_role("link", name="Train with these settings").click()
    rate = page.get_by_role("textbox", name="Learning rate", exact=True)
    expect(rate).to_have_value(f"{best['lr']:g}")
    to_sweep(page)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("were applied:")).to_have_count(0)


def test_a_bad_trial_is_stopped_and_the_sweep_too_and_goes_on(page: Page, server) -> None:
    to_sweeps(page, server.address)
    fill(page, "spinbutton", "Trials", "2")
    fill(page, "spinbutton", "Epochs each", "20000")
    page.get_by_role("radio", name="Never").click()
    press(page, "Start the sweep")
    state = page.get_by_test_id("run-state")
    first = page.get_by_role("button", name="Stop trial 1", exact=True)
    expect(first).to_be_visible()
    expect(row(page, 1)).to_contain_text("%")  # it has a value that counts
    first.press("Enter")
    expect(page.get_by_role("button", name="Apply the settings of trial 1")).to_be_visible(
        timeout=PATIENCE_MS
    )
    expect(page.get_by_role("button", name="Stop trial 2", exact=True)).to_be_visible(
        timeout=PATIENCE_MS
    )
    expect(state).to_have_text("Searching")
    press(page, "Stop")
    expect(state).to_have_text("Stopped")
    folder = max(files.folders(server.runs), key=lambda each: each.stat().st_mtime)
    until(page, lambda: not files.under_way(folder), "the process of the sweep goes on")
    press(page, "Resume")
    expect(state).to_have_text("Searching")
    page.get_by_role("button", name="Stop trial 2", exact=True).click()
    expect(state).to_have_text("Finished")
