"""All figures of the canvas in one run: measures them and writes canvas_figures.md.

Run: python -m tests.bench.canvas_figures [--quick], on a machine at rest.
About ten minutes; --quick measures fewer edits and keeps the file as it is.
"""

import argparse
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from tests.bench import canvas_edit, canvas_memory
from tests.bench.workbench import ROOT
from tests.chromium import chromium_path

FILE = ROOT / "tests" / "bench" / "canvas_figures.md"
SIZES = (20, 200, 1000)
HEAD = """# Figures of the canvas

Written by `python -m tests.bench.canvas_figures`, which says what each figure is.
"""


@dataclass(frozen=True)
class Effort:
    """How much is measured: projects of so many blocks, edits of each kind."""

    sizes: tuple[int, ...] = SIZES
    edits: int = 60
    memory_edits: int = 500


QUICK = Effort(edits=12, memory_edits=100)


def load() -> str:
    """The machine's load, now and over a quarter of an hour."""
    return ", ".join(f"{value:.1f}" for value in os.getloadavg())


def machine() -> str:
    """What was measured on, and with which versions."""
    browser = subprocess.run(
        [chromium_path(), "--version"], capture_output=True, text=True, check=True
    )
    chromium = " ".join(browser.stdout.split()[:2])
    packages = ", ".join(f"{name} {version(name)}" for name in ("torch", "streamlit"))
    python = platform.python_version()
    return (
        f"{datetime.now(UTC):%d %B %Y}, {os.cpu_count()} cores ({platform.machine()}), "
        f"Python {python}, {packages}, {chromium} headless without a GPU."
    )


def verdicts(found: dict[int, Any]) -> list[str]:
    """Say of each bar whether it holds."""
    lines: list[str] = []
    for blocks, bar in canvas_edit.BARS_MS.items():
        if blocks not in found:
            continue
        p95 = found[blocks]["edits"]["one block"]["p95 alone"]
        lines.append(_bar(f"edit to answer drawn at {blocks:,} blocks, p95", p95, bar, "ms"))
    motion = found[200]["motion"]
    drag, idle = motion["drag"]["fps"], motion["idle"]["fps"]
    word = "holds" if drag > 0.95 * idle else "DOES NOT HOLD"
    lines.append(f"- dragging at 200 blocks: {drag:.1f} of {idle:.1f} frames per second: {word}")
    return lines


def _bar(what: str, value: float, bar: float, unit: str) -> str:
    word = "holds" if value < bar else "DOES NOT HOLD"
    return f"- {what}: {value:.0f} {unit} (bar {bar:.0f}, network excluded): {word}"


def measured(effort: Effort) -> str:
    """Measure everything; returns the text of the file."""
    before = load()
    found = {blocks: canvas_edit.run(blocks, effort.edits, 1) for blocks in effort.sizes}
    memory = canvas_memory.measure(effort.memory_edits)
    return report(found, memory, (before, load()))


def report(
    found: dict[int, Any],
    memory: dict[str, float],
    loads: tuple[str, str],
) -> str:
    """The text of the file. loads: the machine's load before and after."""
    table = canvas_edit.write(found, memory, list(loads)).strip()
    head = f"{machine()} Load before and after: {'; '.join(loads)}."
    return "\n".join([HEAD, head, "", *verdicts(found), "", "```", table, "```", ""])


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few edits; writes no file")
    args = parser.parse_args()
    text = measured(QUICK if args.quick else Effort())
    sys.stdout.write(text)
    if not args.quick:
        FILE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
