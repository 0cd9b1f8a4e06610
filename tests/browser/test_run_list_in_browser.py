"""Many runs on the Train page: the one that is chosen far down comes into sight, and can go."""

import json
import os
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import workbench

PAGE = "[data-testid=stMain]"
SCROLLED = f"() => document.querySelector('{PAGE}').scrollTop"


def made(runs: Path, number: int) -> None:
    folder = runs / f"lenet-{number:03}"
    folder.mkdir(parents=True)
    spec = {"project": "LeNet on digits", "training": {"epochs": 1}}
    status = {"state": "finished", "attempt": 1, "metrics": {"val_accuracy": 0.9}}
    for name, content in (("spec.json", spec), ("status.json", status)):
        (folder / name).write_text(json.dumps(content))
    os.utime(folder / "spec.json", (number, number))


def test_a_run_chosen_far_down_is_brought_into_sight_and_deleted(tmp_path: Path, page: Page):
    with workbench(tmp_path) as server:
        for number in range(1, 31):
            made(server.runs, number)
        page.goto(server.address)
        page.get_by_role("button", name="Start with LeNet").click()
        page.wait_for_url("**/build?*project=*")  # a click before this would put it off
        page.get_by_test_id("stTopNavLink").filter(has_text="Train").click()
        page.get_by_role("button", name="Show 18 more of 30").click()
        old = page.get_by_role("button", name="lenet-003")
        expect(old).to_be_visible()
        old.scroll_into_view_if_needed()
        assert page.evaluate(SCROLLED) > 100
        old.click()
        expect(page.get_by_role("heading", name="lenet-003")).to_be_in_viewport()
        page.wait_for_function(f"{SCROLLED.removeprefix('() => ')} === 0")
        page.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_role("button", name="Delete this run").click()
        expect(page.get_by_role("heading", name="lenet-003")).to_have_count(0)
        expect(page.get_by_role("button", name="lenet-003")).to_have_count(0)
        assert not (server.runs / "lenet-003").exists()
