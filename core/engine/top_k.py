"""Top-k epochs by a monitored metric, as ModelCheckpoint's save_top_k of Lightning."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.tasks.metric_labels import higher_is_better


def ranked_epoch(metrics: Mapping[str, float], by: str, epoch: int, step: int) -> dict[str, Any]:
    """An epoch's metrics with the rank that makes it better than others: the lower, the better.

    by: val_loss, val_accuracy or val_balanced (of equals, the surer) or last (the newest).
    metrics: kept as they are, for whatever shows them later.
    """
    if by == "last":
        rank, value = [-epoch], epoch
    elif higher_is_better(by):
        rank, value = [-metrics[by], metrics["val_loss"]], metrics[by]
    else:
        rank, value = [metrics[by]], metrics[by]
    entry = {"metric": by, "value": value, "rank": rank, "metrics": metrics}
    return entry | {"epoch": epoch, "step": step}


def is_better(entry: Mapping[str, Any], before: Mapping[str, Any] | None, by: float = 0.0) -> bool:
    """Whether an epoch is better than another, or none, by more than so much of what is measured.

    One that could not be measured is worse than any.
    """
    if not before or before["rank"][0] != before["rank"][0]:
        return True
    if not by or entry["metric"] == "last":
        return entry["rank"] < before["rank"]
    return entry["rank"][0] < before["rank"][0] - by


def insert_ranked(
    top: Sequence[dict[str, Any]], entry: Mapping[str, Any], keep: int
) -> list[dict[str, Any]]:
    """The top `keep` epochs, best first; among equals the earlier one first (a stable sort)."""
    own = {name: entry[name] for name in ("metric", "value", "rank", "epoch", "step")}
    finite = all(number == number for number in own["rank"])
    return sorted([*top, own] if finite else top, key=lambda p: p["rank"])[:keep]
