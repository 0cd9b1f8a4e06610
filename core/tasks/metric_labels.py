"""What metrics are called where people read them. Their keys in files stay as they are.

A key is PART_OF_METRIC, such as val_picture_mae: the validation part, the loss it is of (left out
for the first that is measured, and for the sum of all losses), and the metric. No torch is
imported here.
"""

from collections.abc import Mapping
from typing import Any

METRICS = {"accuracy": "accuracy", "loss": "loss", "mae": "mean absolute error", "r2": "R²",
           "f1": "F1", "iou": "intersection over union", "perplexity": "perplexity",
           "ler": "label error rate"}  # fmt: skip
PARTS = {"train": "training", "val": "validation"}
SHARES = ("accuracy", "iou", "ler")
Aims = Mapping[str, str]


def named_aims(spec: Mapping[str, Any]) -> dict[str, str]:
    """The words that a run keeps; {} for one with one loss, or older than they are."""
    found = spec.get("aims")
    given = found.items() if isinstance(found, dict) else ()
    return {name: words for name, words in given if isinstance(words, str)}


def quantity(key: str, aims: Aims | None = None) -> str:
    """A key without its part in words: "accuracy", "mean absolute error of picture"."""
    of, _, metric = key.rpartition("_")
    if metric not in METRICS:
        return key.replace("_", " ")
    whole = not of and metric == "loss"  # the sum of all losses
    name = "" if whole else (aims or {}).get(of, of)
    return f"{METRICS[metric]} of {name}" if name else METRICS[metric]


def metric_words(key: str, aims: Aims | None = None) -> str:
    """A key in words: "validation loss", "training accuracy of digit"."""
    part, _, rest = key.partition("_")
    return (
        f"{PARTS[part]} {quantity(rest, aims)}" if rest and part in PARTS else quantity(key, aims)
    )


def is_share(key: str) -> bool:
    """Whether a metric is a share of a whole, which people read in per cent."""
    return key.endswith(SHARES)


def judged_by(by: str, aims: Aims | None = None) -> str:
    """What chooses the best checkpoint, in words."""
    return "the newest" if by == "last" else metric_words(by, aims)
