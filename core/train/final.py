"""What a run comes to: final.json, and the settings that led there."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import checkpoint
from .engine import Engine
from .record import number

MAIN = ("loss", "optimizer", "lr", "epochs", "batch_size", "seed", "clip_norm",
        "clip_value")  # fmt: skip


def final_record(run_dir: Path, status: Mapping[str, Any], engine: Engine) -> dict[str, Any]:
    """Final and best metrics, checkpoints, and where the time went."""
    return {
        "state": status["state"],
        "attempt": status["attempt"],
        "epoch": engine.epoch,
        "step": engine.step,
        "metrics": status["metrics"],
        "best": shown_best(engine.best),
        "checkpoints": checkpoint.good(run_dir),
        "exact": status.get("exact", True),
        "time": {
            "elapsed_s": status["elapsed_s"],
            "validation_s": round(engine.validation_s, 3),
            "steps_per_s": status.get("steps_per_s"),
        },
    }


def shown_best(best: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The best epoch as pages show it."""
    if not best:
        return None
    found = {k: best[k] for k in ("metric", "epoch", "step")} | {"value": number(best["value"])}
    return found | {"metrics": {k: number(v) for k, v in best["metrics"].items()}}


def main_settings(training: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that TensorBoard compares runs by."""
    found = {name: training[name] for name in MAIN}
    return found | {"scheduler": (training["scheduler"] or {}).get("name", "none")}
