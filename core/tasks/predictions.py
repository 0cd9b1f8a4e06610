"""What a network says of the first validation samples beside what is right, as arrays to draw.

Of every loss that compares outputs with something, the first of a kind:

seen, true, said          (K, C, H, W), (K, H, W), (K, H, W) pictures and masks, from 0 to 1
lines_true, lines_said    (K, T) series
numbers_true, numbers_said  (M,) numbers in their own unit, or next values of series

and what `answers`, `alike` and `written` say of classes, of pairs and triplets, of texts.
"""

from collections.abc import Callable, Sequence

from torch import Tensor

from core.data.info import DataInfo
from core.engine.trainer import Trainer
from core.tasks.classification import classes, labels, sequences
from core.tasks.metric_learning import pairs, triplets
from core.tasks.prediction_batch import Arrays, Beside, Gather, plain
from core.tasks.text import texts

MASKS, LINES, NUMBERS = 6, 3, 200


def told(
    engine: Trainer,
    info: DataInfo,
    shown: Sequence[Tensor],
    inputs: Gather,
    kinds: Tensor | None = None,
) -> Arrays:
    """Gather it after a validation; {} where there is nothing to draw.

    shown: what the network puts out. inputs, kinds: as `Beside` has them.
    """
    found: Arrays = {}
    for aim in engine.objective.aims:
        if not aim.measure or aim.measure.kind not in _DRAWN:
            continue
        said = tuple(shown[place] for place in aim.outputs)
        true = None if aim.target is None else engine.validation.targets[aim.target][: len(said[0])]
        beside = Beside(engine, info, aim, aim.measure, said, true, inputs, kinds)
        found = _DRAWN[aim.measure.kind](beside) | found
    return found


def _masks(beside: Beside) -> Arrays:
    inputs, true, said = beside.inputs(), beside.true, beside.said[0]
    if true is None or inputs.ndim != 4 or true.shape[-2:] != inputs.shape[-2:]:
        return {}
    if beside.measure.kind == "mask_classes":
        most = max(1, said.shape[1] - 1)
        true, said = true / most, said.argmax(dim=1) / most
    elif beside.measure.threshold == 0.0:
        said = said.sigmoid()
    size = inputs.shape[-2:]
    pictures = {"true": true.reshape(-1, *size), "said": said.reshape(-1, *size), "seen": inputs}
    return {name: plain(value[:MASKS].float()) for name, value in pictures.items()}


def _lines(beside: Beside) -> Arrays:
    if beside.true is None:
        return {}
    true, said = beside.true[:LINES].flatten(1), beside.said[0][:LINES].flatten(1)
    if true.shape[1] == 1:
        return _numbers(beside)
    return {"lines_true": plain(true), "lines_said": plain(said)}


def _numbers(beside: Beside) -> Arrays:
    if beside.true is None:
        return {}
    unit, middle = beside.measure.unit, beside.measure.middle
    said = beside.measure.numbers(beside.said[0])
    found = {"numbers_true": beside.true, "numbers_said": said}
    return {n: plain(v[:NUMBERS].flatten().float()) * unit + middle for n, v in found.items()}


_DRAWN: dict[str, Callable[[Beside], Arrays]] = {
    "mask": _masks,
    "mask_classes": _masks,
    "series": _lines,
    "regression": _numbers,
    "classes": classes,
    "yes_no": classes,
    "labels": labels,
    "pair": pairs,
    "cosine": pairs,
    "triplet": triplets,
    "tokens": texts,
    "sequence": sequences,
}
