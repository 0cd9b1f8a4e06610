"""The address that `layerloom` prints opens the workbench; the same one without token does not."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser import conftest


def test_the_printed_address_opens_the_workbench_and_one_without_token_nothing(
    page: Page, tmp_path: Path
) -> None:
    given = {"LAYERLOOM_TOKEN": "a-token-of-this-test"}
    with conftest.workbench(tmp_path / "home", given) as server:
        page.goto(server.address)
        expect(page.locator("body")).to_contain_text("This workbench is private")
        log = (tmp_path / "home" / "server.log").read_text("utf-8")
        printed = re.search(r"Layerloom is open at (\S+)", log)
        assert printed
        assert printed[1] == f"{server.address}/?token=a-token-of-this-test"
        page.goto(printed[1])
        page.wait_for_url(f"{server.address}/")
        expect(page.get_by_role("button", name="Import a model")).to_be_visible()
        (cookie,) = [c for c in page.context.cookies() if c["name"].startswith("layerloom-")]
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
        assert page.evaluate("document.cookie").find("layerloom-") == -1
        page.reload()
        expect(page.get_by_role("button", name="Import a model")).to_be_visible()
        page.context.clear_cookies()
        page.reload()
        expect(page.locator("body")).to_contain_text("This workbench is private")
