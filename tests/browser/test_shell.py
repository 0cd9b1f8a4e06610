"""What stands around every page: light or dark by our own switch, and the tour of six steps."""

import re

import pytest
from playwright.sync_api import Page, expect

from core.common import fonts
from tests.browser.states import IN_BAR, of_menu

DARK, LIGHT = "rgb(20, 21, 28)", "rgb(253, 253, 254)"
LIT = """(name) => {
  const find = (root) => {
    for (const at of root.querySelectorAll("*")) {
      const inside = at.matches(".mark") ? at : at.shadowRoot && find(at.shadowRoot);
      if (inside) return inside;
    }
  };
  return find(document)?.dataset.at === name;
}"""
STEPS = ("Take blocks", "Draw", "Read the shapes", "Choose data", "Train", "Look inside")


def choose(page: Page, name: str, colour: str) -> None:
    page.get_by_test_id("more").click()
    page.get_by_role("menuitemradio", name=name).click()
    expect(page.locator(".stApp")).to_have_css("background-color", colour)


@pytest.mark.gate
def test_light_and_dark_are_chosen_in_the_bar_and_stay(page: Page, server):
    page.goto(server.address)
    expect(page.get_by_text("Start with a template")).to_be_visible()
    expect(page.get_by_test_id("stMainMenu")).to_have_count(0)
    choose(page, "Dark", DARK)
    page.goto(f"{server.address}/work", wait_until="commit")
    page.wait_for_function("document.head !== null && document.body !== null")
    expect(page.locator("html")).to_have_css("background-color", DARK)  # before it is drawn
    expect(page.locator(".stApp")).to_have_css("background-color", DARK)
    choose(page, "Light", LIGHT)
    choose(page, "System", LIGHT)
    page.emulate_media(color_scheme="dark")
    expect(page.locator(".stApp")).to_have_css("background-color", DARK)


def test_the_tour_points_at_six_things_and_is_offered_once(page: Page, server):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(server.address)
    page.locator("[class*=st-key-card_]").last.scroll_into_view_if_needed()
    page.get_by_test_id("stMain").evaluate("e => e.scrollTo(0, e.scrollHeight)")
    covered = page.get_by_test_id("tour-offer").bounding_box()
    last = page.locator("[class*=st-key-card_]").last.bounding_box()
    assert last
    assert covered
    assert last["y"] + last["height"] <= covered["y"]  # no card stays below the offer
    page.get_by_role("button", name="Show me around").click()
    tour = page.get_by_test_id("tour")
    for number, name in enumerate(STEPS, 1):
        expect(tour).to_contain_text(f"{number} of 6{name}")
        page.wait_for_function(LIT, arg=name)
        expect(tour.get_by_role("button", name="Done" if number == 6 else "Next")).to_be_focused()
        page.keyboard.press("ArrowRight" if number % 2 else "Enter")
    expect(tour).to_be_hidden()
    page.goto(server.address)
    expect(page.get_by_text("Start with a template")).to_be_visible()
    expect(page.get_by_test_id("tour")).to_be_attached()
    expect(page.get_by_test_id("tour-offer")).to_be_hidden()
    of_menu(page, "Help")
    page.get_by_role("button", name="Show me around").click()
    expect(tour).to_contain_text("1 of 6")
    page.keyboard.press("ArrowRight")
    expect(tour).to_contain_text("2 of 6")
    page.keyboard.press("Escape")
    expect(tour).to_be_hidden()


def test_a_tab_is_named_by_project_and_page_and_back_needs_one_press(page: Page, server) -> None:
    page.goto(server.address)
    page.locator(".st-key-open_template_mlp_iris button").first.click()
    expect(page).to_have_title("MLP on iris · Build")
    page.get_by_role("link", name="Data", exact=True).click()
    expect(page).to_have_title("MLP on iris · Data")
    page.wait_for_url("**/data?project=*")
    page.get_by_role("link", name="Train", exact=True).click()
    expect(page).to_have_title("MLP on iris · Train")
    page.wait_for_url("**/train?project=*")
    page.go_back()
    expect(page).to_have_title("MLP on iris · Data")
    page.go_back()
    expect(page).to_have_title("MLP on iris · Build")


LOADED = """(wanted) => {
  const loaded = [...document.fonts].filter((f) => f.status === "loaded").map((f) => f.family);
  return wanted.every((name) => loaded.some((family) => family.includes(name)));
}"""
FAMILY = "(element) => getComputedStyle(element).fontFamily"


def test_page_and_canvas_are_written_in_the_bundled_typefaces(page: Page, server) -> None:
    page.goto(server.address)
    page.locator(".st-key-open_template_mlp_iris button").first.click()
    page.wait_for_function(LOADED, arg=[fonts.SANS, fonts.MONO])
    for place, family in ((".stApp", fonts.SANS), (".loom .block-name", fonts.SANS),
                          (".loom .block-id", fonts.MONO)):  # fmt: skip
        assert page.locator(place).first.evaluate(FAMILY).strip("\"'").startswith(family)


def test_a_page_of_the_menu_stands_in_the_bar_once_it_was_used(page: Page, server) -> None:
    (server.workspace.parent / "home" / "pages.json").unlink(missing_ok=True)
    bar = page.get_by_test_id("stTopNavLink")
    page.goto(server.address)
    expect(bar).to_have_text([re.compile(f"{name}$") for name in IN_BAR])
    page.get_by_test_id("more").press("Enter")
    expect(page.get_by_role("menuitem", name="My work")).to_be_focused()
    page.keyboard.press("End")
    expect(page.get_by_role("menuitemradio", name="Dark")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("more")).to_be_focused()
    of_menu(page, "My work")
    expect(page.get_by_role("heading", name="My work")).to_be_visible()
    expect(bar.first).to_contain_text("My work")
    expect(bar.first).to_have_attribute("aria-current", "page")
    page.goto(f"{server.address}/train")
    expect(page.get_by_role("heading", name="Train")).to_be_visible()
    expect(bar).to_have_count(1 + len(IN_BAR))


def test_back_and_forward_open_the_project_of_their_entry(page: Page, server) -> None:
    page.goto(server.address)
    for name, title in (("mlp_iris", "MLP on iris"), ("mlp_spirals", "MLP on spirals")):
        page.locator(f".st-key-open_template_{name} button").first.click()
        expect(page).to_have_title(f"{title} · Build")
        page.wait_for_url("**/build?project=*")
        page.get_by_test_id("stLogoLink").click()
        expect(page).to_have_title("Layerloom")
        page.wait_for_url("**/?project=*")
    for title in ("MLP on spirals · Build", "Layerloom", "MLP on iris · Build"):
        page.go_back()
        expect(page).to_have_title(title)
    expect(page.get_by_test_id("canvas")).to_contain_text("features → fc1: (N, 4)")
    for title in ("Layerloom", "MLP on spirals · Build"):
        page.go_forward()
        expect(page).to_have_title(title)
