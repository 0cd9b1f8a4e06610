"""Cross-validation: a sweep whose trials validate on one fold each, so that only means compare.

Kohavi (1995), "A study of cross-validation and bootstrap for accuracy estimation": every sample
validates once, and the spread over folds says how much chance there is in one split.
"""

from collections.abc import Mapping, Sequence
from statistics import mean, stdev
from typing import Any

from core.common.errors import SweepError
from core.data.sources.split_settings import MOST_FOLDS
from core.wings.sweep import search_space

FOLD, FOLDS = "data.fold", "data.folds"
Rows = Sequence[Mapping[str, Any]]


def request(
    folds: int, search: Sequence[str], fixed: Mapping[str, Any]
) -> tuple[list[str], dict[str, Any], int]:
    """What a sweep over all folds searches, what it fixes, and how many trials that is.

    search: what is searched besides, each value with all folds. Raises SweepError where that
    cannot be counted.
    """
    if not 2 <= folds <= MOST_FOLDS:
        message = f"--folds needs a whole number from 2 to {MOST_FOLDS} but receives {folds}."
        raise SweepError("folds", message, "The usual values are 5 and 10.")
    space = [search_space.read(text) for text in search]
    if endless := next((each for each in space if each.count == float("inf")), None):
        message = (
            f"{endless} is a continuous range, but with folds every value is tried on each fold."
        )
        raise SweepError(endless.key, message, f"Write {endless.key}=A,B or LOW..HIGH:STEP.")
    trials = folds
    for each in space:
        trials *= int(each.count)
    numbers = ",".join(str(fold) for fold in range(1, folds + 1))
    return [*search, f"{FOLD}={numbers}"], {**fixed, FOLDS: folds}, trials


def summaries(rows: Rows, maximise: bool) -> list[dict[str, Any]]:
    """Mean and spread over the folds for each choice of the other settings, the best mean first.

    rows: trials as `results.row` writes them. `spread` is the standard deviation (n - 1), None of
    one fold; {} where no trial names a fold.
    """
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if FOLD in row["settings"] and row["value"] is not None:
            groups.setdefault(search_space.settings_text(_others(row)), []).append(row)
    found: list[dict[str, Any]] = []
    for group in groups.values():
        values = [float(row["value"]) for row in group]
        spread = stdev(values) if len(values) > 1 else None
        one = {"settings": _others(group[0]), "mean": mean(values), "spread": spread}
        found.append(one | {"folds": len(values), "trial": group[0]["trial"]})
    return sorted(found, key=lambda one: -one["mean"] if maximise else one["mean"])


def _others(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row["settings"].items() if key != FOLD}


def best_of(rows: Rows, means: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The trial that stands for the best mean: its settings without the fold, the mean its value.

    means: as `summaries` gives them.
    """
    if not means:
        return None
    first = next(row for row in rows if row["trial"] == means[0]["trial"])
    return {**first, "settings": means[0]["settings"], "value": means[0]["mean"]}
