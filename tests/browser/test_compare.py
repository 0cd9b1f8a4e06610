"""Two runs in one picture: curves, differences, notes that stay."""

import json
import os
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.rest import at_rest

ROOT = Path(__file__).parents[2]


def trained(runs: Path, name: str, **settings: object) -> str:
    """Train the small net on iris from the command line; the run's name."""
    file = runs.parent / f"{name}.loom.json"
    project = json.loads((ROOT / "projects" / "mlp_iris.loom.json").read_text("utf-8"))
    file.write_text(json.dumps(project | {"name": name}))
    given = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    command = [sys.executable, "-m", "app.cli", "train", str(file), "--runs", str(runs), *given]
    subprocess.run(command, cwd=ROOT, env=os.environ, check=True, capture_output=True)
    return f"{name}-001"


def test_two_runs_are_laid_over_each_other_and_a_note_stays_after_a_reload(
    page: Page, server
) -> None:
    calm = trained(server.runs, "calm", lr=0.001, epochs=6)
    bold = trained(server.runs, "bold", lr=0.1, epochs=6)
    page.goto(f"{server.address}/compare")
    chart = page.get_by_test_id("curve-loss")
    for name in (calm, bold):
        box = page.get_by_role("checkbox", name=name)
        expect(box).to_be_visible()
        at_rest(page)
        box.set_checked(True, force=True)
        expect(chart.get_by_text(name)).to_be_visible()
    expect(chart.get_by_text(calm)).to_be_visible()
    expect(chart).to_have_attribute("data-points", "6")
    expect(page.locator("svg.parallel polyline")).not_to_have_count(0)
    row = page.locator(
        ".ll-compare tr", has=page.get_by_role("rowheader", name="Learning rate", exact=True)
    )
    expect(row).to_contain_text("0.001")
    expect(row).to_contain_text("0.1")
    page.get_by_role("button", name="step", exact=True).click()
    expect(page.get_by_role("button", name="step", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    at_rest(page)
    note = page.locator(".st-key-compare_list [data-testid=stPopoverButton]").first
    note.click()
    written = page.get_by_role("textbox", name="Note", exact=True)
    written.fill("Too small a step.")
    written.press("Control+Enter")
    marked = page.locator(".st-key-compare_list").get_by_text("Too small a step.")
    expect(marked).to_be_visible()
    page.reload()
    expect(marked).to_be_visible()


LINES = """e => {
  const range = document.createRange();
  range.selectNodeContents(e);
  return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size; }"""


def test_at_twice_the_size_a_run_keeps_its_name_in_one_line_or_two(page: Page, server) -> None:
    name = trained(server.runs, "residual-network-on-iris", epochs=1)
    page.set_viewport_size({"width": 720, "height": 450})  # 1440 x 900 at 200 %
    page.goto(f"{server.address}/compare")
    at_rest(page)
    label = page.locator(".st-key-compare_list").get_by_text(name, exact=True)
    assert label.evaluate(LINES) <= 2
