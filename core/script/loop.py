"""The loop of a training file: epoch by epoch its steps, what is kept and printed, when it ends.

The steps are the text that a run executes. It ends early as `patience` says, or `max_minutes`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.engine.step_text import step_text
from core.script.learning import Learning
from core.source.fold import Slots
from core.source.literal import literal


@dataclass(frozen=True)
class Epoch:
    """What an epoch ends with. begins: lines before the first. told: printed and kept. ends: after
    the last one."""

    begins: list[str]
    validate: list[str]
    told: list[str]
    ends: str


def loop(learning: Learning, steps: list[str], found: Epoch, keep: str) -> list[str]:
    """The loop over epochs: train, validate, print, save the best weights.

    steps: what an epoch learns with. keep: a statement after each epoch that keeps its numbers, for
    curves.
    """
    body = [
        "batches.set_epoch(epoch)",
        *steps,
        *found.validate,
        *_scheduled(learning),
        *([keep] if keep else []),
        *found.told,
        *time_ends(learning),
    ]
    return [
        *found.begins,
        *time_begins(learning),
        f"for epoch in range({learning.names.epochs}):",
        *(f"    {line}" for line in body),
        found.ends,
    ]


def _scheduled(learning: Learning) -> list[str]:
    """Lines that move a schedule which counts epochs."""
    if learning.per != "epoch":
        return []
    schedule = learning.training["scheduler"]
    plateau = bool(schedule) and schedule["name"] == "ReduceLROnPlateau"
    call = f"scheduler.step({'val_loss' if plateau else ''})"
    return ["for scheduler in schedulers:", f"    {call}"] if learning.matrices else [call]


def patience_begins(learning: Learning, right: str) -> list[str]:
    """What it counts from. right: the share of right answers, "" where the loss counts."""
    if not _patience(learning):
        return []
    first = 'float("-inf")' if right else 'float("inf")'
    return ["best_epoch = 0", *([f"reached = {first}"] if _least(learning) else [])]


def patience_anew(learning: Learning) -> list[str]:
    """What a new best epoch means for it."""
    return ["    best_epoch = epoch"] if _patience(learning) and not _least(learning) else []


def patience_ends(learning: Learning, right: str) -> list[str]:
    """Whether the epoch was the last one."""
    patience, least = _patience(learning), _least(learning)
    if not patience:
        return []
    better = f"{right} > reached + {least}" if right else f"val_loss < reached - {least}"
    moved = [f"if {better}:", f"    reached, best_epoch = {right or 'val_loss'}, epoch"]
    end = [f"if epoch - best_epoch >= {patience}:", "    break"]
    return [*(moved if least else []), *end]


def time_begins(learning: Learning) -> list[str]:
    """When its time is over."""
    minutes = learning.training["max_minutes"]
    return [] if minutes is None else [f"stop_at = time.monotonic() + 60 * {literal(minutes)}"]


def time_ends(learning: Learning) -> list[str]:
    """Lines after an epoch, whole or not, that make it the last one once the time is over."""
    if not learning.limited:
        return []
    said = f"Its {learning.training['max_minutes']:g} minutes are over."
    return ["if time.monotonic() >= stop_at:", f'    print("{said}")', "    break"]


def imports(training: Mapping[str, Any]) -> tuple[str, ...]:
    """The import line that a time limit needs."""
    return () if training["max_minutes"] is None else ("import time",)


def _patience(learning: Learning) -> int | None:
    return None if learning.newest else learning.training["patience"]


def _least(learning: Learning) -> str:
    least = learning.training["min_delta"]
    return literal(least) if least else ""


def step_lines(
    learning: Learning,
    batch: str,
    compute: Sequence[str],
    total: str,
    first: str,
    losses: Sequence[Slots] = (),
) -> list[str]:
    """The loop over an epoch's batches.

    batch: names of what the loader gives. compute: lines from there to the loss. total: all losses
    together; first: what is as long as the batch. losses: as for `step_text`.
    """
    *prepare, last = compute
    loss, _, call = last.partition(" = ")
    slots: Slots = {
        "BATCH": batch,
        "PREPARE": prepare,
        "LOSS": loss,
        "COMPUTE": call,
        "PARAMETERS": "model.parameters()",
        "TOTAL": total,
        "FIRST": first,
    }
    head, *body = step_text(learning.training, slots, losses)
    return [head, *(line for text in body for line in _broken(learning, text))]


def _broken(learning: Learning, text: str) -> list[str]:
    """A line of the loop, broken where it is too long for its place: in the loop over epochs."""
    deep = " " * (4 + len(text) - len(text.lstrip()))
    return [line.removeprefix("    ") for line in learning.lines(text.lstrip(), deep)]
