"""Pictures of a map's samples on one sheet, or their words. With torch."""

from collections.abc import Sequence
from functools import lru_cache

import torch
from torch import Tensor

from core.common.network_ref import NetworkRef
from core.insight.confusion import Judgement, judge
from core.insight.network_cache import (
    aim,
    labeler,
    opened,
    target_of,
    true_words,
    validation,
    validation_rows,
)
from core.insight.representation.results import Faces
from core.insight.thumbnails import sheet
from core.tasks.registry import has_one_class
from core.tasks.tensor_values import floats, ints

COLUMNS, MOST_PX, MOST_NUMBERS, MOST_LETTERS = 25, 56, 6, 90


@lru_cache(maxsize=2)
def faces(ref: NetworkRef, count: int) -> Faces:
    """Pictures and words of the first `count` validation samples, as a map shows them."""
    inputs = [column[:count] for column in validation_rows(ref)[0]]
    values, judged = labeler(ref).sample(inputs), _judged(ref, inputs)
    picture, size = sheet(values.numpy(), COLUMNS, MOST_PX)
    words = (
        (_true(ref, k), _predicted(ref, judged, k), "" if picture else _inside(ref, value))
        for k, value in enumerate(values)
    )
    lines = tuple("\n".join(_short(part) for part in parts if part) for parts in words)
    return Faces(lines, picture, COLUMNS, size)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}…"


def _true(ref: NetworkRef, k: int) -> str:
    """The target, or the class of a sample whose target is something else."""
    dataset, words = validation(ref)[0], true_words(ref, k)
    what = "class" if dataset.labels is not None and not has_one_class(dataset.task) else "target"
    return f"{what} {words}" if words else ""


def _judged(ref: NetworkRef, inputs: Sequence[Tensor]) -> Judgement | None:
    """How the network does on them; None where no loss measures single samples."""
    term, targets = aim(ref), validation_rows(ref)[1]
    if term.measure is None or term.target is None or term.constant == 0:
        return None
    return judge(opened(ref).module, inputs, targets[term.target][: len(inputs[0])], term)


def _predicted(ref: NetworkRef, judged: Judgement | None, k: int) -> str:
    if judged is None:
        return ""
    if has_one_class(validation(ref)[0].task) and judged.predicted is not None:
        return f"predicted {validation(ref)[0].classes[int(judged.predicted[k])]}"
    outputs = [output[k] for output in judged.outputs]
    prediction = labeler(ref).describe_prediction(outputs, target_of(ref, k))
    return f"predicted {prediction}" if prediction else ""


def _inside(ref: NetworkRef, value: Tensor) -> str:
    """A text by its letters; else the first numbers, of a table with names and in their unit."""
    if text := labeler(ref).words(value):
        return text
    dataset, row = validation(ref)[0], value.reshape(-1)
    names, picks = dataset.info.origin.columns, _picks(ref)
    named = dataset.info.kind == "table" and len(picks or names) == len(row)
    places = torch.tensor(picks) if picks else torch.arange(len(row))
    if named and dataset.mean is not None and dataset.std is not None:
        row = row * dataset.std.reshape(-1)[places] + dataset.mean.reshape(-1)[places]
    few = floats(row[:MOST_NUMBERS])
    cells = [
        f"{names[place]} {number:.3g}" if named else f"{number:.3g}"
        for place, number in zip(ints(places), few, strict=False)
    ]
    return ", ".join([*cells, *(["…"] if len(row) > MOST_NUMBERS else [])])


def _picks(ref: NetworkRef) -> Sequence[int]:
    """Which columns of a table the Input shown reads; () for all of them."""
    feeds = validation(ref)[0].info.feeds
    shown = next((feed for feed in feeds if feed.column != "noise"), feeds[0])
    return tuple(shown.picks)
