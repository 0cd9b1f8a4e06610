"""The browser asks before a tab is left whose drawing lies on no disk."""

from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.browser.conftest import workbench
from tests.browser.drawings import checked
from tests.browser.hand import Hand

pytestmark = pytest.mark.slow


def asked_on_reload(page: Page) -> list[str]:
    """Reload and agree to it; the kinds of questions that the browser asked."""
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", answer)
    page.reload()
    page.remove_listener("dialog", answer)
    return asked


def test_a_tab_whose_draft_was_not_kept_asks_before_it_is_left(page: Page, tmp_path: Path):
    drafts = tmp_path / "home" / "drafts"
    problem = page.get_by_text("The draft could not be saved")
    with workbench(tmp_path) as server:
        hand = Hand(page, server)
        hand.open("unkept")
        if drafts.exists():
            drafts.rename(drafts.with_name("earlier"))
        drafts.write_text("a file where the folder of drafts should be")
        hand.choose("relu1")
        hand.keys("Delete")
        expect(problem.first).to_be_visible()
        assert asked_on_reload(page) == ["beforeunload"]
        checked(page)
        drafts.unlink()
        hand.choose("relu1")
        hand.keys("Delete")
        checked(page)
        expect(problem).to_have_count(0)
