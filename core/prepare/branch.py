"""Branch: a new run that continues from a checkpoint of another, which stays unchanged."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.common.errors import RunError, TrainingError
from core.prepare.create import prepare
from core.runs import checkpoint, checkpoint_records
from core.runs.files import BEFORE, MODES, THREADS, read_json, write_json

FREE = (
    "patience",
    "min_delta",
    "max_minutes",
    "checkpoint_every_s",
    "keep_best",
    "histograms",
    "on_not_finite",
)
"""Settings that the state of a run does not depend on."""
PLANNED = ("epochs", "lr")
"""Settings that may change unless a schedule depends on them."""


@dataclass(frozen=True)
class BranchPoint:
    """A checkpoint that a run can branch off."""

    which: str
    epoch: int
    step: int


def branch_points(run_dir: Path) -> list[BranchPoint]:
    """Complete checkpoints of a run: the latest, the previous one, then its best epochs."""
    points: list[BranchPoint] = []
    for which in ("last", "previous", *checkpoint.epochs(run_dir)):
        entry = checkpoint_records.recorded(Path(run_dir), which)
        if entry and (Path(run_dir) / "ckpt" / f"{which}.pt").is_file():
            points.append(BranchPoint(which, entry["epoch"], entry["step"]))
    return points


def branch(run_dir: Path, which: str = "last", changes: Mapping[str, Any] | None = None) -> Path:
    """Make the folder of a run that continues from a checkpoint of another, ready to start.

    Without changes it ends as the other would: bit for bit on the same machine. Its spec says
    where it comes from: {"run", "checkpoint", "epoch", "step", "changes"}.
    Raises CheckpointError for a checkpoint that is not whole; TrainingError for a change that the
    state of the run does not allow.
    """
    from core.engine.load_module import load_network  # imports torch, which a page does not

    run_dir, changes = Path(run_dir), dict(changes or {})
    before = read_json(run_dir / "spec.json").get("training", {})
    _check_changes(run_dir.name, before, changes)
    state = checkpoint.load(run_dir, which)
    if "optimizers" not in state:
        message = (
            f"The {which} checkpoint of {run_dir.name} contains only weights, no optimiser state."
        )
        hint = "Choose another checkpoint, or set keep_best to 2 or more before training."
        raise RunError(run_dir.name, message, hint)
    _check_epochs(run_dir.name, changes.get("epochs", before.get("epochs", 0)), state)
    network = load_network(run_dir)
    document = str(read_json(run_dir / "spec.json").get("document", ""))
    new = prepare(network.project, network.report, run_dir.parent, changes, run_dir, document)
    _copy_state(run_dir, new, state, changes["lr"] / before["lr"] if "lr" in changes else 1.0)
    origin = {"run": run_dir.name, "checkpoint": which, "epoch": state["epoch"]}
    origin |= {"step": state["step"], "changes": changes}
    write_json(new / "spec.json", {**read_json(new / "spec.json"), "branch": origin}, durable=True)
    return new


def _check_changes(name: str, before: Mapping[str, Any], changes: Mapping[str, Any]) -> None:
    schedule = (before.get("scheduler") or {}).get("name", "")
    for key, value in changes.items():
        if key not in (*FREE, *PLANNED):
            message = (
                f"A branch continues with the optimiser and data of {name}, so {key} cannot change."
            )
            raise TrainingError(
                key, message, f"Change {', '.join((*PLANNED, *FREE))}, or start a new run."
            )
        if key == "lr" and not before.get("lr"):
            message = f"The learning rate of {name} is 0, so it cannot be scaled to another rate."
            raise TrainingError(key, message, "Start a new run with another learning rate.")
        planned = schedule or ("the warm-up" if before.get("warmup") else "")
        if key in PLANNED and planned and value != before.get(key):
            message = f"{planned} of {name} depends on its {key}, so {key} cannot change."
            raise TrainingError(key, message, "Start a new run with another schedule.")


def _check_epochs(name: str, epochs: int, state: Mapping[str, Any]) -> None:
    if state["epoch"] >= epochs:
        message = f"{name} had finished its {epochs} epochs at that checkpoint."
        raise TrainingError("epochs", message, f"Give the branch more than {epochs} epochs.")


def _copy_state(run_dir: Path, new: Path, state: dict[str, Any], factor: float) -> None:
    """Put the checkpoint, and what was written up to it, into the new folder."""
    for optimiser in state["optimizers"]:
        for group in optimiser["param_groups"]:
            group["lr"] = group["lr"] * factor if factor != 1.0 else group["lr"]
    (new / "ckpt").mkdir(exist_ok=True)
    best = (state.get("best") or {}).get("step")
    own = "best" in checkpoint.intact(run_dir) and checkpoint.load(run_dir, "best")
    if best is not None and own and own["step"] == best:
        checkpoint.save(new, "best", own)
    else:
        state["best"] = None  # its weights are gone: the next epoch is the best one again
    state["top"] = []
    checkpoint.save(new, "last", state)
    for name, to in (("metrics.jsonl", BEFORE), (THREADS, THREADS), (MODES, MODES)):
        if (run_dir / name).exists():
            shutil.copyfile(run_dir / name, new / to)
