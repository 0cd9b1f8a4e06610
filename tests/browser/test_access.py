"""Every page and state can be used by everyone: axe-core, light and dark, against an empty page."""

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser import access
from tests.browser.access import checked, expect_focus, open_lenet, press
from tests.browser.hand import Hand
from tests.browser.patience import PATIENCE_MS
from tests.browser.rest import at_rest
from tests.browser.states import Look, known_of
from tests.browser.walks import WALKS

SIZE: ViewportSize = {"width": 1440, "height": 900}
ENLARGED: ViewportSize = {"width": 640, "height": 360}  # 1280x720 at 200 %


@pytest.fixture(scope="module")
def axe():
    return access.axe_script()


@pytest.fixture(scope="module")
def empty_page(tmp_path_factory):
    yield from access.empty_streamlit(tmp_path_factory.mktemp("empty"))


@pytest.mark.slow
@pytest.mark.parametrize("walk", WALKS)
def test_axe_finds_nothing_that_an_empty_streamlit_page_does_not_have(
    browser: Browser, server, axe, empty_page, walk: str
):
    context = browser.new_context(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    look = Look(page, axe, known_of(page, axe, empty_page))
    for states in WALKS[walk]:
        states(look, Hand(page, server))
    context.close()
    assert look.found == {}, look.report


@pytest.mark.gate
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
    expect(node).not_to_have_attribute("style", before or "")


def test_at_twice_the_size_everything_can_be_reached(browser: Browser, server):
    context = browser.new_context(viewport=ENLARGED, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    open_lenet(page, server.address)
    at_rest(page)
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
