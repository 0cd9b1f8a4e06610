"""Frames per second while a block is dragged, the drawing panned and zoomed, near and from afar.

Headless Chromium draws at 60 Hz. The pointer moves once in each frame, from the page itself, so
that no test driver's pace is measured, and only frames count in which what is moved stands at
another place than before. "idle" is the same page doing nothing, on the same machine.
"""

from collections.abc import Sequence
from typing import Any

from tests.bench.workbench import ROOT, Bench

SECONDS = 2.5
BAR = 0.95  # of the idle page's frame rate, at 200 blocks
NEAR = ("idle", "drag", "pan", "scroll", "zoom")
FAR = ("pan", "scroll", "zoom")
MOVE = (ROOT / "tests" / "bench" / "canvas_drag.js").read_text("utf-8")

Motion = dict[str, float]


def motions(bench: Bench, seconds: float | None = None) -> dict[str, Motion]:
    """Measure each kind of motion, near and with the whole drawing in view.

    Raises RuntimeError when nothing on the canvas moved.
    """
    bench.page.keyboard.press("Escape")
    found = _each(bench, NEAR, seconds)
    bench.page.get_by_test_id("workbench").press("f")
    bench.page.wait_for_timeout(1500)
    return found | {f"{kind}, all": m for kind, m in _each(bench, FAR, seconds).items()}


def _each(bench: Bench, kinds: Sequence[str], seconds: float | None) -> dict[str, Motion]:
    found: dict[str, Motion] = {}
    for kind in kinds:
        busy = bench.busy_ms()
        got: dict[str, Any] = bench.page.evaluate(
            MOVE, {"kind": kind, "seconds": seconds or SECONDS}
        )
        if not got.pop("moved"):
            raise RuntimeError(f"{kind}: the canvas did not follow the pointer: nothing measured.")
        found[kind] = {**got, "busy": (bench.busy_ms() - busy) / got["frames"]}
        bench.page.wait_for_timeout(2000)
    return found


def table(found: dict[int, dict[str, Motion]]) -> list[str]:
    """Write the frame rates."""
    lines = ["", "frames per second         fps  p95 gap, ms  work per frame, ms  messages  bar"]
    for blocks, kinds in found.items():
        least = f">{BAR * kinds['idle']['fps']:.0f}" if blocks == 200 else ""
        for kind, m in kinds.items():
            bar = least if kind == "drag" else ""
            rate = f"{m['fps']:5.1f} {m['p95']:12.1f} {m['busy']:19.1f}"
            lines.append(f"{blocks:5} blocks, {kind:11} {rate} {m['messages']:9.0f}  {bar}")
    return [
        *lines,
        "  fps: frames that show the motion; an idle page's are all frames",
        "  scroll: two fingers on a trackpad; all: with the whole drawing in view",
        "  headless Chromium draws at 60 Hz; the bar is 95 % of the idle page's rate",
    ]
