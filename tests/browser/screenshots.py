"""Screenshots of every page, light and dark, with real content: assets/screenshots/PAGE-THEME.png.

`python tests/browser/screenshots.py [ADDRESS]` opens LeNet, trains it, and goes through the pages
of the workbench at ADDRESS (default: http://localhost:8501).
"""

import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.browser.conftest import executable  # noqa: E402  (the path must stand first)

OUT = ROOT / "assets" / "screenshots"
SIZE = {"width": 1440, "height": 900}
PATIENCE_MS = 60_000


def shoot(page: Page, name: str, theme: str) -> None:
    """Take one picture once nothing moves any more."""
    page.mouse.move(720, 6)
    page.wait_for_timeout(1200)
    page.screenshot(path=OUT / f"{name}-{theme}.png")
    print(f"{name}-{theme}.png")  # noqa: T201  (what a script is for)


def go(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).click()


def tour(browser: Browser, address: str, theme: str) -> None:
    """Go through the pages in one theme."""
    context = browser.new_context(viewport=SIZE, color_scheme=theme, reduced_motion="reduce")
    page = context.new_page()
    page.goto(address)
    expect(page.get_by_text("Start with a template")).to_be_visible()
    shoot(page, "start", theme)
    page.get_by_role("button", name="LeNet on digits", exact=True).first.click()
    status = page.get_by_test_id("status")
    expect(status).to_have_attribute("data-status", "checked", timeout=PATIENCE_MS)
    page.get_by_test_id("node-conv1").click()
    shoot(page, "build", theme)
    page.get_by_test_id("toolbar-train").click()
    expect(page.get_by_test_id("run-state")).to_have_text("Finished", timeout=2 * PATIENCE_MS)
    shoot(page, "train", theme)
    go(page, "Look inside")
    page.locator(".st-key-inside_large img").first.wait_for(timeout=PATIENCE_MS)
    shoot(page, "inside", theme)
    go(page, "Export")
    card = page.locator(".st-key-export_card_onnx")
    card.get_by_role("button", name="Make it").click()
    card.get_by_role("button", name="Download").wait_for(timeout=2 * PATIENCE_MS)
    shoot(page, "export", theme)
    context.close()


def main() -> None:
    """Take all of them."""
    address = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8501"
    OUT.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable(), args=["--no-sandbox", "--disable-gpu"]
        )
        for theme in ("light", "dark"):
            tour(browser, address, theme)
        browser.close()


if __name__ == "__main__":
    main()
