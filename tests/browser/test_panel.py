"""The training panel: the learning-rate finder draws what it found, and its rate is taken."""

import shutil
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.rest import at_rest, open_settings

ROOT = Path(__file__).parents[2]


def test_a_found_learning_rate_is_drawn_and_used(page: Page, server) -> None:
    shutil.copy(ROOT / "projects" / "mlp_iris.loom.json", server.workspace / "finder.loom.json")
    page.goto(f"{server.address}/build?project=finder.loom.json")
    expect(page.get_by_test_id("toolbar-train")).to_be_visible()
    page.get_by_role("link", name="Train", exact=True).click()
    page.wait_for_url("**/train**")
    open_settings(page)
    rate = page.get_by_role("textbox", name="Learning rate")
    expect(rate).to_have_value("0.01")
    at_rest(page)
    page.get_by_role("button", name="Find a learning rate").click()
    expect(page.get_by_alt_text("Loss over the learning rate.")).to_be_visible()
    expect(rate).to_have_value("0.01")
    at_rest(page)
    use = page.locator(".st-key-use_steepest button")
    found = use.inner_text().removeprefix("Use ").strip()
    assert 1e-4 < float(found) < 1.0
    use.click()
    expect(rate).to_have_value(found)
