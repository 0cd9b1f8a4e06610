"""Frames per second while a block is dragged, the drawing panned and zoomed.

Headless Chromium draws at 60 Hz. The pointer moves once in each frame, from the page itself, so that
no test driver's pace is measured; "idle" is the same page doing nothing, on the same machine.
"""

from typing import Any

from tests.bench.workbench import Bench

SECONDS = 2.5
BAR = 0.95  # of the idle page's frame rate, at 200 blocks
MOVE = """async ({ kind, seconds }) => {
  const roots = [document];
  let bench;
  for (const root of roots) {
    bench ??= root.querySelector(".canvas .react-flow");
    root.querySelectorAll("*").forEach((e) => e.shadowRoot && roots.push(e.shadowRoot));
  }
  const node = bench.querySelector('.react-flow__node[data-id="conv_1"]');
  const pane = bench.querySelector(".react-flow__pane");
  const box = (kind === "drag" ? node : pane).getBoundingClientRect();
  const x = box.left + (kind === "drag" ? box.width / 2 : box.width * 0.08), y = box.top + box.height / 2;
  const target = kind === "drag" ? node : pane;
  const at = (dx, dy, more = {}) => ({ bubbles: true, composed: true, cancelable: true, view: window, clientX: x + dx, clientY: y + dy, buttons: 1, ...more });
  const before = window.loomPosts.count;
  if (kind === "drag" || kind === "pan") target.dispatchEvent(new MouseEvent("mousedown", at(0, 0, { button: 0 })));
  const stamps = [];
  await new Promise((done) => {
    const frame = (now) => {
      stamps.push(now);
      const t = (now - stamps[0]) / 1000;
      if (t > seconds) return done();
      const dx = 160 * Math.sin(3 * t), dy = 120 * Math.sin(2 * t);
      if (kind === "drag" || kind === "pan") window.dispatchEvent(new MouseEvent("mousemove", at(dx, dy)));
      if (kind === "zoom") pane.dispatchEvent(new WheelEvent("wheel", at(0, 0, { buttons: 0, deltaY: 24 * Math.sin(3 * t) })));
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  const moved = kind !== "drag" || node.getBoundingClientRect().left !== box.left || node.getBoundingClientRect().top !== box.top;
  const messages = window.loomPosts.count - before;
  if (kind === "drag" || kind === "pan") window.dispatchEvent(new MouseEvent("mouseup", at(0, 0, { button: 0, buttons: 0 })));
  const gaps = stamps.slice(1).map((s, i) => s - stamps[i]).sort((a, b) => a - b);
  return { frames: gaps.length, fps: 1000 * gaps.length / (stamps.at(-1) - stamps[0]), p95: gaps[Math.floor(gaps.length * 0.95)], messages, moved };
}"""

Motion = dict[str, float]


def motions(bench: Bench) -> dict[str, Motion]:
    """Measure each kind of motion. Raises RuntimeError when a drag did not move its block."""
    bench.page.keyboard.press("Escape")
    found: dict[str, Motion] = {}
    for kind in ("idle", "drag", "pan", "zoom"):
        busy = bench.busy_ms()
        got: dict[str, Any] = bench.page.evaluate(MOVE, {"kind": kind, "seconds": SECONDS})
        if not got.pop("moved"):
            raise RuntimeError("The block did not follow the pointer: nothing was measured.")
        found[kind] = {**got, "busy": (bench.busy_ms() - busy) / got["frames"]}
        bench.page.wait_for_timeout(2000)
    return found


def table(found: dict[int, dict[str, Motion]]) -> list[str]:
    """Write the frame rates."""
    lines = ["", "frames per second        fps  p95 gap, ms  work per frame, ms  messages  bar"]
    for blocks, kinds in found.items():
        least = f">{BAR * kinds['idle']['fps']:.0f}" if blocks == 200 else ""
        for kind, m in kinds.items():
            bar = least if kind == "drag" else ""
            lines.append(f"{blocks:5} blocks, {kind:10} {m['fps']:5.1f} {m['p95']:12.1f} {m['busy']:19.1f} "
                         f"{m['messages']:9.0f}  {bar}")  # fmt: skip
    return [*lines, "  headless Chromium draws at 60 Hz; the bar is 95 % of the idle page's rate"]
