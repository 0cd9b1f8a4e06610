"""Screenshots of every page, light and dark, with real content: assets/screenshots/NAME-THEME.png.

`python tests/browser/screenshots.py [--out FOLDER] [--size 1440x900] [--theme light]` starts a
workbench of its own for each theme, draws, imports, trains, and goes through the pages.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.browser import states  # noqa: E402
from tests.browser.conftest import end, free_port, wait_for  # noqa: E402
from tests.browser.hand import colour_by  # noqa: E402
from tests.chromium import chromium_path  # noqa: E402

PATIENCE_MS = 600_000
NOTE = "Sixteen filters: each looks for one kind of stroke."


@dataclass
class Tour:
    """One way through all pages: the tab, its theme, where the pictures go."""

    page: Page
    address: str
    theme: str
    out: Path

    def shoot(self, name: str) -> None:
        """Take one picture once nothing moves any more."""
        app = self.page.get_by_test_id("stApp")
        expect(app).to_have_attribute("data-test-script-state", "notRunning")
        self.page.mouse.move(720, 6)
        self.page.wait_for_timeout(1500)
        self.page.screenshot(path=self.out / f"{name}-{self.theme}.png")
        print(f"{name}-{self.theme}.png")  # noqa: T201  (what a script is for)

    def go(self, name: str) -> None:
        states.go(self.page, name)

    def checked(self) -> None:
        status = self.page.get_by_test_id("status")
        expect(status).to_have_attribute("data-status", "checked", timeout=PATIENCE_MS)

    def template(self, name: str) -> None:
        self.page.goto(self.address)
        self.page.locator(f".st-key-open_template_{name} button").first.click()
        self.checked()


@contextmanager
def served(home: Path) -> Iterator[tuple[str, Path]]:
    """A fresh workbench: its address and the folder of its runs."""
    port, runs, workspace = free_port(), home / "runs", home / "workspace"
    workspace.mkdir()
    command = [sys.executable, "-m", "app.cli", "open", "--no-browser", "--port", str(port)]
    environment = os.environ | {"LAYERLOOM_HOME": str(home / "home"), "PYTHONPATH": str(ROOT)}
    environment["LAYERLOOM_TOKEN"] = ""
    log = home / "server.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [*command, "--runs", str(runs)],
            cwd=workspace, env=environment, stdout=file, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        wait_for(f"http://localhost:{port}", process, log)
        yield f"http://localhost:{port}", runs
    finally:
        end(process)


def start_and_import(tour: Tour) -> None:
    page = tour.page
    page.goto(tour.address)
    expect(page.get_by_text("Start with a template")).to_be_visible()
    tour.shoot("start")
    page.get_by_role("button", name="Import a model").click()
    box = page.get_by_role("combobox", name=re.compile("Search"))
    expect(box).to_be_visible()
    box.fill("resnet50")
    page.get_by_role("option", name=re.compile("^resnet50 ")).click()
    page.get_by_role("button", name="Import resnet50").click()
    opens = page.get_by_role("button", name="Open on the canvas")
    expect(page.get_by_text("time to compare")).to_be_visible(timeout=PATIENCE_MS)
    tour.shoot("import")
    opens.click()
    tour.checked()
    tour.shoot("imported")


def learning(tour: Tour) -> None:
    page = tour.page
    page.goto(f"{tour.address}/learn")
    page.get_by_role("button", name="3. A filter slides over an image").click()
    expect(page.get_by_role("heading", name="What filters see")).to_be_visible()
    page.get_by_role("button", name="Next step").click()
    expect(page.get_by_role("heading", name="At the edge")).to_be_visible()
    page.get_by_role("button", name="Open the drawing").click()
    tour.checked()
    page.get_by_label("Your answer").fill("(N, 6, 26, 26)")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Right: (N, 6, 26, 26).")).to_be_visible()
    tour.shoot("learn")


def drawing(tour: Tour) -> None:
    page = tour.page
    tour.template("resnet_digits")
    page.get_by_test_id("node-stem").click(position={"x": 40, "y": 14})
    page.get_by_test_id("workbench").press("n")
    page.keyboard.insert_text(NOTE)
    page.keyboard.press("Escape")
    tour.checked()
    page.get_by_test_id("workbench").press("f")
    tour.shoot("notes")
    page.get_by_role("tab", name="Source").click()
    page.locator('.block[data-family="composite"]').first.dblclick(position={"x": 40, "y": 14})
    expect(page.get_by_test_id("crumbs")).to_be_visible()
    page.get_by_test_id("node-conv1").click(position={"x": 40, "y": 14})
    tour.shoot("composite")
    tour.template("lenet_digits")
    colour_by(page, "params")
    expect(page.get_by_test_id("heat-legend")).to_be_visible()
    tour.shoot("heat")
    page.get_by_test_id("heat-off").click()
    page.get_by_test_id("node-conv1").click()
    tour.shoot("build")
    tour.go("Data")
    expect(page.get_by_role("list", name="Samples of each class")).to_be_visible()
    tour.shoot("data")
    tour.go("Build")
    tour.checked()


def training(tour: Tour, runs: Path) -> None:
    page = tour.page
    page.get_by_test_id("toolbar-train").click()
    expect(page.get_by_test_id("run-state")).to_have_text("Finished", timeout=PATIENCE_MS)
    tour.shoot("train")
    tour.go("Look inside")
    page.locator(".st-key-inside_large img").first.wait_for(timeout=PATIENCE_MS)
    tour.shoot("inside")
    tour.go("Export")
    card = page.locator(".st-key-export_card_onnx")
    card.get_by_role("button", name="Export").click()
    card.get_by_role("button", name="Download").wait_for(timeout=PATIENCE_MS)
    tour.shoot("export")
    second = [
        sys.executable,
        "-m",
        "app.cli",
        "train",
        str(ROOT / "projects/lenet_digits.loom.json"),
    ]
    settings = ["--runs", str(runs), "--set", "lr=0.01"]
    subprocess.run([*second, *settings], cwd=runs, check=True, capture_output=True)
    tour.go("Compare")
    for number in range(2):
        box = page.locator(".st-key-compare_list").get_by_role("checkbox").nth(number)
        expect(box).to_be_visible(timeout=PATIENCE_MS)
        box.set_checked(True, force=True)
        page.wait_for_timeout(1500)
    page.get_by_test_id("curve-loss").wait_for(timeout=PATIENCE_MS)
    tour.shoot("compare")
    tour.go("My work")
    expect(page.get_by_role("heading", name="My work")).to_be_visible()
    tour.shoot("work")


def tour(browser: Browser, theme: Literal["light", "dark"], size: ViewportSize, out: Path) -> None:
    """Go through the pages in one theme."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home,
        served(Path(home)) as (address, runs),
    ):
        context = browser.new_context(viewport=size, color_scheme=theme, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE_MS)
        way = Tour(context.new_page(), address, theme, out)
        start_and_import(way)
        learning(way)
        drawing(way)
        training(way, runs)
        context.close()


def main() -> None:
    """Take all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "assets" / "screenshots")
    parser.add_argument("--size", default="1440x900")
    parser.add_argument("--theme", choices=("light", "dark"), action="append")
    args = parser.parse_args()
    width, height = (int(part) for part in args.size.split("x"))
    args.out.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_path() or None, args=["--no-sandbox", "--disable-gpu"]
        )
        for theme in args.theme or ("light", "dark"):
            tour(browser, theme, {"width": width, "height": height}, args.out)
        browser.close()


if __name__ == "__main__":
    main()
