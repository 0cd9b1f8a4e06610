"""Waiting without guessing: until the page is at rest, until something holds; choosing from a list.

All that moves the page closes an open list of Streamlit's and forgets what was typed into it: a
redraw that adds or takes a line, the scroll that brings a field into view. So a hand that chooses
first lets the page come to rest, as an eye would.
"""

import re
import time
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.patience import PATIENCE_MS

REST = """([quiet, patience]) => new Promise((done, failed) => {
  const app = () => document.querySelector('[data-testid=stApp]')?.dataset ?? {};
  const comes = (e) => e.checkVisibility();  // the place of what the browser has yet to load
  const calm = () => app().testScriptState === 'notRunning'
    && app().testConnectionState === 'CONNECTED'
    && ![...document.querySelectorAll('[data-testid=stSkeleton]')].some(comes);
  const start = performance.now();
  let since = start;
  const moved = () => { since = performance.now(); };
  const watch = new MutationObserver(moved);
  watch.observe(document.body, {subtree: true, childList: true, attributes: true,
                                attributeFilter: ['data-test-script-state']});
  addEventListener('scroll', moved, true);
  const end = (message) => {
    watch.disconnect();
    removeEventListener('scroll', moved, true);
    if (message) failed(new Error(message)); else done();
  };
  const look = () => {
    const now = performance.now();
    if (!calm()) moved();
    if (calm() && now - since >= quiet) end();
    else if (now - start > patience) end('the page never rests: ' + JSON.stringify(app()));
    else setTimeout(look, 20);
  };
  look(); })"""
QUIET_MS = 400  # longer than a gesture takes to the server and back to a page that is drawn anew


def at_rest(page: Page) -> None:
    """Wait until the script has ended, no placeholder is left, and nothing moved for a moment."""
    page.get_by_test_id("stApp").wait_for()
    page.evaluate(REST, [QUIET_MS, PATIENCE_MS])


def until(page: Page, holds: Callable[[], bool], message: str) -> None:
    """Wait until something holds that no expectation can say."""
    end = time.monotonic() + PATIENCE_MS / 1000
    while not holds():
        assert time.monotonic() < end, message
        page.wait_for_timeout(50)


def open_list(page: Page, name: str | re.Pattern[str]) -> Locator:
    """Bring a list of Streamlit's to the middle of a page at rest and open it; its field."""
    field = page.get_by_role("combobox", name=name)
    field.wait_for()
    at_rest(page)
    field.evaluate("e => e.scrollIntoView({block: 'center'})")
    at_rest(page)
    field.click()
    expect(page.get_by_role("listbox")).to_be_visible()
    return field


def choose_from(
    page: Page, name: str | re.Pattern[str], option: str | re.Pattern[str], typed: str = ""
) -> None:
    """Choose one thing from a list, found by typing where `typed` is given."""
    field = open_list(page, name)
    if typed:
        field.fill(typed)
    page.get_by_role("option", name=option).click()


def add_from(page: Page, name: str, option: str) -> None:
    """Add one thing to those chosen, with the keyboard; then close the list, which stays open."""
    field = open_list(page, name)
    field.press_sequentially(option)
    expect(page.get_by_role("option", name=option, exact=True)).to_be_visible()
    field.press("Enter")
    expect(page.get_by_role("option", name=option, exact=True)).to_have_count(0)
    field.press("Escape")  # while its list is open, nothing else is there for a reader
    expect(page.get_by_role("listbox")).to_have_count(0)
    expect(page.get_by_role("button", name=f"Remove {option}", exact=True)).to_be_visible()


def open_settings(page: Page) -> None:
    """Open the sheet with the settings of the next run, on the Train page."""
    page.locator(".st-key-settings_line button").first.click()
    page.locator(".st-key-train_sheet_open").wait_for()
    at_rest(page)


def choose_format(page: Page, title: str) -> None:
    """Choose one of the formats that the Export page does not show at first."""
    at_rest(page)
    page.locator(".st-key-export_else button").first.click()
    field = page.get_by_role("combobox", name="Another format")
    field.click()
    field.fill(title)
    page.get_by_role("option", name=title).first.click()
    at_rest(page)
    page.keyboard.press("Escape")
