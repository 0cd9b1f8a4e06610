"""The runs of a sweep are chosen together on Compare, with axes over what was searched."""

import os
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.rest import at_rest

ROOT = Path(__file__).parents[4]
IRIS = str(ROOT / "projects" / "mlp_iris.loom.json")


def command(runs: Path, *words: str) -> None:
    """Run a command to its end."""
    given = [sys.executable, "-m", "app.cli", *words, "--runs", str(runs)]
    subprocess.run(given, cwd=ROOT, env=os.environ, check=True, capture_output=True)


def test_a_sweep_is_chosen_by_its_name_and_other_runs_leave_the_picture(page: Page, server) -> None:
    command(server.runs, "train", IRIS, "--set", "epochs=2")
    command(server.runs, "sweep", IRIS, "--search", "fc1.out_features=4,16", "--search",
            "lr=0.001,0.1", "--set", "epochs=2", "--no-prune", "--name", "widths")  # fmt: skip
    page.goto(f"{server.address}/compare")
    listed = page.locator(".st-key-compare_list").get_by_role("checkbox")
    expect(listed.first).to_be_visible()
    at_rest(page)
    page.get_by_role("button", name="Tick best").click()
    at_rest(page)
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(4)
    axes = page.locator("svg.parallel")
    expect(axes.locator("polyline")).not_to_have_count(0)
    expect(axes).to_contain_text("fc1.out_features")
    expect(axes).to_contain_text("Learning rate")
    row = page.locator(".ll-compare tr", has=page.get_by_role("rowheader", name="fc1.out_features"))
    expect(row).to_contain_text("16")
    expect(page.get_by_text("trial 1: ").first).to_be_visible()
