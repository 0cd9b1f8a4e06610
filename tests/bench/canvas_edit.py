"""The canvas's speed in Chromium, one run, one table: edits, dragging, memory, beside their bars.

Starts its own servers on free ports. An edit is a click on a switch in the inspector (one block's
annotation changes) or typing in the Input's shape (every annotation changes; where answers are
slow, the 60 ms that typing then waits for are part of it). "All in view" is a click with the whole
drawing in the window. "Drawn" is the frame after the canvas says "checked". An echo is the same
snapshot sent once more, which the server answers without reading or analysing it, interleaved with
the edits: on a loaded machine judge by the ratio. With more rounds the best one is told.
"""

import os
import statistics
from typing import Any

from playwright.sync_api import Page

from tests.bench import canvas_drag, canvas_memory
from tests.bench.workbench import READY, ROOT, Bench, opened, select

WARM = 3  # first edits, not counted
BARS_MS = {200: 100, 1000: 300}
PARTS = ("to send", "network", "take", "check", "write", "to draw")
LEGEND = (
    "to send: the click, React, the snapshot; take: read it and keep a draft;",
    "check: the analysis, in its worker; write: what changed, as JSON;",
    "to draw: annotations, React, paint. Medians.",
)
MEASURE = (ROOT / "tests" / "bench" / "canvas_edit.js").read_text("utf-8")

Times = dict[str, float]


def edits(bench: Bench, node: str, field: str, values: list[str]) -> Times:
    """Measure one kind of edit."""
    select(bench.page, node, field)
    return summary_of(bench.page.evaluate(MEASURE, {"field": field, "values": values})[WARM:])


def summary_of(found: list[Times]) -> Times:
    """Say p50 and p95, with and without the network, the echo, and the parts' medians."""

    def cut(values: list[float]) -> float:
        return statistics.quantiles(values, n=20)[18]

    total = [t["total"] for t in found]
    alone = [t["total"] - t["network"] for t in found]
    parts = {part: statistics.median(t.get(part, 0.0) for t in found) for part in PARTS}
    echo = statistics.median(t["echo"] for t in found)
    middle = {"p50": statistics.median(total), "p50 alone": statistics.median(alone)}
    return {**middle, "p95": cut(total), "p95 alone": cut(alone), "echo p50": echo, **parts}


def kinds(bench: Bench, count: int, turn: int = 0) -> dict[str, Times]:
    """Measure edits that change one annotation, edits that change all, and the first from afar."""
    sizes = [f"8, {16 + i % 2}, {16 + turn}" for i in range(1, count + 1 + WARM)]
    clicks = ["x"] * (count + WARM)
    found = {
        "one block": edits(bench, "conv_1", "setting-bias", clicks),
        "every block": edits(bench, "image", "setting-shape", sizes),
    }
    select(bench.page, "conv_1", "setting-bias")
    bench.page.get_by_test_id("workbench").press("f")
    bench.page.wait_for_timeout(1500)
    far: list[Times] = bench.page.evaluate(MEASURE, {"field": "setting-bias", "values": clicks})
    begin(bench.page)
    return {**found, "all in view": summary_of(far[WARM:])}


def begin(page: Page) -> None:
    """Look at the beginning of the drawing again."""
    page.reload()
    page.wait_for_selector(READY, timeout=120_000)
    page.wait_for_timeout(1500)


def best(rounds: list[dict[str, Times]]) -> dict[str, Times]:
    """The round with the lowest p95 of each kind."""
    return {kind: min((r[kind] for r in rounds), key=lambda t: t["p95"]) for kind in rounds[0]}


def run(blocks: int, count: int, rounds: int) -> dict[str, Any]:
    """Measure one size."""
    found: dict[str, Any] = {}
    with opened(blocks) as bench:
        found["edits"] = best([kinds(bench, count, turn) for turn in range(rounds)])
        if blocks >= 200:
            found["motion"] = canvas_drag.motions(bench)
    return found


def write(found: dict[int, Any], memory: dict[str, float], load: list[str]) -> str:
    """Write everything as one table."""
    rows = [(b, kind, t) for b, kinds in found.items() for kind, t in kinds["edits"].items()]
    lines = [f"machine: {os.cpu_count()} cores, load {' -> '.join(load)}", ""]
    lines.append(
        f"{'edit -> drawn, ms':26}  p50   p95 | without the network    bar | echo  p50/echo"
    )
    for blocks, kind, t in rows:
        bar = f"<{BARS_MS[blocks]}" if blocks in BARS_MS and kind == "one block" else ""
        head = f"{blocks:5} blocks, {kind:12} {t['p50']:5.0f} {t['p95']:5.0f}"
        alone = f"{t['p50 alone']:10.0f} {t['p95 alone']:8.0f} {bar:>7}"
        lines.append(f"{head} | {alone} | {t['echo p50']:4.0f} {t['p50'] / t['echo p50']:9.1f}")
    lines += ["", f"{'where the time goes, ms':25}" + " ".join(f"{part:>8}" for part in PARTS)]
    for blocks, kind, t in rows:
        parts = " ".join(f"{t[part]:8.1f}" for part in PARTS)
        lines.append(f"{blocks:5} blocks, {kind:11} {parts}")
    lines += [f"  {text}" for text in LEGEND]
    lines += canvas_drag.table({b: k["motion"] for b, k in found.items() if "motion" in k})
    return "\n".join([*lines, *canvas_memory.table(memory), ""])
