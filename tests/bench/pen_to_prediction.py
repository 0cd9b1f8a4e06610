"""How long from the pen to the prediction: a digit is drawn in Chromium, its answer is drawn there.

Run: python -m tests.bench.pen_to_prediction [--moves 60] [--networks LeNet]
(writes pen_to_prediction.md)
Each move of the pen is one pointer event; its time ends with the frame after the answer is in the
page, pictures on all blocks among it. Moves come one after the other, 30 ms after the last answer.
"values" is the worker's own part, asked without a browser: one sample on all blocks, in process. An
echo is a request that the server refuses at once, interleaved: what browser, network and server
alone cost on this machine now. On a loaded machine judge by what lies above the echo.
"""

import argparse
import json
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

from tests.bench.canvas_imported import imported
from tests.bench.workbench import ROOT, opened_file

OUT = Path(__file__).with_suffix(".md")
BARS_MS = {"LeNet": 50, "ResNet-18 at 64x64": 150}
VALUES_MS = {"LeNet": 100}
WARM = 5  # first moves, not counted
MEASURE = (ROOT / "tests" / "bench" / "pen_to_prediction.js").read_text("utf-8")

Times = dict[str, list[float]]


def lenet(folder: Path) -> Path:
    """LeNet on the digits, as the template has it."""
    file = folder / "lenet.loom.json"
    shutil.copy(ROOT / "projects" / "lenet_digits.loom.json", file)
    return file


def resnet(folder: Path) -> Path:
    """torchvision's ResNet-18, imported, for two classes of pictures of 64 x 64."""
    os.environ["LAYERLOOM_WORKSPACE"] = str(folder)  # where the pictures are looked for
    file = imported("resnet18", folder)
    project = json.loads(file.read_text("utf-8"))
    for kind in ("bright", "dark"):
        (folder / "pictures" / kind).mkdir(parents=True)
        for k in range(10):
            level = 40 + 10 * k + 100 * (kind == "bright")
            Image.new("RGB", (64, 64), (level, level, level)).save(
                folder / "pictures" / kind / f"{k}.png"
            )
    for node in project["graph"]["nodes"].values():
        if node.get("block") == "Input":
            node["settings"]["shape"] = [3, 64, 64]
        if node.get("block") == "Linear":
            node["settings"]["out_features"] = 2
    project["data"] = {"source": "ImageFolder", "root": "pictures"}
    file.with_name("resnet18.loom.safetensors").unlink(missing_ok=True)
    file.write_text(json.dumps(project), "utf-8")
    return file


NETWORKS: dict[str, Callable[[Path], Path]] = {"LeNet": lenet, "ResNet-18 at 64x64": resnet}


def drawn(make: Callable[[Path], Path], moves: int) -> Times:
    """Milliseconds of each move of the pen, of each echo, and of the worker's own part."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        file = make(folder)
        with opened_file(file, folder) as bench:
            page = bench.page
            page.get_by_test_id("toolbar-sample").click()
            page.get_by_test_id("sample-own").click(timeout=120_000)
            page.get_by_test_id("sample-surface").wait_for()
            found = page.evaluate(MEASURE, {"moves": moves + WARM})
        parts = ("pen", "echo")
        times = {part: [move[part] for move in found[WARM:]] for part in parts}
        return {**times, "values": values(file, moves)}


def values(file: Path, moves: int) -> list[float]:
    """Milliseconds of one sample on all blocks, in a process that has the network ready."""
    from core.insight.one_sample.asked import look

    ref = ("project", file.read_text("utf-8"), "")
    found: list[float] = []
    for move in range(moves + WARM):
        begin = time.perf_counter()
        look(ref, {"part": "validation", "index": move}, "")
        found.append(1000 * (time.perf_counter() - begin))
    return found[WARM:]


def p95(times: list[float]) -> float:
    """The time that 95 of 100 stay below."""
    return statistics.quantiles(times, n=20)[18]


def table(found: dict[str, Times], load: float) -> str:
    """The figures as Markdown, each beside its bar."""
    import torch

    lines = [
        "# From the pen to the prediction", "",
        f"Measured on {time.strftime('%Y-%m-%d')} by `python -m tests.bench.pen_to_prediction` "
        f"with torch {torch.__version__} in Chromium on {os.cpu_count()} processors, load before: "
        f"{load:.1f}. Milliseconds.", "",
        "| | pen p50 | pen p95 | bar for p95 | echo p50 | echo p95 | values p50 | values p95 |",
        "|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for name, times in found.items():
        pen, echo, own = times["pen"], times["echo"], times["values"]
        numbers = [statistics.median(pen), p95(pen), statistics.median(echo), p95(echo),
                   statistics.median(own), p95(own)]  # fmt: skip
        told = [f"{n:.1f}" for n in numbers]
        lines.append(f"| {name} | {told[0]} | {told[1]} | < {BARS_MS[name]} | "
                     f"{' | '.join(told[2:])} |")  # fmt: skip
    lines += ["", "pen: from the pointer's event to the frame with the answer and a picture on "
              "every block; echo: a request that the server refuses, for what browser and server "
              f"cost alone; values: the worker's part (bar for LeNet: < {VALUES_MS['LeNet']}).",
              ""]  # fmt: skip
    return "\n".join(lines)


def measured(moves: int, networks: tuple[str, ...] = tuple(NETWORKS)) -> dict[str, Any]:
    """The times of each network."""
    return {name: drawn(NETWORKS[name], moves) for name in networks}


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description="From the pen to the prediction.")
    parser.add_argument("--moves", type=int, default=60)
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=list(NETWORKS))
    given, load = parser.parse_args(), os.getloadavg()[0]
    text = table(measured(given.moves, tuple(given.networks)), load)
    OUT.write_text(text, "utf-8")
    print(text)  # noqa: T201  (what a benchmark is for)


if __name__ == "__main__":
    main()
