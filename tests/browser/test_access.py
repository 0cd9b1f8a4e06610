"""Every page and state can be used by everyone: axe-core, light and dark, against an empty page."""

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser import access
from tests.browser.access import checked, expect_focus, open_lenet, press

pytestmark = pytest.mark.browser
SIZE: ViewportSize = {"width": 1440, "height": 900}
ENLARGED: ViewportSize = {"width": 640, "height": 360}  # 1280x720 at 200 %


@pytest.fixture(scope="module")
def axe():
    return access.axe_script()


@pytest.fixture(scope="module")
def empty_page(tmp_path_factory):
    yield from access.empty_streamlit(tmp_path_factory.mktemp("empty"))


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
    page.locator(".st-key-open_template_lenet_digits button").click()
    checked(page, 60_000)
    look.at("build, nothing selected")
    page.get_by_test_id("node-conv1").click()
    look.at("build, a block selected")
    page.get_by_test_id("toolbar-heat").select_option("params")
    expect(page.get_by_test_id("heat-legend")).to_be_visible()
    look.at("build, heat map")
    page.get_by_test_id("heat-off").click()
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


def test_a_network_is_drawn_wired_and_repaired_without_a_mouse(page: Page, server):
    page.goto(server.address)
    page.get_by_role("button", name="Empty project").press("Enter")
    checked(page, 60_000)
    page.get_by_test_id("workbench").focus()
    for block in ("Input", "Conv2d", "MaxPool2d", "Output"):
        press(page, "/")
        expect_focus(page, "palette-search")
        page.keyboard.type(block)
        press(page, "Enter", "Escape")
    checked(page)
    expect(page.get_by_test_id("total-params")).to_have_text("160")
    expect_focus(page, "logits")
    press(page, "ArrowLeft")
    expect_focus(page, "pool1")
    ring = page.locator('.react-flow__node[data-id="pool1"]')
    expect(ring).to_have_css("outline-style", "solid")
    expect(ring).to_have_css("outline-width", "2px")
    press(page, "ArrowLeft")
    expect_focus(page, "conv1")
    press(page, "ArrowRight", "ArrowRight")
    expect_focus(page, "logits")
    page.get_by_test_id("input-input").select_option("conv1.output -> logits.input")
    checked(page)
    expect(page.get_by_test_id("wire-conv1.output -> logits.input")).to_be_attached()
    page.get_by_test_id("workbench").focus()
    press(page, "Control+z")
    checked(page)
    expect(page.get_by_test_id("wire-pool1.output -> logits.input")).to_be_attached()


def test_an_error_is_found_and_fixed_with_keys(page: Page, server):
    open_lenet(page, server.address)
    page.get_by_test_id("node-pool2").click()
    field = page.get_by_test_id("setting-kernel_size")
    field.fill("20")
    checked(page)
    press(page, "Escape")
    expect_focus(page, "pool2")
    press(page, "p")
    expect_focus(page, "pool2")
    press(page, "x")
    expect_focus(page, "fix-pool2-0")
    press(page, "Enter")
    checked(page)
    expect(page.get_by_test_id("node-pool2")).to_have_attribute("data-state", "ok")
    expect_focus(page, "pool2")
    press(page, "Delete")
    expect(page.get_by_test_id("node-pool2")).to_have_count(0)
    press(page, "Control+z")
    expect(page.get_by_test_id("node-pool2")).to_be_visible()
    press(page, "?")
    expect(page.get_by_test_id("shortcuts")).to_be_visible()
    press(page, "Escape")
    expect(page.get_by_test_id("shortcuts")).to_have_count(0)


def test_shift_and_arrows_move_the_block_and_plain_arrows_do_not(page: Page, server):
    open_lenet(page, server.address)
    page.get_by_test_id("node-conv1").click()
    node = page.locator('.react-flow__node[data-id="conv1"]')
    before = node.get_attribute("style")
    press(page, "ArrowRight", "ArrowLeft")
    expect_focus(page, "conv1")
    assert node.get_attribute("style") == before
    press(page, "Shift+ArrowDown")
    assert node.get_attribute("style") != before


def test_at_twice_the_size_everything_can_be_reached(browser: Browser, server):
    context = browser.new_context(viewport=ENLARGED, reduced_motion="reduce")
    page = context.new_page()
    open_lenet(page, server.address)
    overflow = "() => document.scrollingElement.scrollWidth - innerWidth"
    assert page.evaluate(overflow) <= 0
    box = page.get_by_test_id("canvas").bounding_box()
    assert box is not None
    assert box["width"] > 560
    assert box["height"] > 300
    page.get_by_test_id("toolbar-train").scroll_into_view_if_needed()
    train = page.get_by_test_id("toolbar-train").bounding_box()
    assert train is not None
    assert train["x"] + train["width"] <= 640
    page.get_by_test_id("workbench").focus()
    press(page, "ArrowDown", "ArrowDown", "Enter")
    expect(page.get_by_test_id("inspector")).to_be_visible()
    page.get_by_test_id("toolbar-toggle-side").click()
    page.get_by_test_id("toolbar-toggle-palette").click()
    expect(page.get_by_test_id("palette-search")).to_be_visible()
    context.close()
