"""Masks over the pictures that they are of, the worst first, and the scores of each class."""

from typing import Any

from core.common.network_ref import NetworkRef
from core.insight.look.view import LookRequest, LookResult, View

MOST = 12
"""Pictures that are drawn, each with its target and its prediction."""
WIDTH_PX = 900


def masks(ref: NetworkRef, _request: LookRequest) -> LookResult:
    """The validation pictures with the largest loss: picture, target over it, prediction over it.

    document: the metrics of the validation part, the colours of the classes, and the confusion of
    pixels with the scores of each class. Raises NoSuch for a network that predicts none of pixels.
    """
    from core.data.facts.class_colours import colours_of
    from core.insight.attribution.subject import NoSuch
    from core.insight.confusion import worst
    from core.insight.network_cache import aim, judged, validation
    from core.insight.views import pixel_confusion
    from core.tasks.metric_labels import quantity, shown

    measure = aim(ref).measure
    if measure is None or not measure.declared.class_at_pixel:
        raise NoSuch("This network does not predict the class of each pixel.", "See Mistakes.")
    found, dataset = judged(ref), validation(ref)[0]
    assert found.targets is not None
    colours, chosen = colours_of(dataset.info), [row for row, _ in worst(found, MOST)]
    values = measure.values(measure.sums(found.outputs[0], found.targets))
    means = [f"{quantity(key)} {shown(key, values[key])}" for key in values if "_" not in key]
    table, matrix = scores(pixel_confusion(ref), colours)
    document = {**values, "colours": dict(zip(dataset.classes, colours, strict=True)), **matrix}
    each = (f"  {row['class']}: IoU {row['IoU']}, Dice {row['Dice']}" for row in table)
    heading = (
        f"The {len(chosen)} validation pictures with the largest loss: the picture, its target, "
        f"the prediction. Of all: {', '.join(means)}."
    )
    arrays, image = _drawn(ref, chosen, colours)
    lines = (f"{', '.join(means)}:", *each)
    return LookResult(document, lines, arrays, image, table=table, heading=heading)


def _drawn(
    ref: NetworkRef, chosen: list[int], colours: tuple[str, ...]
) -> tuple[dict[str, Any], bytes]:
    """The masks of some pictures as arrays, and as a PNG: picture, target, prediction in a row."""
    import numpy as np

    from core.insight.class_colours import over
    from core.insight.images import arrange, png
    from core.insight.network_cache import judged, validation
    from core.insight.thumbnails import pixels_of

    _, inputs, targets = validation(ref)
    predicted = judged(ref).outputs[0][chosen].argmax(dim=1).numpy()
    true, tiles = targets[chosen].numpy(), list[Any]()
    for row, classes, said in zip(chosen, true, predicted, strict=True):
        seen = pixels_of(inputs[row].reshape(-1, *said.shape).numpy())
        assert seen is not None
        tiles += [seen, over(seen, classes, colours), over(seen, said, colours)]
    arrays = {"index": np.array(chosen), "predicted": predicted, "target": true}
    return arrays, png(arrange(np.stack(tiles), 3, WIDTH_PX))


def scores(matrix: Any, colours: tuple[str, ...]) -> tuple[tuple[dict[str, Any], ...], Any]:
    """The table of the classes, and the confusion matrix; a class that is neither there nor
    predicted has no score. matrix: of pixels."""
    whole = max(1, sum(map(sum, matrix.counts)))
    table = tuple(
        {
            "class": score.name,
            "colour": colour,
            "share of pixels": f"{score.samples / whole:.1%}",
            "IoU": _share(score.iou),
            "Dice": _share(score.f1),
        }
        for score, colour in zip(matrix.scores, colours, strict=True)
    )
    return table, {"confusion": matrix.json()}


def _share(value: float | None) -> str:
    return "none" if value is None else f"{value:.1%}"


VIEWS = (
    View(
        "masks",
        "masks over the pictures with the largest loss, and the scores of each class",
        masks,
        sample=False,
        order=45,
    ),
)
