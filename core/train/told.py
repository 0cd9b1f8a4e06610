"""What a network says of the first validation samples beside what is right, as arrays to draw.

Of the first loss, where it compares one Output with masks, a series or a number:

seen, true, said          (K, C, H, W), (K, H, W), (K, H, W) pictures and masks, from 0 to 1
lines_true, lines_said    (K, T) series
numbers_true, numbers_said  (M,) numbers in their own unit
"""

from collections.abc import Callable, Mapping

import numpy as np
from torch import Tensor

from .engine import Engine
from .measures import Measure

MASKS, LINES, NUMBERS = 6, 3, 200
Arrays = dict[str, np.ndarray]
Gather = Callable[[], Tensor]


def told(engine: Engine, inputs: Gather) -> Arrays:
    """Gather it after a validation; {} where there is nothing to draw.

    inputs: gathers what goes in.
    """
    aim = engine.objective.aims[0]
    fits = aim.measure and aim.target is not None and len(aim.outputs) == 1
    if not fits or not aim.measure or aim.target is None or aim.measure.kind not in _DRAWN:
        return {}
    said = engine.shown[aim.outputs[0]]
    true = engine.validation.targets[aim.target][: len(said)]
    return _DRAWN[aim.measure.kind](aim.measure, inputs, true, said)


def _masks(measure: Measure, gather: Gather, true: Tensor, said: Tensor) -> Arrays:
    inputs = gather()
    if inputs.ndim != 4 or true.shape[-2:] != inputs.shape[-2:]:
        return {}
    if measure.kind == "mask_classes":
        most = max(1, said.shape[1] - 1)
        true, said = true / most, said.argmax(dim=1) / most
    elif measure.threshold == 0.0:
        said = said.sigmoid()
    size = inputs.shape[-2:]
    pictures = {"true": true.reshape(-1, *size), "said": said.reshape(-1, *size), "seen": inputs}
    return {name: _plain(value[:MASKS]) for name, value in pictures.items()}


def _lines(measure: Measure, gather: Gather, true: Tensor, said: Tensor) -> Arrays:
    true, said = true[:LINES].flatten(1), said[:LINES].flatten(1)
    return {"lines_true": _plain(true), "lines_said": _plain(said)} if true.shape[1] > 1 else {}


def _numbers(measure: Measure, gather: Gather, true: Tensor, said: Tensor) -> Arrays:
    found: Mapping[str, Tensor] = {"numbers_true": true, "numbers_said": said}
    return {
        name: _plain(value[:NUMBERS].flatten()) * measure.unit + measure.middle
        for name, value in found.items()
    }


def _plain(value: Tensor) -> np.ndarray:
    return value.detach().float().cpu().numpy()


_DRAWN: dict[str, Callable[[Measure, Gather, Tensor, Tensor], Arrays]] = {
    "mask": _masks,
    "mask_classes": _masks,
    "series": _lines,
    "regression": _numbers,
}
