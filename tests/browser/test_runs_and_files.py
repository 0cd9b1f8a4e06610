"""Runs and files in a real Chromium: stop and resume, a failed run, a file that is no project."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.rest import at_rest, open_settings


def to_training(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Start with LeNet").click()
    page.wait_for_url("**/build?*project=*")
    page.get_by_role("link", name="Train", exact=True).click()
    expect(page.get_by_role("button", name="Train", exact=True)).to_be_enabled()
    at_rest(page)
    open_settings(page)


def fill(page: Page, kind: str, name: str, value: str) -> None:
    field = page.get_by_role(kind, name=name, exact=True)
    field.fill(value)
    field.press("Enter")
    at_rest(page)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


@pytest.mark.gate
def test_a_run_is_stopped_and_resumed(page: Page, server):
    to_training(page, server.address)
    fill(page, "spinbutton", "Epochs", "2000")
    press(page, "Train")
    state = page.get_by_test_id("run-state")
    expect(state).to_have_text("Training")
    press(page, "Stop")
    expect(state).to_have_text("Stopped")
    press(page, "Resume")
    expect(state).to_have_text("Training")
    press(page, "Stop")
    expect(state).to_have_text("Stopped")


def test_a_loss_that_runs_away_is_reported_with_what_to_do(page: Page, server):
    to_training(page, server.address)
    fill(page, "textbox", "Learning rate", "1000")
    press(page, "Train")
    expect(page.get_by_test_id("run-state")).to_have_text("Failed")
    reason = r"The loss became \w+ at step \d+ with a learning rate of 1000\."
    expect(page.get_by_role("paragraph").filter(has_text=re.compile(reason))).to_be_visible()
    remedy = page.get_by_role("button", name=re.compile(r"^Learning rate 0\.\d+$"))
    expect(remedy).to_be_enabled()
    expect(page.get_by_role("button", name="Stop", exact=True)).to_have_count(0)


def test_a_file_that_is_no_project_is_refused_in_one_sentence(page: Page, server):
    page.goto(server.address)
    page.get_by_role("button", name="Open a file").click()
    broken = {"name": "x.loom.json", "mimeType": "application/json", "buffer": b'{"layerloom": 1'}
    page.get_by_test_id("stFileUploaderDropzoneInput").wait_for(state="attached")
    at_rest(page)
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files([broken])
    press(page, "Open")
    expect(
        page.get_by_text("x.loom.json").and_(page.get_by_text("Nothing was changed"))
    ).to_be_visible()
    expect(page.get_by_text("Traceback")).to_have_count(0)


@pytest.mark.usefixtures("fresh_profile")  # one that has nothing in its cache
def test_nothing_is_fetched_from_outside(page: Page, server):
    outside: list[str] = []
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((server.address, "data:", "blob:"))
            else outside.append(request.url)
        ),
    )
    to_training(page, server.address)
    assert outside == []
