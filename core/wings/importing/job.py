"""An import for the page, in a worker process: progress, project and weights as files.

progress.json: the current step and the fraction done. Then project.loom.json and
weights.safetensors, then report.json: a summary, rewritten with each verdict. When report.json
exists, the other two are complete.
"""

import importlib
import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import torch

from core.common.errors import ImportRefused
from core.project import write_text
from core.project.comparison import Comparison, OutputComparison, as_json
from core.project.inputs import read_input
from core.wings.importing.limits import import_limit
from core.wings.importing.pipeline import ImportResult, import_model
from core.wings.importing.tracing.model_call import InputSpec
from core.wings.importing.verify.equivalence import NAMES

REPORT_FILE = "report.json"


def preload() -> None:
    """Import the modules that nearly every import needs."""
    importlib.import_module("torchvision.models")


def run(request: dict[str, Any], folder: str) -> dict[str, Any]:
    """Run the import that a request describes and write it into a folder; returns report.json's
    contents.

    A refusal is returned as {"refused": message, "hint", "offers": options that would draw it}.
    request: {"source": "torchvision:NAME"} or {"file": path, "name": NAME.onnx}, and optionally
    "inputs" as `--input` has them, "pretrained", "heads", "specialise", "own_python",
    "keep_unused", "threads" for torch, and "behind": the increment of niceness once it is drawn.
    """
    home = Path(folder)
    torch.set_num_threads(int(request.get("threads", 1)))
    inputs = InputSpec(tuple(read_input(text) for text in request.get("inputs", ())))
    source: str | bytes = request.get("source", "")
    if "file" in request:
        source = Path(request["file"]).read_bytes()

    def say(step: str, part: float) -> None:
        write_json(home / "progress.json", {"step": step, "part": part})

    news = JobReport(home, int(request.get("behind", 0)))
    location = str(request.get("name") or request.get("source"))
    try:
        with import_limit(location):
            import_model(
                source,
                inputs,
                bool(request.get("pretrained")),
                str(request.get("name", "")),
                say,
                bool(request.get("heads")),
                news.add_drawing,
                news.add_verdict,
                bool(request.get("specialise")),
                bool(request.get("own_python")),
                bool(request.get("keep_unused")),
            )
    except ImportRefused as error:
        message = f"{error.place} {error.message}"
        return {"refused": message, "hint": error.advice, "offers": list(error.offers)}
    return news.write(seconds=news.seconds())


class JobReport:
    """The contents of report.json so far."""

    def __init__(self, home: Path, behind: int) -> None:
        self.home, self.behind, self.begun = home, behind, time.perf_counter()
        self.contents: dict[str, Any] = {}
        self.comparison = Comparison(awaited=NAMES)

    def add_drawing(self, result: ImportResult) -> None:
        """Write project and weights, with the same file permissions."""
        project, weights = self.home / "project.loom.json", self.home / "weights.safetensors"
        project.write_text(write_text(result.imported.project), encoding="utf-8")
        result.write_weights(weights)
        shutil.copymode(project, weights)
        self.write(**summary(result), drawn=self.seconds())
        if self.behind:
            os.nice(self.behind)

    def add_verdict(self, verdict: OutputComparison) -> None:
        """Add a verdict."""
        self.comparison = self.comparison.heard(verdict)
        self.write()

    def seconds(self) -> float:
        """Seconds since the import began."""
        return round(time.perf_counter() - self.begun, 1)

    def write(self, **more: Any) -> dict[str, Any]:
        """Write the contents with further entries."""
        self.contents |= {**more, "comparison": as_json(self.comparison)}
        write_json(self.home / REPORT_FILE, self.contents)
        return self.contents


def write_json(path: Path, contents: Any) -> None:
    """Write a small file atomically."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(contents), encoding="utf-8")
    part.replace(path)


def summary(result: ImportResult) -> dict[str, Any]:
    """The summary of an import before it is compared."""
    imported, report = result.imported, result.report
    return {
        "name": result.name,
        "shapes": [list(shape) for shape in result.shapes],
        "decisions": list(imported.decisions),
        "specialised": list(imported.specialised),
        "idle": list(imported.idle),
        "unused": list(imported.unused),
        "renamed": len(imported.keys),
        "begins": result.starts_from_weights,
        "notes": list(result.notes),
        "params": report.total_params,
        "blocks": len(report.nodes),
        "composites": len(imported.project.graph.composites),
        "lines": len((report.source or "").splitlines()),
    }
