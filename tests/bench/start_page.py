"""The start page in Chromium: to first paint and until it can be used, cold and warm.

Run: python -m tests.bench.start_page [REPEATS]; kept in start_page.md. Cold: a server that was just
started and a browser that has nothing of it. Warm: the same server and browser once more. Usable: a
click on "Start with LeNet" would be heard, and the page is drawn to its end.
"""

import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, sync_playwright

from tests.browser.conftest import workbench
from tests.chromium import chromium_path

FIGURES = Path(__file__).with_name("start_page.md")
WAIT_MS = 120_000
PAINTED = """() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"""
USABLE = """() => {
  const app = document.querySelector('[data-testid=stApp]')?.dataset;
  const button = document.querySelector('.st-key-first button');
  const drawn = app?.testScriptState === 'notRunning';
  return drawn && button && !button.disabled && performance.now(); }"""

Seconds = dict[str, float]


def visited(page: Page, address: str) -> Seconds:
    """Go to the start page; seconds from the request on, by the page's own clock."""
    page.goto(address, timeout=WAIT_MS)
    usable = page.wait_for_function(USABLE, timeout=WAIT_MS).json_value()
    return {"first paint": page.evaluate(PAINTED) / 1000, "usable": usable / 1000}


def once(context: BrowserContext, home: Path, warm: int) -> list[tuple[str, float]]:
    """Start a server and visit it, then `warm` times more in tabs of their own."""
    start = time.monotonic()
    with workbench(home) as served:
        found = [("server, from its command to its first answer", time.monotonic() - start)]
        for visit in range(warm + 1):
            page = context.new_page()
            timings = visited(page, served.address)
            found += [(f"{'warm' if visit else 'cold'}, {name}", s) for name, s in timings.items()]
            page.close()
    return found


def measured(repeats: int, warm: int = 4) -> dict[str, list[float]]:
    """Measure with so many fresh servers, each with a fresh browser."""
    found: dict[str, list[float]] = {}
    for _ in range(repeats):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home, chromium() as context:
            for name, seconds in once(context, Path(home), warm):
                found.setdefault(name, []).append(seconds)
    return found


@contextmanager
def chromium() -> Iterator[BrowserContext]:
    """A browser that has seen nothing yet."""
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=chromium_path(), args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser.new_context(viewport={"width": 1440, "height": 900})
        browser.close()


def table(found: dict[str, list[float]], load: float) -> str:
    """The text of start_page.md."""
    rows = "\n".join(
        f"| {name} | {statistics.median(values):.2f} | {max(values):.2f} | {len(values)} |"
        for name, values in found.items()
    )
    return (
        "# The start page\n\n"
        f"Measured on {datetime.now(UTC).date()} by `python -m tests.bench.start_page`, which says "
        f"what each is: {os.cpu_count()} processors (load before: {load:.1f}), Python "
        f"{platform.python_version()}, streamlit {version('streamlit')}, Chromium headless. "
        "Seconds.\n\n| | median | slowest | of |\n|---|---|---|---|\n" + rows + "\n"
    )


def main(repeats: int = 5) -> None:
    """Measure, print it and write it down."""
    load = os.getloadavg()[0]
    text = table(measured(repeats), load)
    sys.stdout.write(text)
    FIGURES.write_text(text, "utf-8")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
