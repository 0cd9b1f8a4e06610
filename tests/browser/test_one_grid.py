"""One grid: what pages hold begins at the same place and is as wide on each, also in 4K."""

import pytest
from playwright.sync_api import Page

from app.pages import navigation
from core.project import save_project
from core.project.templates import load_template
from tests.browser.rest import at_rest

FILE = "grid.loom.json"
EDGES = """() => {
  const main = document.querySelector('[data-testid="stMainBlockContainer"]');
  const {paddingLeft, paddingRight} = getComputedStyle(main), box = main.getBoundingClientRect();
  const left = parseFloat(paddingLeft);
  return [box.left + left, box.width - left - parseFloat(paddingRight)].map(Math.round);
}"""


@pytest.mark.gate
def test_every_page_begins_at_the_same_edge_and_is_as_wide(page: Page, server) -> None:
    save_project(load_template("mlp_iris"), server.workspace / FILE)
    wide = {1280: [32, 1216], 1920: [32, 1856], 3840: [752, 2336]}
    for each in navigation.PAGES:
        if each.name == "build":
            continue  # the canvas takes the whole window
        page.set_viewport_size({"width": 1280, "height": 800})
        path = "" if each is navigation.PAGES[0] else each.name
        page.goto(f"{server.address}/{path}?project={FILE}")
        page.locator('[data-testid="stMain"] :is(h1, h2)').first.wait_for()
        at_rest(page)
        for width, edges in wide.items():
            page.set_viewport_size({"width": width, "height": 1080})
            assert (each.name, width, page.evaluate(EDGES)) == (each.name, width, edges)
