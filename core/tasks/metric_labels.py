"""The metrics, one declaration each, and their names for people. Keys in files stay as they are.

A key is PART_OF_METRIC, such as val_picture_mae: the validation part, the loss it is of (left out
for the first that is measured, and for the sum of all losses), and the metric. No torch is
imported here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.common.json_types import is_object


@dataclass(frozen=True)
class Metric:
    """A metric. better: which values are, "" where neither high nor low ones are.

    share: a part of a whole, which people read in per cent. logarithmic: on such an axis.
    counts_samples: each sample counts as right or wrong, so that chance alone moves it. format: of
    the numbers that a script prints. variable: what it is called in a script where its name stands
    for something else.
    """

    words: str
    better: Literal["higher", "lower", ""] = ""
    share: bool = False
    logarithmic: bool = False
    counts_samples: bool = False
    format: str = ".4g"
    variable: str = ""

    def label(self) -> dict[str, Any]:
        """How it is read, for the charts of the page."""
        return {"words": self.words, "percent": self.share, "logarithmic": self.logarithmic}


ACCURACY, BALANCED, MAE = "accuracy", "balanced", "mae"
METRICS = {
    ACCURACY: Metric("accuracy", "higher", share=True, counts_samples=True, format=".2%"),
    BALANCED: Metric(
        "balanced accuracy",
        "higher",
        share=True,
        counts_samples=True,
        format=".2%",
        variable="mean_recall",
    ),
    "recall": Metric("recall", share=True),
    "loss": Metric("loss", "lower", logarithmic=True),
    MAE: Metric("mean absolute error", "lower", logarithmic=True),
    "r2": Metric("R²", "higher"),
    "f1": Metric("F1", "higher", share=True),
    "macro": Metric("mean F1 of the labels", "higher", share=True, variable="macro_f1"),
    "subset": Metric(
        "subset accuracy",
        "higher",
        share=True,
        counts_samples=True,
        format=".2%",
        variable="subset_accuracy",
    ),
    "iou": Metric("intersection over union", "higher", share=True),
    "miou": Metric("mean intersection over union", "higher", share=True, format=".2%"),
    "dice": Metric("mean Dice", "higher", share=True, format=".2%"),
    "perplexity": Metric("perplexity", "lower", logarithmic=True),
    "ler": Metric("label error rate", "lower", share=True),
    "coverage": Metric("coverage", share=True),
    "crossing": Metric("crossing", share=True),
}
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


def metric_of(key: str) -> Metric | None:
    """The declaration of the metric that a key ends in; None for what is no metric."""
    return METRICS.get(key.rpartition("_")[2])


def better(key: str) -> str:
    """Which values of a metric are better: "higher", "lower" or "" for neither."""
    declared = metric_of(key)
    return declared.better if declared else ""


def higher_is_better(key: str) -> bool:
    """Whether more of a metric is better."""
    return better(key) == "higher"


def counts_samples(key: str) -> bool:
    """Whether a metric counts samples that are right, so that chance alone moves it."""
    declared = metric_of(key)
    return declared is not None and declared.counts_samples


def variable(name: str) -> str:
    """What a metric is called as a variable of a script."""
    declared = METRICS.get(name)
    return declared.variable or name if declared else name


def script_format(name: str) -> str:
    """How a script prints a metric, by the name of its variable."""
    formats = {variable(key): declared.format for key, declared in METRICS.items()}
    return formats.get(name, Metric.format)


def recall_name(number: int) -> str:
    """The key of the recall of a class, without its part: "class3_recall"."""
    return f"class{number}_recall"


def f1_name(number: int) -> str:
    """The key of F1 of a label, without its part: "class3_f1"."""
    return f"class{number}_f1"


def class_aims(classes: Sequence[str]) -> dict[str, str]:
    """The words that keys of recalls, and of other metrics of a class, stand for."""
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
    declared = metric_of(key)
    return declared is not None and declared.share


def judged_by(by: str, aims: Aims | None = None) -> str:
    """What chooses the best checkpoint, in words."""
    return "the latest" if by == "last" else metric_words(by, aims)
