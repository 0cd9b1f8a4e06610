"""From a confusion to what a filter sees: the whole way through Look inside, by mouse and keys."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.access import checked
from tests.browser.states import go

pytestmark = pytest.mark.browser


def test_a_confusion_leads_to_its_mistakes_their_blocks_and_the_filters(server, page):
    """A cell opens its mistakes, the arrow key goes on, a block opens, a filter has values."""
    page.goto(server.address)
    page.locator(".st-key-open_template_lenet_digits button").click()
    checked(page, 60_000)
    go(page, "Look inside")
    page.get_by_role("radio", name="Confusion matrix").click()
    cells = page.locator(".ll-matrix td button")
    cells.first.wait_for()
    names = cells.evaluate_all("all => all.map(each => each.getAttribute('aria-label'))")
    count, true, said = max(
        (int(n), t, p)
        for n, t, p in (re.fullmatch(r"(\d+): (.*) predicted as (.*)", x).groups() for x in names)
    )
    page.get_by_role("button", name=f"{count}: {true} predicted as {said}").click()
    heading = page.get_by_role("heading", name=f"{true} predicted as {said}")
    expect(heading).to_be_visible()
    shown = min(count, 60)
    expect(page.locator(".ll-tiles .ll-pick[aria-pressed]")).to_have_count(shown)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text(f", 2 of {shown}")).to_be_visible()
    second = page.locator(".ll-pick[aria-pressed='true']")
    expect(second).to_have_count(1)
    expect(page.locator(".ll-bars em.target")).to_have_count(1)
    page.locator(".ll-tiles.blocks").get_by_role("button", name=re.compile("pool2")).click()
    expect(page.get_by_role("heading", name="pool2")).to_be_visible()

    page.get_by_role("radio", name="Filters").click()
    page.get_by_role("combobox", name="Block").click()
    page.get_by_role("option", name=re.compile("^conv2")).click()
    expect(page.get_by_role("heading", name="conv2, filter 0")).to_be_visible()
    page.locator(".ll-tiles.filters [data-choose='3']").click()
    expect(page.get_by_role("heading", name="conv2, filter 3")).to_be_visible()
    page.locator(".ll-tiles.channels [data-choose='2']").click()
    page.get_by_text("Values of input channel 2").click()
    values = page.locator(".st-key-inside_filter code").inner_text()
    assert len(values.split()) == 25
    expect(page.locator(".ll-seen i").first).to_be_visible()
