"""One whole lesson as a student goes through it; everyone can use the page, light and dark."""

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser import access
from tests.browser.access import checked
from tests.browser.conftest import workbench
from tests.browser.hand import Hand
from tests.browser.journey import Journey
from tests.browser.patience import PATIENCE_MS
from tests.browser.rest import at_rest
from tests.browser.states import Look, go, known_of

SIZE: ViewportSize = {"width": 1440, "height": 900}
TRAINED_MS = 180_000


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A workbench with no progress but that of these tests."""
    with workbench(tmp_path_factory.mktemp("learn")) as found:
        yield found


@pytest.fixture(scope="module")
def axe():
    return access.axe_script()


@pytest.fixture(scope="module")
def empty_page(tmp_path_factory):
    yield from access.empty_streamlit(tmp_path_factory.mktemp("empty"))


def answer(page: Page, text: str) -> None:
    """Type an answer into the field of the step that has just been chosen."""
    at_rest(page)
    page.get_by_label("Your answer").fill(text)
    page.keyboard.press("Enter")


def next_step(page: Page, title: str) -> None:
    page.get_by_role("button", name="Next step").click()
    expect(page.get_by_role("heading", name=title)).to_be_visible()


class Lesson(Journey):
    """A journey with answers: one that is typed and sent counts as one key."""

    def answer(self, page: Page, text: str) -> None:
        self.keys += 1
        answer(page, text)

    def go_on(self, page: Page, title: str) -> None:
        self.clicks += 1
        next_step(page, title)


def predict(page: Page, hand: Hand, way: Lesson) -> None:
    """Steps 1 to 3; ends at the fourth. The drawing gives no answer away."""
    expect(hand("node-fc3").get_by_text("? params")).to_be_visible()
    way.go_on(page, "Count what it learns")
    expect(page.get_by_text("Step 2 of 5, 1 done")).to_be_visible()
    way.answer(page, "17")
    expect(page.get_by_text("Right: 17.")).to_be_visible()
    expect(hand("node-fc3").get_by_text("17 params")).to_be_visible()
    way.go_on(page, "Imagine it alone")
    way.answer(page, "11")
    expect(page.get_by_text("Right: 11.")).to_be_visible()
    way.go_on(page, "Keep only the neuron")
    expect(page.get_by_text("Still there: relu1, relu2.")).to_be_visible()


def keep_the_neuron(page: Page, hand: Hand, way: Lesson) -> None:
    """Step 4: take the layers out by hand; the ends join, and the panel ticks meanwhile."""
    for node in ("fc1", "relu1", "fc2", "relu2"):
        expect(hand(f"node-{node}")).to_have_attribute("data-lesson", "about")
    hand.choose("fc1", "relu1", "fc2", "relu2")
    hand.keys("Delete")
    way.clicks, way.keys = way.clicks + 4, way.keys + 1
    checked(page)
    expect(hand("total-params")).to_have_text("11")
    expect(page.locator(".ll-claims .holds")).to_have_count(3)
    expect(page.get_by_text("Step 4 of 5, 4 done")).to_be_visible()


@pytest.mark.gate
def test_the_first_lesson_from_the_start_page_to_its_end(page: Page, own, capsys):
    hand = Hand(page, own)
    page.goto(own.address)
    way = Lesson("lesson 1", most=15)
    way.click(page.get_by_role("button", name="Learn step by step"))
    expect(page.get_by_text("0 of 11 lessons done")).to_be_visible()
    expect(page.locator("#ll-first")).to_have_count(0)  # the shape of the start page is over
    way.click(page.get_by_role("button", name="Start: One neuron"))
    checked(page)
    expect(hand("total-params")).to_have_text("897")
    predict(page, hand, way)
    keep_the_neuron(page, hand, way)
    way.mark("drawn")
    way.click(hand("toolbar-train"))
    expect(hand("run-state")).to_have_text("Finished", timeout=TRAINED_MS)
    expect(page.get_by_text("Lesson done. 10 lessons to go.")).to_be_visible()
    way.end(capsys)
    page.reload()
    expect(page.get_by_text("Lesson done. 10 lessons to go.")).to_be_visible()
    page.get_by_role("button", name="Next lesson: Layers and nonlinearity").click()
    expect(page.get_by_text("Step 1 of 5, 0 done")).to_be_visible()
    expect(hand("node-fc1")).to_be_visible()
    page.get_by_role("link", name="All steps").click()
    page.get_by_role("button", name="All lessons").click()
    expect(page.get_by_text("1 of 11 lessons done")).to_be_visible()
    expect(page.get_by_role("button", name="Continue: Layers")).to_be_visible()


def test_the_last_hint_draws_the_solution_and_one_step_back_undoes_it(page: Page, own):
    hand = Hand(page, own)
    page.goto(f"{own.address}/learn")
    page.get_by_role("button", name="4. Pooling, smaller on purpose").click()
    checked(page)
    for title in ("What does it learn?", "A window that is too large"):
        next_step(page, title)
    for number in (1, 2):
        page.get_by_role("button", name=f"Hint {number} of 2").click()
    page.get_by_role("button", name="Do it for me").click()
    expect(page.get_by_text("pool2 is red.")).to_be_visible()
    expect(page.locator(".ll-claims .holds")).to_have_count(1)
    expect(page.get_by_text("Step 3 of 6, 1 done")).to_be_visible()
    expect(hand("total-params")).to_have_text("2,572")  # the canvas has it, too
    hand.keys("Control+z")
    expect(hand("total-params")).to_have_text("61,706")


def test_a_lesson_is_gone_through_with_keys_alone(page: Page, own):
    page.goto(f"{own.address}/learn?lesson=03_convolution")
    page.get_by_role("button", name="2. At the edge").press("Enter")
    at_rest(page)
    page.get_by_label("Your answer").focus()
    page.keyboard.type("6x26x26")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Right: (N, 6, 26, 26).")).to_be_visible()
    page.get_by_role("button", name="Next step").press("Enter")
    expect(page.get_by_role("heading", name="Larger steps")).to_be_visible()


@pytest.mark.parametrize("width", [1240, 1400, 1700])
def test_beside_the_pages_the_buttons_of_build_have_room(width, browser: Browser, own):
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    access.open_lenet(page, own.address)
    last = page.get_by_test_id("stTopNavLink").last.bounding_box()
    first = page.locator(".st-key-build_bar button").first.bounding_box()
    assert last is not None
    assert first is not None
    assert last["x"] + last["width"] <= first["x"]
    context.close()


def look_further(look: Look) -> None:
    """The line over Build, what it opens, then claims and goals."""
    page = look.page
    page.get_by_role("button", name="4. Make it deeper").click()
    expect(page.get_by_role("heading", name="Make it deeper")).to_be_visible()
    page.get_by_role("button", name="Open the drawing").click()
    checked(page)
    look.at("panel beside Build")
    page.get_by_role("button", name="Hint 1 of 3").click()
    expect(page.locator(".ll-hints li")).to_have_count(1)
    look.at("hint")
    go(page, "Learn")
    expect(page.locator(".ll-claims")).to_be_visible()
    look.at("claims")
    page.get_by_role("button", name="5. Train it").click()
    expect(page.get_by_text("No run of this lesson yet.")).to_be_visible()
    look.at("goals")


@pytest.mark.slow
def test_axe_finds_nothing_on_learn(browser: Browser, own, axe, empty_page):
    context = browser.new_context(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    look = Look(page, axe, known_of(page, axe, empty_page))
    page.goto(f"{own.address}/learn")
    expect(page.locator(".st-key-lessons")).to_be_visible()
    look.at("course")
    page.get_by_role("button", name="For teachers").click()
    expect(page.get_by_role("heading", name="Class")).to_be_visible()
    look.at("class")
    page.goto(f"{own.address}/learn?lesson=05_depth")
    page.get_by_role("button", name="1. Two small filters").click()
    at_rest(page)
    page.locator(".ll-term").first.focus()
    look.at("a word of the glossary in a text")
    answer(page, "12")
    expect(page.get_by_text("Not 12. Read the hint below")).to_be_visible()
    answer(page, "13")
    expect(page.get_by_text("Not 13. Work through the calculation")).to_be_visible()
    look.at("wrong answer")
    answer(page, "2,320")
    expect(page.get_by_text("Right: 2,320.")).to_be_visible()
    look.at("right answer")
    page.get_by_role("button", name="3. Fewer pixels, more channels").click()
    answer(page, "9")
    expect(page.get_by_text("9 is not right.")).to_be_visible()
    look.at("wrong shape")
    look_further(look)
    context.close()
    assert look.found == {}, look.report


@pytest.mark.parametrize("width", [1280, 1440])
def test_a_step_leaves_the_canvas_its_room_and_a_name_in_the_text_marks_its_block(
    width, browser: Browser, own
):
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    hand = Hand(page, own)
    page.goto(f"{own.address}/learn")
    page.get_by_role("button", name="2. Layers and nonlinearity").click()
    checked(page)
    expect(hand("workbench")).to_have_attribute("data-palette", "closed")
    expect(hand("workbench")).to_have_attribute("data-side", "closed")
    assert hand.box("canvas")["width"] > 0.65 * width
    page.locator(".st-key-lesson_panel code", has_text="fc1").hover()
    expect(hand("node-fc1")).to_have_attribute("data-lesson", "pointed")
    hand.click("toolbar-toggle-side")
    expect(hand("workbench")).to_have_attribute("data-side", "open")
    context.close()
