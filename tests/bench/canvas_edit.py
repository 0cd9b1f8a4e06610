"""Time from an edit on the canvas to the answer drawn, in Chromium, at 20, 200 and 1,000 blocks.

Run: python tests/bench/canvas_edit.py [--blocks 20 200 1000] [--edits 30] [--json]
Starts its own server on a free port. An edit is a click on a switch in the inspector (one block's
annotation changes), or typing in the Input's shape (every annotation changes; includes the 60 ms
pause that typing waits for). "Drawn" is the frame after the canvas says "checked".
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[2]
CHROMIUM = os.environ.get("LAYERLOOM_CHROMIUM", "/usr/bin/chromium")
START_S = 90
WARM = 3  # first edits, not counted

MEASURE = """async ({ field, values }) => {
  const find = (id) => {
    const roots = [document];
    for (const root of roots) {
      const found = root.querySelector(`[data-testid="${id}"]`);
      if (found) return found;
      root.querySelectorAll("*").forEach((e) => e.shadowRoot && roots.push(e.shadowRoot));
    }
  };
  const bench = find("workbench"), input = find(field);
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const drawn = () => new Promise((done, fail) => {
    setTimeout(() => fail(new Error("no answer was drawn in 30 s")), 30000);
    const watch = new MutationObserver(() => {
      if (bench.dataset.status !== "checked") return;
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => done(performance.now())));
    });
    watch.observe(bench, { attributes: true, attributeFilter: ["data-status"] });
  });
  const times = [];
  for (const value of values) {
    await new Promise((go) => setTimeout(go, 120));
    const end = drawn(), start = performance.now();
    if (input.type === "checkbox") input.click();
    else {
      set.call(input, value);
      input.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    }
    times.push((await end) - start);
  }
  return times;
}"""


def residual(blocks: int) -> dict[str, Any]:
    """A residual network of about `blocks` blocks, as a project file."""
    nodes: dict[str, Any] = {"image": {"block": "Input", "settings": {"shape": [8, 16, 16]}}}
    edges: list[str] = []
    last, stage = "image", 0
    while len(nodes) < blocks - 5:
        stage += 1
        conv, norm, relu, join = (f"{kind}_{stage}" for kind in ("conv", "norm", "relu", "join"))
        settings = {"out_channels": 8, "kernel_size": 3, "padding": 1}
        nodes[conv] = {"block": "Conv2d", "settings": settings}
        nodes |= {norm: {"block": "BatchNorm2d"}, relu: {"block": "ReLU"}, join: {"block": "add"}}
        edges += [f"{last} -> {conv}", f"{conv} -> {norm}", f"{norm} -> {relu}"]
        edges += [f"{last} -> {join}.input", f"{relu} -> {join}.other"]
        last = join
    nodes |= {
        "pool": {"block": "AdaptiveAvgPool2d", "settings": {"output_size": 1}},
        "flat": {"block": "flatten", "settings": {"start_dim": 1}},
        "head": {"block": "Linear", "settings": {"out_features": 10}},
        "logits": {"block": "Output"},
    }
    edges += [f"{last} -> pool", "pool -> flat", "flat -> head", "head -> logits"]
    graph = {"nodes": nodes, "edges": edges}
    return {
        "layerloom": 1,
        "name": f"{blocks} blocks",
        "graph": graph,
        "data": {"source": "digits"},
    }


@contextmanager
def server(file: Path, home: Path) -> Iterator[str]:
    """Serve the workbench on `file`; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = f"from app.main import serve; serve(__import__('pathlib').Path({str(file)!r}), {port})"
    launch = f"if __name__ == '__main__':\n    {code}\n"
    script = home / "serve.py"
    script.write_text(launch, "utf-8")
    env = {**os.environ, "LAYERLOOM_HOME": str(home), "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, str(script)], cwd=ROOT, env=env)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/_stcore/health")
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait_for(address: str) -> None:
    end = time.monotonic() + START_S
    while True:
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def measure(page: Page, address: str, edits: int) -> dict[str, dict[str, float]]:
    """Open the project and edit it `edits` times in both ways."""
    page.goto(address)
    page.wait_for_selector("[data-testid=workbench][data-status=checked]", timeout=120_000)
    page.wait_for_timeout(1500)
    found: dict[str, dict[str, float]] = {}
    found["one block"] = _edit(page, "conv_1", "setting-bias", ["x"] * (edits + WARM))
    sizes = [f"8, {16 + i % 2}, 16" for i in range(1, edits + 1 + WARM)]
    found["every block"] = _edit(page, "image", "setting-shape", sizes)
    return found


def _edit(page: Page, node: str, field: str, values: list[str]) -> dict[str, float]:
    page.get_by_test_id(f"node-{node}").click()
    if not page.get_by_test_id(field).is_visible():
        page.locator("details.more summary").click()
    times = page.evaluate(MEASURE, {"field": field, "values": values})[WARM:]
    cuts = statistics.quantiles(times, n=20)
    return {"p50_ms": round(statistics.median(times)), "p95_ms": round(cuts[18])}


def run(blocks: int, edits: int) -> dict[str, dict[str, float]]:
    """Measure one size in a fresh server and browser."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder) / f"bench-{blocks}.loom.json"
        file.write_text(json.dumps(residual(blocks)), "utf-8")
        with server(file, Path(folder)) as address, sync_playwright() as play:
            arguments = ["--no-sandbox", "--disable-gpu"]
            browser = play.chromium.launch(executable_path=CHROMIUM, args=arguments)
            size = {"width": 1440, "height": 900}
            page = browser.new_page(viewport=size, reduced_motion="reduce")
            try:
                return measure(page, address, edits)
            finally:
                browser.close()


def main() -> None:
    """Print one line per size and kind of edit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, nargs="+", default=[20, 200, 1000])
    parser.add_argument("--edits", type=int, default=30)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = {blocks: run(blocks, args.edits) for blocks in args.blocks}
    if args.json:
        sys.stdout.write(json.dumps(found) + "\n")
        return
    for blocks, kinds in found.items():
        for kind, times in kinds.items():
            line = f"{blocks:5} blocks, {kind:11}: p50 {times['p50_ms']:4.0f} ms"
            sys.stdout.write(f"{line}, p95 {times['p95_ms']:4.0f} ms\n")


if __name__ == "__main__":
    main()
