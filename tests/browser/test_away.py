"""The server goes away and comes back: the student goes on drawing, and nothing drawn is lost."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from core.project import read_text, write_text
from tests.browser.backend import Backend
from tests.browser.drawings import CHAIN, checked, saved

pytestmark = pytest.mark.slow
MESSAGE = "Not connected. Your edits are kept here and sent when the server is back."
AWAY_MS = 10_000
WATCH = """() => {
  const seen = window.seen = {places: [], checking: 0};
  const find = (root, css) => { for (const e of root.querySelectorAll('*')) {
      const t = e.matches(css) ? e : e.shadowRoot && find(e.shadowRoot, css);
      if (t) return t; } };
  let canvas;
  const look = () => {
    requestAnimationFrame(look);
    if (!canvas?.isConnected) canvas = find(document, '[data-testid=canvas]');
    if (!canvas) return; // Streamlit draws it anew
    const b = canvas.getBoundingClientRect();
    const at = [b.x, b.y, b.width, b.height].map(Math.round).join();
    if (!seen.places.includes(at)) seen.places.push(at);
    seen.checking += document.querySelector('.st-key-build_checking .stSpinner') ? 1 : 0;
  };
  look(); }"""
"""Notes in each frame where the canvas is, and whether "Checking the network" is on the screen."""


@pytest.fixture
def backend(tmp_path: Path) -> Generator[Backend]:
    backend = Backend(tmp_path)
    backend.start()
    yield backend
    backend.stop()


def written(folder: Path) -> Path:
    """Write CHAIN to the workspace as the workbench would."""
    places = {node: [300 * (i % 3), 160 * (i // 3)] for i, node in enumerate(CHAIN["nodes"])}
    text = json.dumps({"layerloom": 1, "name": "away", "graph": CHAIN, "layout": places})
    path = folder / "away.loom.json"
    path.write_text(write_text(read_text(text)), encoding="utf-8")
    return path


def go(page: Page, backend: Backend) -> None:
    page.goto(f"http://localhost:{backend.port}/build?project=away.loom.json")
    page.get_by_test_id("node-conv1").wait_for()


def draw(page: Page) -> None:
    """Three edits: 12 channels, no ReLU, a dropout in its place."""
    page.get_by_test_id("node-conv1").click(position={"x": 40, "y": 14})
    page.get_by_test_id("setting-out_channels").fill("12")
    page.get_by_test_id("node-relu1").click(position={"x": 40, "y": 14})
    page.keyboard.press("Delete")
    page.get_by_test_id("palette-search").fill("Dropout")
    page.get_by_test_id("palette-Dropout").click()


def expect_drawn(graph: dict) -> None:
    assert graph["nodes"]["conv1"]["settings"]["out_channels"] == 12
    assert "relu1" not in graph["nodes"]
    assert "conv1 -> drop1" in graph["edges"]


def test_edits_made_meanwhile_arrive_one_sentence_says_so_and_the_canvas_stays_in_its_place(
    page: Page, backend: Backend, tmp_path: Path
) -> None:
    path = written(tmp_path)
    before = path.read_text("utf-8")
    go(page, backend)
    checked(page)
    page.evaluate(WATCH)
    backend.kill()
    draw(page)
    expect(page.get_by_test_id("offline")).to_have_text(MESSAGE)
    page.wait_for_timeout(AWAY_MS)
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert path.read_text("utf-8") == before
    backend.start()
    checked(page)
    expect(page.get_by_test_id("offline")).to_have_count(0)
    expect_drawn(saved(page, path)["graph"])
    for _ in range(3):
        page.keyboard.press("Control+z")
    saved(page, path)
    assert path.read_text("utf-8") == before
    seen = page.evaluate("window.seen")
    assert seen["checking"] > 0
    assert len(seen["places"]) == 1, "the canvas moved while the network was checked"


def test_edits_of_a_tab_that_was_closed_meanwhile_are_offered(
    page: Page, backend: Backend, tmp_path: Path
) -> None:
    path = written(tmp_path)
    go(page, backend)
    checked(page)
    backend.kill()
    draw(page)
    expect(page.get_by_test_id("offline")).to_be_visible()
    context: BrowserContext = page.context
    page.goto("about:blank")
    backend.start()
    again = context.new_page()
    go(again, backend)
    again.get_by_test_id("rescue-restore").click()
    expect_drawn(saved(again, path)["graph"])
