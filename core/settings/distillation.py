"""The setting distil: a teacher run whose predictions a run also learns from. Imports no torch."""

from collections.abc import Mapping
from typing import Any

from blocks.spec import Setting
from core.common.errors import TrainingError
from core.common.json_types import is_object
from core.settings.init_weights import WHICH, is_bare
from core.tasks.registry import has_one_class, losses_with

PLACE = "training.distil"
WEIGHTS, PROJECT = "teacher.safetensors", "teacher.loom.json"
"""Files of the teacher in a run folder: its weights under its own keys, and its project."""
SUITED = losses_with("teachable")
"""Losses of networks whose outputs are logits, or logarithms of probabilities."""
HINT = 'Write {"run": "NAME"}.'
DISTIL: tuple[Setting, ...] = (
    Setting(
        "temperature",
        "float",
        "Logits are divided by this before teacher and student are compared: the higher it is, the"
        " more the small probabilities of wrong classes count.",
        default=4.0,
        low=0.1,
        high=100.0,
    ),
    Setting(
        "alpha",
        "float",
        "Weight of the teacher in the loss; the rest is the weight of the targets.",
        default=0.9,
        low=0.0,
        high=1.0,
    ),
)


def read_distillation(value: Any, loss: str, task: str, several: bool) -> dict[str, Any] | None:
    """Check the setting; None: no teacher. Its numbers are checked by the caller against `DISTIL`.

    loss, task: of the training that it stands in. several: whether that has several losses.
    Raises TrainingError naming what it needs.
    """
    if value is None:
        return None
    if not is_object(value) or not isinstance(value.get("run"), str):
        raise TrainingError(PLACE, f"{PLACE} needs a run.", HINT)
    for key in value:
        if key not in ("run", "which", *(setting.name for setting in DISTIL)):
            raise TrainingError(PLACE, f"{PLACE} has no setting {str(key)[:60]!r}.", HINT)
    run, which = value["run"], value.get("which", "best")
    check_run_name(run)
    if which not in WHICH:
        message = f"{PLACE}.which needs best or last but receives {which!r:.60}."
        raise TrainingError(f"{PLACE}.which", message)
    _suits(loss, task, several)
    return {**value, "which": which}


def check_run_name(run: str) -> None:
    """Check a teacher's name as a text. Raises TrainingError."""
    if not is_bare(run):
        message = f"{PLACE}.run needs a name without folders but receives {run[:60]!r}."
        raise TrainingError(f"{PLACE}.run", message, HINT)


def _suits(loss: str, task: str, several: bool) -> None:
    if not has_one_class(task) or several:
        reason = "several losses" if several else f"the task {task}"
        message = (
            f"A teacher needs a classification task with one loss, but this project has {reason}."
        )
        raise TrainingError(PLACE, message, "Remove the teacher, or choose a class as the target.")
    if loss not in SUITED:
        message = f"A teacher needs a student with {' or '.join(SUITED)} but the loss is {loss}."
        raise TrainingError(PLACE, message, "Change the loss, or remove the teacher.")


def describe(spec: Mapping[str, Any]) -> str:
    """One sentence on the teacher of a run and its weight in the loss."""
    teacher, setting = spec["teacher"], spec["training"]["distil"]
    right = f", accuracy {teacher['accuracy']:.1%}" if teacher["accuracy"] is not None else ""
    note = f" {teacher['note']}" if teacher["note"] else ""
    share = f"{setting['alpha']:.0%} of the loss (alpha {setting['alpha']:g})"
    return (
        f"Learns from {teacher['from']}{right}: {share} at temperature {setting['temperature']:g}."
        f" Validation uses the targets alone.{note}"
    )
