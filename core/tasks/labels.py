"""Any of several labels of each sample."""

from typing import Any

from core.tasks.losses import ONE_OF_TWO
from core.tasks.metric_labels import FEW_CLASSES, f1_name
from core.tasks.metric_sets import ABOVE
from core.tasks.readout import Readout
from core.tasks.task import (
    Metrics,
    ScriptMetrics,
    Shape,
    Target,
    TargetKind,
    Task,
    TaskSource,
    wrong_output,
)

LOSSES = (*ONE_OF_TWO, "MultiLabelSoftMarginLoss")


def _fit(source: TaskSource, _column: str, _input: Shape, output: Shape) -> tuple[Shape, str]:
    count = len(source.classes)
    if output == (count,):
        return output, "labels"
    raise wrong_output(source, f"a score for each of {count} labels", count, output)


def _values(measure: Any, sums: list[float]) -> dict[str, float]:
    """Accuracy and F1 of all yes and no, and the share of samples with all labels right; where the
    labels are known F1 of each and their mean, without those that are neither there nor predicted.

    sums: yes and no, right ones, both yes, either; samples, right in all labels; then of each label
    how often both are yes, and how often each of the two.
    """
    count, right, both, either, samples, whole = sums[:6]
    found = {"accuracy": right / count, "f1": 2 * both / (both + either) if either else 1.0}
    found["subset"] = whole / samples
    agreed, marked = sums[6 : 6 + measure.classes], sums[6 + measure.classes :]
    each = {k: 2 * agreed[k] / marked[k] for k in range(measure.classes) if marked[k]}
    found |= {"macro": sum(each.values()) / len(each)} if each else {}
    few = measure.classes <= FEW_CLASSES
    return found | {f1_name(k): value for k, value in each.items() if few}


LABEL_SUMS = Metrics(
    6,
    _values,
    ScriptMetrics(
        (
            f"predicted, wanted = {ABOVE}, {{target}}.bool()",
            "right += (predicted == wanted).sum().item()",
            "count += wanted.numel()",
            "both += (predicted & wanted).sum().item()",
            "either += (predicted | wanted).sum().item()",
            "whole += (predicted == wanted).all(1).sum().item()",
            "agreed += (predicted & wanted).sum(0)",
            "marked += predicted.sum(0) + wanted.sum(0)",
        ),
        ("right", "count", "both", "either", "whole", "agreed", "marked"),
        {
            "accuracy": "right / count",
            "f1": "2 * both / max(1, both + either)",
            "subset": "whole / len(columns[0])",
            "macro": "(2 * agreed / marked)[marked > 0].mean().item()",
        },
    ),
)
"""Of yes or no for each label."""
LABELS = TargetKind(
    "labels",
    LOSSES,
    LABEL_SUMS,
    readout=Readout(
        score="label",
        words=True,
        web="labels",
        card="a label for each of {classes}",
    ),
    names_classes=True,
    has_neighbours=True,
    each_class=True,
)
TASK = Task(
    "labels",
    (LABELS,),
    (
        Target(
            "labels",
            "labels",
            "with up to {classes} labels each",
            "which labels it has, none to all",
            beside=True,
        ),
    ),
    _fit,
    weighed=LOSSES,
    class_word="label",
)
