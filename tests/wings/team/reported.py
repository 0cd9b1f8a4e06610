"""The folder of a run as a lab report reads it, and predictions of each kind: no training."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from core.insight.confusion_scores import scored
from core.insight.predictions import (
    ClassPrediction,
    EmbeddingMap,
    PairPrediction,
    TextPrediction,
)
from tests.wings.team.versions import lenet

CURVES = {
    "train_loss": [0.9, 0.3],
    "train_accuracy": [0.7, 0.95],
    "val_loss": [0.8, 0.4],
    "val_accuracy": [0.75, 0.9],
}
BASELINE = {
    "metric": "val_accuracy",
    "value": 0.1,
    "rule": "always predicting “3”",
    "others": [["always predicting “5”", 0.09]],
    "samples": 100,
}
PNG = b"\x89PNG\r\n\x1a\n"


def put(folder: Path, name: str, content: Any) -> None:
    """A file of the run."""
    (folder / name).write_text(json.dumps(content), "utf-8")


def run(
    folder: Path, project: dict[str, Any] | None = None, curves: Any = None, **spec: Any
) -> Path:
    """The folder of a run of LeNet that has finished its two epochs."""
    folder.mkdir(parents=True)
    project = project or lenet()
    data = {**project["data"], "summary": "1,797 handwritten digits."}
    training = {"loss": "CrossEntropyLoss", "optimizer": "AdamW", "lr": 0.003, "epochs": 2}
    put(folder, "project.loom.json", project)
    given = {"project": project["name"], "data": data, "training": training, "params": 61_706}
    put(folder, "spec.json", {**given, "task": "classification", **spec})
    put(folder, "baseline.json", BASELINE)
    finish(folder, curves or CURVES)
    return folder


def finish(folder: Path, curves: dict[str, list[float]], state: str = "finished") -> None:
    """Write what a run reached after so many epochs."""
    count = len(next(iter(curves.values())))
    values = {name: column[-1] for name, column in curves.items()}
    best = {"metric": "val_accuracy", "value": values["val_accuracy"], "epoch": count}
    status = {"state": state, "attempt": 1, "epoch": count, "step": 4 * count, "device": "cpu",
              "elapsed_s": 78.4, "best": {**best, "metrics": values}}  # fmt: skip
    put(folder, "status.json", status)
    line = {"attempt": 1, "kind": "epoch", "epoch": list(range(1, count + 1))}
    line["step"] = [4 * n for n in line["epoch"]]
    text = json.dumps({**line, **curves}, separators=(",", ":"))
    (folder / "metrics.jsonl").write_text(f"{text}\n", encoding="utf-8")


def predicted(folder: Path, epoch: int = 2) -> None:
    """Three digits with their classes, and the confusion matrix."""
    made = folder / "live" / "made"
    made.mkdir(parents=True)
    np.savez(
        made / f"{epoch:06d}.npz",
        asked=np.linspace(0, 1, 3 * 64).reshape(3, 1, 8, 8),
        answers_said=np.array([1, 0, 1]),
        answers_true=np.array([1, 0, 0]),
        answers_sure=np.array([0.9, 0.8, 0.6]),
        classes=np.array(["cat", "<b>dog</b>"]),
        matrix=np.array([[30, 5], [1, 64]]),
    )


KINDS: dict[str, Any] = {
    "samples": PNG,
    "pairs": ((PNG, PNG), (PNG, PNG)),
    "texts": (("To be", " or not"),),
    "masks": ((PNG, PNG, PNG),),
    "lines": (([1.0, 2.0], [1.5, 2.5]),),
    "numbers": ([1.0, 2.0, 3.0], [1.1, 2.2, 2.9]),
    "answers": (ClassPrediction(PNG, "", "cat", "dog", 0.75),),
    "matrix": scored([[3, 1], [0, 4]], ["cat", "dog"]),
    "pair_predictions": (PairPrediction((PNG, PNG), (0.4,), "same", "different"),),
    "embedding": EmbeddingMap([0.0, 1.0], [1.0, 0.0], [0, 1], ("cat", "dog"), (0.6, 0.3), 0.5),
    "text_predictions": (TextPrediction("2 may", "2026", "2025", (True,) * 4),),
}
"""An example of each kind of prediction."""
ABOUT = {"interval", "similar", "limit"}
"""What only says more of another kind."""
