"""The folder of a run as it tells its result, without a training."""

import json
from pathlib import Path
from typing import Any

from core.runs import checkpoint

EPOCHS = {"train_loss": [0.9, 0.3], "val_loss": [0.8, 0.4], "val_accuracy": [0.75, 0.9]}
BASELINE = {"metric": "val_accuracy", "value": 0.1, "rule": "always predicting “3”", "samples": 100}


def written(folder: Path, project: dict[str, Any], **more: Any) -> Path:
    """Write it. more: of spec.json."""
    folder.mkdir(parents=True)
    spec = {"project": project["name"], "data": project.get("data", {}), "params": 61_706}
    spec |= {"training": {"epochs": 2}, "task": "classification", **more}
    best = {"metric": "val_accuracy", "value": 0.9, "epoch": 2, "step": 8}
    status = {"state": "finished", "attempt": 1, "epoch": 2, "step": 8, "steps": 8,
              "elapsed_s": 78.4, "best": best}  # fmt: skip
    line = {"attempt": 1, "kind": "epoch", "epoch": [1, 2], "step": [4, 8], **EPOCHS}
    files = {"project.loom.json": project, "spec.json": spec, "status.json": status}
    for name, content in (*files.items(), ("baseline.json", BASELINE)):
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    weights = checkpoint.path_of(folder, "best")
    weights.parent.mkdir()
    weights.write_bytes(b"what is in it is not read")
    text = json.dumps(line, separators=(",", ":"))
    (folder / "metrics.jsonl").write_text(f"{text}\n", encoding="utf-8")
    return folder
