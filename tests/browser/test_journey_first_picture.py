"""From the start page to the first picture of something that learns."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.journey import Journey
from tests.browser.patience import PATIENCE_MS


@pytest.mark.gate
def test_two_clicks_lead_to_predictions_of_a_network_that_learns(
    page: Page, server, capsys: pytest.CaptureFixture[str]
):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(server.address)
    journey = Journey("first picture of something learning", most=2)
    journey.click(page.get_by_role("button", name="lenet", exact=False).first)
    journey.mark("drawn")
    page.wait_for_url("**/build**")
    journey.click(page.get_by_test_id("toolbar-train"))
    predictions = page.locator(".ll-miss").get_by_role("img")
    expect(predictions.first).to_be_in_viewport(timeout=PATIENCE_MS)
    journey.end(capsys)
    assert (journey.clicks, journey.keys) == (2, 0)
