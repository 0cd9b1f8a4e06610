"""An import for the page, in a process of its own: progress, project and weights as files.

The folder gets progress.json while it runs (what is being done, the part behind it), then
project.loom.json and weights.safetensors. What is returned is JSON.
"""

import json
from pathlib import Path
from typing import Any

from core.importing.errors import ImportRefused
from core.importing.whole import Whole, import_whole
from core.project import write_text


def run(request: dict[str, Any], folder: str) -> dict[str, Any]:
    """Import what a request says and write it into a folder.

    A refusal is told as {"refused": the sentence, "hint"}.
    request: {"source": "torchvision:NAME"} or {"file": path, "name": NAME.onnx}, and optionally
    "shapes", "pretrained" and "heads".
    """
    home = Path(folder)
    shapes = [tuple(int(n) for n in shape) for shape in request.get("shapes", ())]
    source: str | bytes = request.get("source", "")
    if "file" in request:
        source = Path(request["file"]).read_bytes()

    def say(step: str, part: float) -> None:
        write_json(home / "progress.json", {"step": step, "part": part})

    try:
        found = import_whole(
            source, shapes, bool(request.get("pretrained")), str(request.get("name", "")), say,
            bool(request.get("heads")),
        )  # fmt: skip
    except ImportRefused as error:
        return {"refused": f"{error.place} {error.message}", "hint": error.hint}
    text = write_text(found.found.project)
    (home / "project.loom.json").write_text(text, encoding="utf-8")
    found.write_weights(home / "weights.safetensors")
    return told(found)


def write_json(path: Path, found: Any) -> None:
    """Write a small file that is never seen half."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(found), encoding="utf-8")
    part.replace(path)


def told(whole: Whole) -> dict[str, Any]:
    """What people want to know of an import."""
    found, report = whole.found, whole.report
    return {
        "name": whole.name,
        "shapes": [list(shape) for shape in whole.shapes],
        "verdicts": [{"name": v.name, "equal": v.equal, "note": v.note} for v in whole.judged],
        "specialised": list(found.specialised),
        "idle": list(found.idle),
        "unused": list(found.unused),
        "renamed": len(found.keys),
        "notes": list(whole.notes),
        "params": report.total_params,
        "blocks": len(report.nodes),
        "composites": len(found.project.graph.composites),
        "lines": len((report.source or "").splitlines()),
        "seconds": round(whole.seconds, 1),
    }
