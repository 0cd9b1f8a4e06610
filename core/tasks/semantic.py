"""For each pixel of a picture, one of several classes (semantic segmentation)."""

from typing import Any

from core.common.errors import DataError
from core.tasks.losses import SCORES
from core.tasks.metric_labels import FEW_CLASSES
from core.tasks.readout import Readout
from core.tasks.task import (
    Metrics,
    ScriptMetrics,
    Shape,
    Target,
    TargetKind,
    Task,
    TaskSource,
    show,
)

NO_WORDS = "The prediction is a mask: the Output block shows it."


def _fit(source: TaskSource, _column: str, shape: Shape, output: Shape) -> tuple[Shape, str]:
    count, sides = len(source.classes), shape[-2:]
    if output == (count, *sides):
        return sides, "pixel_classes"
    raise DataError(
        f"{source.name} needs a score for each of {count} classes at each pixel, "
        f"{show((count, *sides))}, but the network outputs {show(output)}.",
        f"Make the last block a Conv2d with out_channels {count} and kernel_size 1, at the height "
        "and width of the picture.",
    )


def _values(measure: Any, sums: list[float]) -> dict[str, float]:
    """Accuracy of pixels, and the mean over the classes that are there of their intersection over
    union and Dice. sums: samples; then of each class its pixels, those predicted, and both."""
    count = measure.classes
    wanted, found, both = (sums[1 + k * count : 1 + (k + 1) * count] for k in range(3))
    there = [k for k in range(count) if wanted[k] + found[k]]
    iou = {k: both[k] / (wanted[k] + found[k] - both[k]) for k in there}
    dice = [2 * both[k] / (wanted[k] + found[k]) for k in there]
    if not there:  # no pixel of these samples has a class
        return {}
    each = {f"class{k}_iou": share for k, share in iou.items() if count <= FEW_CLASSES}
    means = {"miou": sum(iou.values()) / len(iou), "dice": sum(dice) / len(dice)}
    return {"accuracy": sum(both) / max(1.0, sum(wanted)), **means, **each}


PIXELS = Metrics(
    1,
    _values,
    ScriptMetrics(
        (
            "known, predicted = {target} >= 0, {0}.argmax(1)",
            "hit = known & (predicted == {target})",
            "wanted += torch.bincount({target}[known], minlength={classes}).double()",
            "found += torch.bincount(predicted[known], minlength={classes}).double()",
            "both += torch.bincount({target}[hit], minlength={classes}).double()",
        ),
        ("wanted", "found", "both"),
        {
            "accuracy": "(both.sum() / wanted.sum()).item()",
            "miou": "(both / (wanted + found - both))[wanted + found > 0].mean().item()",
            "dice": "(2 * both / (wanted + found))[wanted + found > 0].mean().item()",
        },
    ),
)
"""Of pixels, whatever sample they are of; a pixel without a class, -100, counts nowhere."""
PIXEL_CLASSES = TargetKind(
    "pixel_classes",
    SCORES,
    PIXELS,
    integer=True,
    per_pixel=True,
    names_classes=True,
    class_at_pixel=True,
    each_class=True,
    readout=Readout(
        score="class",
        web="mask_classes",
        card="The class of each pixel, one of {classes}.",
        missing={"words": NO_WORDS},
    ),
)
TASK = Task(
    "semantic segmentation",
    (PIXEL_CLASSES,),
    (
        Target(
            "pixels",
            "pixels",
            "with a mask of {classes} classes",
            "the class of each pixel (semantic segmentation)",
        ),
    ),
    _fit,
    chosen_by_accuracy=True,
    weighed=SCORES,
)
