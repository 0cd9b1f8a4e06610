"""Imported models on the canvas: how long until the drawing stands, how long an edit takes.

"Open" is a page opened anew on a warm server, from the address to the first frame with all shapes;
"again" the same once the server knows the model, as after a reload. The edit is a click on the bias
of the first convolution or linear layer, in the composite where it stands.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.bench.canvas_edit import MEASURE, WARM, summary_of
from tests.bench.workbench import READY, ROOT, Bench, opened_file, select

MODELS = ("resnet50", "densenet121", "vit_b_16", "swin_t", "googlenet", "deeplabv3_resnet50")
LAYERS = ("Conv2d", "Linear")
AGAIN = 5

Row = dict[str, float]


def imported(name: str, folder: Path) -> Path:
    """Import a model of torchvision with random weights."""
    file = folder / f"{name}.loom.json"
    command = [sys.executable, "-m", "app.cli", "import", f"torchvision:{name}", "-o", str(file)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "LAYERLOOM_HOME": str(folder),
           "LAYERLOOM_TOKEN": ""}  # fmt: skip
    quiet = subprocess.DEVNULL
    subprocess.run(command, cwd=folder, env=env, check=True, stdout=quiet, stderr=quiet)
    return file


def first_layer(project: dict[str, Any]) -> list[str]:
    """The uses to open, and the layer in the last of them, nearest to the top."""
    parts = project.get("composites", {})
    waiting: list[tuple[list[str], dict[str, Any]]] = [([], project["graph"]["nodes"])]
    while waiting:
        path, nodes = waiting.pop(0)
        for name, node in nodes.items():
            bias = node.get("settings", {}).get("bias", True)
            if node.get("block") in LAYERS and isinstance(bias, bool):
                return [*path, name]
        waiting += [([*path, n], parts[x["block"]]["nodes"]) for n, x in nodes.items()
                    if x.get("block") in parts]  # fmt: skip
    raise RuntimeError("The model has no convolution and no linear layer.")


def reopened(page: Page) -> float:
    """Milliseconds from the address to the frame that shows all shapes."""
    begin = time.perf_counter()
    page.reload(wait_until="commit")
    page.wait_for_selector(READY, timeout=120_000)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    return 1000 * (time.perf_counter() - begin)


def edited(bench: Bench, path: list[str], count: int) -> dict[str, float]:
    """Measure clicks on the bias of a layer, inside the composites that lead to it."""
    for use in path[:-1]:
        bench.page.get_by_test_id(f"node-{use}").dblclick(position={"x": 60, "y": 12})
        bench.page.wait_for_timeout(800)
    select(bench.page, path[-1], "setting-bias")
    values = ["x"] * (count + WARM)
    return summary_of(
        bench.page.evaluate(MEASURE, {"field": "setting-bias", "values": values})[WARM:]
    )


def one(name: str, count: int) -> Row:
    """Measure one model."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        file = imported(name, Path(home))
        project = json.loads(file.read_text("utf-8"))
        parts = project.get("composites", {}).values()
        nodes = sum(len(p["nodes"]) for p in (project["graph"], *parts))
        with opened_file(file, Path(home)) as bench:
            times = [reopened(bench.page) for _ in range(AGAIN)]
            bench.page.wait_for_timeout(1500)
            found = edited(bench, first_layer(project), count)
        return {"nodes": nodes, "open": statistics.median(times), **found}


def measure(names: tuple[str, ...] = MODELS, count: int = 20) -> dict[str, Row]:
    """Import, open and edit each model."""
    return {name: one(name, count) for name in names}


def table(found: dict[str, Row]) -> list[str]:
    """Write a line for each model."""
    if not found:
        return []
    lines = [
        "",
        "imported models, ms      nodes   open | edit p50   p95 | without the network    bar",
    ]
    for name, row in found.items():
        head = f"{name:24} {row['nodes']:5.0f} {row['open']:6.0f}"
        edit = f"{row['p50']:8.0f} {row['p95']:5.0f}"
        lines.append(f"{head} | {edit} | {row['p50 alone']:10.0f} {row['p95 alone']:8.0f}   <100")
    return [
        *lines,
        "  nodes: as drawn, each composite once; open: from the address to all shapes, page anew",
    ]
