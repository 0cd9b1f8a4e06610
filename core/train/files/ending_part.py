"""The lines of a training file that end it once epochs get no better, as `patience` says."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.source.literal import literal

if TYPE_CHECKING:
    from core.train.files.training_part import Learning


@dataclass(frozen=True)
class Epoch:
    """What an epoch ends with. begins: lines before the first. told: printed and kept. ends: after
    the last one."""

    begins: list[str]
    validate: list[str]
    told: list[str]
    ends: str


def patience_begins(learning: "Learning", right: str) -> list[str]:
    """What it counts from. right: the share of right answers, "" where the loss counts."""
    if not _patience(learning):
        return []
    first = 'float("-inf")' if right else 'float("inf")'
    return ["best_epoch = 0", *([f"reached = {first}"] if _least(learning) else [])]


def patience_anew(learning: "Learning") -> list[str]:
    """What a new best epoch means for it."""
    return ["    best_epoch = epoch"] if _patience(learning) and not _least(learning) else []


def patience_ends(learning: "Learning", right: str) -> list[str]:
    """Whether the epoch was the last one."""
    patience, least = _patience(learning), _least(learning)
    if not patience:
        return []
    better = f"{right} > reached + {least}" if right else f"val_loss < reached - {least}"
    moved = [f"if {better}:", f"    reached, best_epoch = {right or 'val_loss'}, epoch"]
    end = [f"if epoch - best_epoch >= {patience}:", "    break"]
    return [*(moved if least else []), *end]


def _patience(learning: "Learning") -> int | None:
    return None if learning.newest else learning.training["patience"]


def _least(learning: "Learning") -> str:
    least = learning.training["min_delta"]
    return literal(least) if least else ""
