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
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

from core.common.network_ref import ProjectRef
from tests.bench.workbench import ROOT, opened_file

OUT = Path(__file__).with_suffix(".md")
BARS_MS = {"LeNet": 50, "ResNet-18 at 64x64": 150}
VALUES_MS = {"LeNet": 100, "ResNet-50 at 224x224": 1500}
WARM = 5  # first moves, not counted
MEASURE = (ROOT / "tests" / "bench" / "pen_to_prediction.js").read_text("utf-8")

Times = dict[str, list[float]]


def imported(name: str, folder: Path) -> Path:
    """Import a model of torchvision with random weights."""
    file = folder / f"{name}.loom.json"
    command = [sys.executable, "-m", "app.cli", "import", f"torchvision:{name}", "-o", str(file)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "LAYERLOOM_HOME": str(folder),
           "LAYERLOOM_TOKEN": ""}  # fmt: skip
    quiet = subprocess.DEVNULL
    subprocess.run(command, cwd=folder, env=env, check=True, stdout=quiet, stderr=quiet)
    return file


def lenet(folder: Path) -> Path:
    """LeNet on the digits, as the template has it."""
    file = folder / "lenet.loom.json"
    shutil.copy(ROOT / "projects" / "lenet_digits.loom.json", file)
    return file


def resnet(folder: Path, name: str = "resnet18", side: int = 64) -> Path:
    """A ResNet of torchvision, imported, for two classes of pictures of side x side."""
    os.environ["LAYERLOOM_WORKSPACE"] = str(folder)  # where the pictures are looked for
    file = imported(name, folder)
    project = json.loads(file.read_text("utf-8"))
    for kind in ("bright", "dark"):
        (folder / "pictures" / kind).mkdir(parents=True)
        for k in range(10):
            level = 40 + 10 * k + 100 * (kind == "bright")
            picture = Image.new("RGB", (side, side), (level, level, level))
            picture.save(folder / "pictures" / kind / f"{k}.png")
    for node in project["graph"]["nodes"].values():
        if node.get("block") == "Input":
            node["settings"]["shape"] = [3, side, side]
        if node.get("block") == "Linear":
            node["settings"]["out_features"] = 2
    project["data"] = {"source": "ImageFolder", "root": "pictures"}
    for weights in folder.glob("*.safetensors"):  # those of a thousand classes
        weights.unlink()
    file.write_text(json.dumps(project), "utf-8")
    return file


def resnet50(folder: Path) -> Path:
    """The one whose values are asked for without a pen."""
    return resnet(folder, "resnet50", 224)


NETWORKS: dict[str, Callable[[Path], Path]] = {"LeNet": lenet, "ResNet-18 at 64x64": resnet}
ASKED_ONLY: dict[str, Callable[[Path], Path]] = {"ResNet-50 at 224x224": resnet50}
ALL = (*NETWORKS, *ASKED_ONLY)


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


def asked(make: Callable[[Path], Path], moves: int) -> Times:
    """Milliseconds of the worker's own part alone."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        return {"values": values(make(Path(name)), moves)}


def values(file: Path, moves: int) -> list[float]:
    """Milliseconds of one sample on all blocks, in a process that has the network ready."""
    import torch

    from core.insight.one_sample.api import look

    torch.set_num_threads(1)  # as the workbench's own processes have it
    ref = ProjectRef(file.read_text("utf-8"))
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
        "| | pen p50 | pen p95 | bar | echo p50 | echo p95 | values p50 | values p95 | bar |",
        "|---|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    lines += [_row(name, times) for name, times in found.items()]
    lines += ["", "pen: from the pointer's event to the frame with the answer and a picture on "
              "every block; echo: a request that the server refuses, for what browser and server "
              "cost alone; values: one sample on all blocks, the worker's part.", ""]  # fmt: skip
    return "\n".join(lines)


def _row(name: str, times: Times) -> str:
    cells = [name]
    for part, bar in (("pen", BARS_MS.get(name)), ("echo", None), ("values", VALUES_MS.get(name))):
        both = (statistics.median, p95) if part in times else ()
        cells += [f"{of(times[part]):.1f}" for of in both] or ["", ""]
        cells += [] if part == "echo" else [f"< {bar}" if bar else ""]
    return f"| {' | '.join(cells)} |"


def measured(moves: int, networks: tuple[str, ...] = ALL) -> dict[str, Any]:
    """The times of each network."""
    found = {name: drawn(NETWORKS[name], moves) for name in networks if name in NETWORKS}
    return found | {n: asked(ASKED_ONLY[n], moves) for n in networks if n in ASKED_ONLY}


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description="From the pen to the prediction.")
    parser.add_argument("--moves", type=int, default=60)
    parser.add_argument("--networks", nargs="+", choices=ALL, default=list(ALL))
    given, load = parser.parse_args(), os.getloadavg()[0]
    text = table(measured(given.moves, tuple(given.networks)), load)
    OUT.write_text(text, "utf-8")
    print(text)  # noqa: T201  (what a benchmark is for)


if __name__ == "__main__":
    main()
