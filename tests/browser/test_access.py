"""Every page and state can be used by everyone: axe-core, light and dark, against an empty page."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import access

pytestmark = pytest.mark.browser
SIZE = {"width": 1440, "height": 900}


@pytest.fixture(scope="module")
def axe():
    return access.axe_script()


@pytest.fixture(scope="module")
def empty_page(tmp_path_factory):
    yield from access.empty_streamlit(tmp_path_factory.mktemp("empty"))


def checked(page: Page, patience_ms: int = 15_000) -> None:
    """Wait until the canvas has the answer to the last edit."""
    status = page.get_by_test_id("status")
    expect(status).to_have_attribute("data-status", "checked", timeout=patience_ms)


def go(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).click()


class Look:
    """One tab in one theme; `at` notes what axe-core finds that an empty page does not have."""

    def __init__(self, page: Page, axe: str, known: set[tuple[str, str]]):
        self.page, self.axe, self.known = page, axe, known
        self.found: dict[str, list] = {}

    def at(self, state: str) -> None:
        seen = access.violations(self.page, self.axe)
        new = [v for v in seen if (v["rule"], v["where"]) not in self.known]
        if new:
            self.found[state] = new

    @property
    def report(self) -> str:
        return "\n\n".join(f"== {s}\n{access.told(found)}" for s, found in self.found.items())


def build_states(look: Look, address: str) -> None:
    page = look.page
    page.goto(address)
    expect(page.get_by_text("Start with a template")).to_be_visible()
    look.at("start")
    page.get_by_role("button", name="Empty project").click()
    checked(page, 60_000)
    look.at("build, empty")
    page.goto(address)
    page.get_by_role("button", name="LeNet on digits").first.click()
    checked(page, 60_000)
    look.at("build, nothing selected")
    page.get_by_test_id("node-conv1").click()
    look.at("build, a block selected")
    page.get_by_test_id("tab-source").click()
    look.at("build, source")
    page.get_by_test_id("palette-search").fill("norm")
    look.at("build, palette search")
    page.get_by_test_id("palette-search").fill("xyzzy")
    look.at("build, nothing found")
    page.get_by_test_id("palette-search").fill("")
    page.get_by_test_id("toolbar-help").click()
    look.at("build, shortcuts")
    page.keyboard.press("Escape")


def error_states(look: Look) -> None:
    page = look.page
    page.get_by_test_id("tab-block").click()
    page.get_by_test_id("node-pool2").click()
    page.get_by_test_id("setting-kernel_size").fill("20")
    expect(page.get_by_test_id("popover-pool2")).to_be_visible()
    checked(page)
    look.at("build, error")
    page.get_by_test_id("tab-problems").click()
    look.at("build, problems")
    page.get_by_test_id("problem-0-fix-0").click()
    checked(page)


def later_states(look: Look) -> None:
    page = look.page
    go(page, "Train")
    expect(page.get_by_role("button", name="Train", exact=True).first).to_be_visible()
    look.at("train, before a run")
    go(page, "Look inside")
    page.wait_for_timeout(1500)
    look.at("inside, before a run")
    go(page, "Build")
    checked(page)
    page.get_by_test_id("toolbar-train").click()
    expect(page.get_by_test_id("run-state")).to_have_text("Finished", timeout=120_000)
    look.at("train, finished")
    go(page, "Look inside")
    page.locator(".st-key-inside_large img").first.wait_for(timeout=60_000)
    look.at("inside")
    go(page, "Export")
    card = page.locator(".st-key-export_card_torchscript_script")
    card.get_by_role("button", name="Make it").click()
    card.get_by_role("button", name="Download").wait_for(timeout=90_000)
    look.at("export")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_that_an_empty_streamlit_page_does_not_have(
    theme, browser: Browser, server, axe, empty_page
):
    context = browser.new_context(viewport=SIZE, color_scheme=theme, reduced_motion="reduce")
    page = context.new_page()
    page.goto(empty_page)
    expect(page.get_by_role("heading", name="Empty")).to_be_visible()
    known = {(v["rule"], v["where"]) for v in access.violations(page, axe)}
    look = Look(page, axe, known)
    build_states(look, server.address)
    error_states(look)
    later_states(look)
    context.close()
    assert look.found == {}, look.report
