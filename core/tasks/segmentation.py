"""For each pixel of an image, whether it belongs to the stroke."""

from math import prod

from core.common.errors import DataError
from core.tasks.losses import ERRORS, ONE_OF_TWO, SCORES
from core.tasks.metric_sets import ABOVE, overlap
from core.tasks.readout import Readout
from core.tasks.task import Shape, Target, TargetKind, Task, TaskSource, show

NO_WORDS = "The prediction is a mask: the Output block shows it."


def _fit(source: TaskSource, _column: str, shape: Shape, output: Shape) -> tuple[Shape, str]:
    if source.kind != "image" or source.shape[0] != 1:
        raise DataError(
            f"A mask marks the stroke of a grey image, but {source.name} has no grey images.",
            "Use digits, MNIST or FashionMNIST, or another target.",
        )
    pixels = prod(shape)
    if prod(output) == pixels:
        return output, "mask"
    if len(output) > 1 and output[0] == 2 and prod(output[1:]) == pixels:
        return output[1:], "mask_classes"
    raise DataError(
        f"A mask of {show(shape)} needs {pixels} values or two scores for each, but the network "
        f"outputs {show(output)}.",
        "Make the last block give one channel of the image's height and width.",
    )


MASK = TargetKind(
    "mask",
    (*ONE_OF_TWO, *ERRORS),
    overlap(ABOVE),
    per_pixel=True,
    readout=Readout(
        score="mask",
        web="mask",
        missing={"words": NO_WORDS},
    ),
)
MASK_CLASSES = TargetKind(
    "mask_classes",
    SCORES,
    overlap("{0}.argmax(1).bool()"),
    per_pixel=True,
    integer=True,
    readout=Readout(
        score="class",
        web="mask_classes",
        missing={"words": NO_WORDS},
    ),
)
TASK = Task(
    "segmentation",
    (MASK, MASK_CLASSES),
    (
        Target(
            "mask",
            "mask",
            "to be segmented into stroke and background",
            "the pixels of the stroke (segmentation)",
            beside=True,
        ),
    ),
    _fit,
    chosen_by_accuracy=True,
    weighed=(*SCORES, "MultiMarginLoss"),
    class_count=2,
)
