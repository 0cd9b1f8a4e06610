"""Names of metrics for people. Their keys in files stay as they are.

A key is PART_OF_METRIC, such as val_picture_mae: the validation part, the loss it is of (left out
for the first that is measured, and for the sum of all losses), and the metric. No torch is
imported here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.json_types import is_object


@dataclass(frozen=True)
class MetricLabel:
    """How a metric is read: its words, in per cent, on a logarithmic axis."""

    words: str
    percent: bool = False
    logarithmic: bool = False


METRICS = {
    "accuracy": MetricLabel("accuracy", percent=True),
    "balanced": MetricLabel("balanced accuracy", percent=True),
    "recall": MetricLabel("recall", percent=True),
    "loss": MetricLabel("loss", logarithmic=True),
    "mae": MetricLabel("mean absolute error", logarithmic=True),
    "r2": MetricLabel("R²"),
    "f1": MetricLabel("F1", percent=True),
    "iou": MetricLabel("intersection over union", percent=True),
    "perplexity": MetricLabel("perplexity", logarithmic=True),
    "ler": MetricLabel("label error rate", percent=True),
    "coverage": MetricLabel("coverage", percent=True),
    "crossing": MetricLabel("crossing", percent=True),
}
HIGHER = ("accuracy", "balanced", "f1", "iou", "r2")
"""Metrics of which more is better."""
FEW_CLASSES = 10
"""Up to so many the recall of each is a metric of its own."""
LARGE = 1e9
"""Numbers from here on are written with an exponent."""
PARTS = {"train": "training", "val": "validation", "test": "test"}
Aims = Mapping[str, str]


def named_aims(spec: Mapping[str, Any]) -> dict[str, str]:
    """The words that a run keeps; {} for one with one loss, or older than they are."""
    found = spec.get("aims")
    given = found.items() if is_object(found) else ()
    return {name: words for name, words in given if isinstance(words, str)}


def higher_is_better(key: str) -> bool:
    """Whether more of a metric is better."""
    return key.rpartition("_")[2] in HIGHER


def recall_name(number: int) -> str:
    """The key of the recall of a class, without its part: "class3_recall"."""
    return f"class{number}_recall"


def class_aims(classes: Sequence[str]) -> dict[str, str]:
    """The words that keys of recalls stand for."""
    if len(classes) > FEW_CLASSES:
        return {}
    return {f"class{number}": f"“{name}”" for number, name in enumerate(classes)}


def quantity(key: str, aims: Aims | None = None) -> str:
    """A key without its part in words: "accuracy", "mean absolute error of picture"."""
    of, _, metric = key.rpartition("_")
    if metric not in METRICS:
        return key.replace("_", " ")
    whole = not of and metric == "loss"  # the sum of all losses
    name = "" if whole else (aims or {}).get(of, of)
    words = METRICS[metric].words
    return f"{words} of {name}" if name else words


def metric_words(key: str, aims: Aims | None = None) -> str:
    """A key in words: "validation loss", "training accuracy of digit"."""
    part, _, rest = key.partition("_")
    return (
        f"{PARTS[part]} {quantity(rest, aims)}" if rest and part in PARTS else quantity(key, aims)
    )


def measure_words(key: str, aims: Aims | None = None) -> str:
    """A key in words without its part: "accuracy", also of val_accuracy."""
    part, _, rest = key.partition("_")
    return quantity(rest if rest and part in PARTS else key, aims)


def shown(key: str, value: float | None, digits: int = 4, decimals: int = 1) -> str:
    """A value of a metric as people read it: "98.6%" of a share, else so many digits: "0.0205"."""
    if value is None:
        return "not finite"
    return f"{value:.{decimals}%}" if is_share(key) else plain(value, digits)


def plain(value: float, digits: int = 3) -> str:
    """A number for people: so many digits, "0.0205", but "1,037" rather than 1.04e+03."""
    text = f"{value:.{digits}g}"
    return f"{value:,.0f}" if "e+" in text and abs(value) < LARGE else text


def short(key: str, value: float, digits: int = 6) -> str:
    """A round value without zeros at its end, for axes and bounds: "95%", "0.5"."""
    return f"{100 * value:.{digits}g}%" if is_share(key) else f"{value:.{digits}g}"


def with_deviation(key: str, mean: float, deviation: float) -> str:
    """A mean with its standard deviation, "97.25% ± 0.3%" of a share, "0.4123 ± 0.02" else."""
    width = f"{100 * deviation:.2g}%" if is_share(key) else f"{deviation:.2g}"
    return f"{shown(key, mean, decimals=2)} ± {width}"


def phrase(key: str, text: str, words: str) -> str:
    """A value beside its name: "97.2% accuracy" of a share, "R² 0.91" of other metrics."""
    return f"{text} {words}" if is_share(key) else f"{words} {text}"


def is_share(key: str) -> bool:
    """Whether a metric is a share of a whole, which people read in per cent."""
    label = METRICS.get(key.rpartition("_")[2])
    return label is not None and label.percent


def judged_by(by: str, aims: Aims | None = None) -> str:
    """What chooses the best checkpoint, in words."""
    return "the latest" if by == "last" else metric_words(by, aims)
