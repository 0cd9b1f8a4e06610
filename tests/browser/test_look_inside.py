"""From a confusion to what a filter sees, then a profile: Look inside, by mouse and keys."""

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.access import checked
from tests.browser.rest import at_rest
from tests.browser.states import go, open_section


def test_a_confusion_leads_to_its_mistakes_their_blocks_and_the_filters(server, page):
    """A cell opens its mistakes, the arrow key goes on, a block opens, a filter has values."""
    page.goto(server.address)
    page.locator(".st-key-open_template_lenet_digits button").click()
    checked(page, 60_000)
    go(page, "Look inside")
    open_section(page, "Confusion matrix")
    cells = page.locator(".ll-matrix td button")
    cells.first.wait_for()
    names = cells.evaluate_all("all => all.map(each => each.getAttribute('aria-label'))")
    count, true, predicted = max(
        (int(n), t, p)
        for n, t, p in (re.fullmatch(r"(\d+): (.*) predicted as (.*)", x).groups() for x in names)
    )
    page.get_by_role("button", name=f"{count}: {true} predicted as {predicted}").click()
    heading = page.get_by_role("heading", name=f"{true} predicted as {predicted}")
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

    open_section(page, "Filters")
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
    profiled(page)


SEEN = """() => {
  window.seen = [];
  new MutationObserver(() => {
    const old = document.querySelector(".st-key-inside_body");
    if (document.querySelector(".ll-skeleton")) window.seen.push(old?.checkVisibility() ?? false);
  }).observe(document.body, {childList: true, subtree: true, attributes: true});
}"""
"""Notes at each change of the page, while a skeleton stands on it, whether a view is seen, too."""


def test_a_view_goes_at_once_when_another_is_opened(server, page):
    page.goto(server.address)
    page.locator(".st-key-open_template_mlp_iris button").first.click()
    checked(page, 60_000)
    go(page, "Look inside")
    open_section(page, "Mistakes")
    page.locator(".st-key-inside_miss h3").first.wait_for()
    at_rest(page)
    page.evaluate(SEEN)
    open_section(page, "Representations")
    page.locator(".ll-probes").wait_for()
    expect(page.locator(".ll-skeleton")).to_have_count(0)
    seen = page.evaluate("window.seen")
    assert seen
    assert not any(seen)


def profiled(page):
    """Measure steps, take the trace home and open it: it has all parts of a step, by block."""
    open_section(page, "Cost")
    page.get_by_role("button", name="Measure training steps").click()
    page.get_by_role("heading", name="Time and memory by block").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download trace").click()
    events = json.loads(Path(download.value.path()).read_text("utf-8"))["traceEvents"]
    names = {event["name"] for event in events if event.get("ph") == "X"}
    assert {"phase:data", "phase:forward", "block:conv1", "block:fc3"} <= names
    assert any(name.startswith("Optimizer.step#") for name in names)
    backward = [name for name in names if name.startswith("autograd::engine::evaluate_function")]
    assert any("ConvolutionBackward0" in name for name in backward)
    assert all(event["dur"] >= 0 for event in events if event.get("ph") == "X")
