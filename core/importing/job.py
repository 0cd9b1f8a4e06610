"""An import for the page, in a process of its own: progress, project and weights as files.

The folder gets progress.json while the model is drawn (what is being done, the part behind it),
then project.loom.json and weights.safetensors, then told.json: it says all that is known, and
every verdict as it is reached. Whoever finds told.json finds the others whole.
"""

import importlib
import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import torch

from core.errors import ImportRefused
from core.importing.limits import import_limit
from core.importing.pipeline import Whole, import_whole
from core.importing.tracing.model_call import Given
from core.importing.verify.equivalence import NAMES
from core.project import write_text
from core.project.comparison import Comparison, Verdict, as_json
from core.project.inputs import read_input

TOLD = "told.json"


def ready() -> None:
    """Import what nearly every import needs, before it is asked for."""
    importlib.import_module("torchvision.models")


def run(request: dict[str, Any], folder: str) -> dict[str, Any]:
    """Import what a request says and write it into a folder; returns what told.json says.

    A refusal is told as {"refused": the sentence, "hint", "offers": options that would draw it}.
    request: {"source": "torchvision:NAME"} or {"file": path, "name": NAME.onnx}, and optionally
    "inputs" as `--input` has them, "pretrained", "heads", "specialise", "own_python", "threads"
    to compute with, and "behind": by how much it steps back behind what else runs, once drawn.
    """
    home = Path(folder)
    torch.set_num_threads(int(request.get("threads", 1)))
    given = Given(tuple(read_input(text) for text in request.get("inputs", ())))
    source: str | bytes = request.get("source", "")
    if "file" in request:
        source = Path(request["file"]).read_bytes()

    def say(step: str, part: float) -> None:
        write_json(home / "progress.json", {"step": step, "part": part})

    news = News(home, int(request.get("behind", 0)))
    place = str(request.get("name") or request.get("source"))
    try:
        with import_limit(place):
            import_whole(
                source, given, bool(request.get("pretrained")), str(request.get("name", "")), say,
                bool(request.get("heads")), news.drawn, news.heard,
                bool(request.get("specialise")), bool(request.get("own_python")),
            )  # fmt: skip
    except ImportRefused as error:
        said = f"{error.place} {error.message}"
        return {"refused": said, "hint": error.advice, "offers": list(error.offers)}
    return news.tell(seconds=news.seconds())


class News:
    """What is known so far, as a file."""

    def __init__(self, home: Path, behind: int) -> None:
        self.home, self.behind, self.begun = home, behind, time.perf_counter()
        self.known: dict[str, Any] = {}
        self.comparison = Comparison(awaited=NAMES)

    def drawn(self, whole: Whole) -> None:
        """Keep the drawing and the weights, readable by who may read the one."""
        project, weights = self.home / "project.loom.json", self.home / "weights.safetensors"
        project.write_text(write_text(whole.found.project), encoding="utf-8")
        whole.write_weights(weights)
        shutil.copymode(project, weights)
        self.tell(**told(whole), drawn=self.seconds())
        if self.behind:
            os.nice(self.behind)

    def heard(self, verdict: Verdict) -> None:
        """Tell one verdict more."""
        self.comparison = self.comparison.heard(verdict)
        self.tell()

    def seconds(self) -> float:
        """Since the import began."""
        return round(time.perf_counter() - self.begun, 1)

    def tell(self, **more: Any) -> dict[str, Any]:
        """Write what is known, with something more."""
        self.known |= {**more, "comparison": as_json(self.comparison)}
        write_json(self.home / TOLD, self.known)
        return self.known


def write_json(path: Path, found: Any) -> None:
    """Write a small file that is never seen half."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(found), encoding="utf-8")
    part.replace(path)


def told(whole: Whole) -> dict[str, Any]:
    """What people want to know of an import, before it is compared."""
    found, report = whole.found, whole.report
    return {
        "name": whole.name,
        "shapes": [list(shape) for shape in whole.shapes],
        "decisions": list(found.decisions),
        "specialised": list(found.specialised),
        "idle": list(found.idle),
        "unused": list(found.unused),
        "renamed": len(found.keys),
        "begins": whole.begins,
        "notes": list(whole.notes),
        "params": report.total_params,
        "blocks": len(report.nodes),
        "composites": len(found.project.graph.composites),
        "lines": len((report.source or "").splitlines()),
    }
