"""The setting distil: a teacher run, whose answers a run learns from too. No torch is imported."""

from collections.abc import Mapping
from typing import Any

from blocks.spec import Setting
from core.errors import TrainingError
from core.json_types import is_object
from core.settings.init_weights import WHICH, is_bare
from core.tasks.registry import has_one_class

PLACE = "training.distil"
WEIGHTS, PROJECT = "teacher.safetensors", "teacher.loom.json"
"""What a run keeps of its teacher: its weights under the keys of its network, and its project."""
SUITED = ("CrossEntropyLoss", "NLLLoss")
"""Losses of networks whose outputs are logits, or logarithms of probabilities."""
HINT = 'Write {"run": "NAME"}.'
DISTIL: tuple[Setting, ...] = (
    Setting(
        "temperature",
        "float",
        "What logits are divided by before teacher and student are compared: the higher, the more"
        " the small chances of wrong classes count.",
        default=4.0,
        low=0.1,
        high=100.0,
    ),
    Setting(
        "alpha",
        "float",
        "Share of the teacher in the loss; the rest is for the truth.",
        default=0.9,
        low=0.0,
        high=1.0,
    ),
)


def read_distillation(value: Any, loss: str, task: str, several: bool) -> dict[str, Any] | None:
    """Check the setting; None: nobody teaches. Its numbers are left to whoever knows `DISTIL`.

    loss, task: of the training that it stands in. several: whether that has several losses.
    Raises TrainingError naming what it needs.
    """
    if value is None:
        return None
    if not is_object(value) or not isinstance(value.get("run"), str):
        raise TrainingError(PLACE, f"{PLACE} needs a run.", HINT)
    for key in value:
        if key not in ("run", "which", *(setting.name for setting in DISTIL)):
            raise TrainingError(PLACE, f"{PLACE} has nothing called {str(key)[:60]!r}.", HINT)
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
        message = f"A teacher teaches classes, told by one loss, but this project has {reason}."
        raise TrainingError(PLACE, message, "Take the teacher away, or tell classes.")
    if loss not in SUITED:
        message = f"A teacher needs a student with {' or '.join(SUITED)} but the loss is {loss}."
        raise TrainingError(PLACE, message, "Change the loss, or take the teacher away.")


def describe(spec: Mapping[str, Any]) -> str:
    """Who teaches a run, and how much of its loss that is."""
    teacher, setting = spec["teacher"], spec["training"]["distil"]
    right = f", {teacher['accuracy']:.1%} right" if teacher["accuracy"] is not None else ""
    note = f" {teacher['note']}" if teacher["note"] else ""
    share = f"{setting['alpha']:.0%} of the loss (alpha {setting['alpha']:g})"
    return (
        f"Learns from {teacher['from']}{right}: {share} at temperature {setting['temperature']:g}."
        f" Validation is by the truth alone.{note}"
    )
