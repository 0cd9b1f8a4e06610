"""What the canvas benchmarks share: a project of any size, a server on it, the page in Chromium."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

from core.worker import warm_worker
from tests.chromium import chromium_path

ROOT = Path(__file__).parents[2]
START_S, SPARE_S = 90, 45
READY = "[data-testid=workbench][data-status=checked]"
# Remembers the last snapshot sent over the route, to be sent once more as an echo.
WATCH = """(() => {
  const plain = window.fetch;
  window.loomPosts = { count: 0, last: null };
  window.fetch = (url, init) => {
    if (String(url).endsWith("/api/ll/canvas")) {
      window.loomPosts.count += 1;
      window.loomPosts.last = [String(url), { ...init, signal: undefined }];
    }
    return plain(url, init);
  };
})()"""


@dataclass
class Bench:
    """An open project: the page, its debugger, the processes of the server."""

    page: Page
    cdp: CDPSession
    server: int

    def rss_mb(self) -> float:
        """Resident memory of the server and its workers."""
        return memory_mb(self.server)

    def heap_mb(self) -> float:
        """The page's JavaScript heap after a collection."""
        for _ in range(3):
            self.cdp.send("HeapProfiler.collectGarbage")
        return self.cdp.send("Runtime.getHeapUsage")["usedSize"] / 2**20

    def busy_ms(self) -> float:
        """Time the page's main thread has worked so far."""
        found = self.cdp.send("Performance.getMetrics")["metrics"]
        return 1000 * next(m["value"] for m in found if m["name"] == "TaskDuration")


def memory_mb(server: int) -> float:
    """Resident memory of a server and its workers."""
    return sum(_rss_kb(pid) for pid in (server, *_children(server))) / 1024


def _rss_kb(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text("utf-8")
    except OSError:  # ended meanwhile
        return 0
    return next((int(x.split()[1]) for x in status.splitlines() if x.startswith("VmRSS")), 0)


def _children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8")
    except OSError:
        return []
    direct = [int(child) for child in text.split()]
    return direct + [deeper for child in direct for deeper in _children(child)]


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
def server(file: Path, home: Path) -> Iterator[tuple[str, int]]:
    """Serve the workbench on `file`; yields its address and the process id."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = "from app.server.main import serve; "
    code += f"serve(__import__('pathlib').Path({str(file)!r}), {port})"
    launch = f"if __name__ == '__main__':\n    {code}\n"
    script = home / "serve.py"
    script.write_text(launch, "utf-8")
    os.environ["LAYERLOOM_HOME"] = str(home)  # so that `settle` asks for the same spare
    env = {**os.environ, "PYTHONPATH": str(ROOT), "LAYERLOOM_TOKEN": ""}
    command = [sys.executable, str(script)]
    process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/_stcore/health")
        yield address, process.pid
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


@contextmanager
def opened(blocks: int) -> Iterator[Bench]:
    """Open a project of so many blocks in a fresh server and browser."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder) / f"bench-{blocks}.loom.json"
        file.write_text(json.dumps(residual(blocks)), "utf-8")
        with opened_file(file, Path(folder)) as bench:
            yield bench


@contextmanager
def opened_file(file: Path, home: Path) -> Iterator[Bench]:
    """Open a project in a fresh server and browser."""
    with server(file, home) as (address, pid), sync_playwright() as play:
        arguments = ["--no-sandbox", "--disable-gpu", "--enable-precise-memory-info"]
        browser = play.chromium.launch(executable_path=chromium_path(), args=arguments)
        page = browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
        page.add_init_script(WATCH)
        try:
            page.goto(address)
            page.wait_for_selector(READY, timeout=120_000)
            settle()
            page.wait_for_timeout(1500)
            cdp = page.context.new_cdp_session(page)
            cdp.send("Performance.enable")
            yield Bench(page, cdp, pid)
        finally:
            browser.close()


def settle() -> None:
    """Wait for the spare of the next training, which the server makes in its first seconds."""
    end = time.monotonic() + SPARE_S
    while not warm_worker.ready() and time.monotonic() < end:
        time.sleep(0.5)


def select(page: Page, node: str, field: str) -> None:
    """Select a block and show the field of one of its settings."""
    page.get_by_test_id(f"node-{node}").click()
    if not page.get_by_test_id(field).is_visible():
        page.locator("details.more summary").first.click()
