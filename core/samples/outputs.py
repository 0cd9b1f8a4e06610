"""Predictions from a network's outputs: class names, probabilities, numbers in target units.

Needs torch.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from torch import Tensor

Json = Mapping[str, Any]
Answer = dict[str, Any]
SHOWN = 8  # the most probable next characters


def answers(
    interface: Json,
    columns: Sequence[Tensor | None],
    text_lengths: Sequence[int],
    outputs: Sequence[Tensor],
    raw: bool = False,
) -> list[dict[str, Answer]]:
    """Predictions for each sample, by output.

    columns, text_lengths: of a `PredictRequest` (`inputs`). raw: the outputs themselves as well, as
    shape and numbers. Numbers that are not finite are None.
    """
    found: list[dict[str, Answer]] = [{} for _ in text_lengths]
    for spec, output in zip(interface["outputs"], outputs, strict=True):
        values = output.detach().float()
        finite = bool(values.isfinite().all())
        say = ANSWERS.get(form(spec), _plain)
        for row, sample in enumerate(found):
            given = [None if column is None else column[row] for column in columns]
            one = say(spec, values[row], _Context(interface, given, text_lengths[row]))
            if raw:
                shape = [1, *values[row].shape]
                one["output"] = {"shape": shape, "data": values[row].flatten().tolist()}
            sample[spec["name"]] = one if finite else safe(one)
    return found


def form(spec: Json) -> str:
    """The key of an output in `ANSWERS`, as its kind declares; "" for none."""
    return spec.get("shown_as") or spec.get("kind", "")


def safe(value: Any) -> Any:
    """The value as JSON can hold it: None for numbers that are not finite."""
    if isinstance(value, dict):
        return {key: safe(each) for key, each in value.items()}
    if isinstance(value, list):
        return [safe(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class _Context:
    """The inputs of one sample."""

    def __init__(self, interface: Json, given: Sequence[Tensor | None], text_length: int) -> None:
        self.inputs, self.given, self.text_length = interface["inputs"], given, text_length

    def has(self, column: str) -> bool:
        return any(spec.get("column") == column for spec in self.inputs)

    def text(self) -> tuple[Json, Tensor]:
        """The input with the text, and its tokens."""
        return next(
            (spec, tokens)
            for spec, tokens in zip(self.inputs, self.given, strict=True)
            if tokens is not None and spec["kind"] == "text" and spec.get("column") != "before"
        )


def _classes(spec: Json, scores: Tensor, _: _Context) -> Answer:
    names = _names(spec, len(scores))
    shares = scores.softmax(0)
    index = int(shares.argmax())
    listed = dict(zip(names, shares.tolist(), strict=True))
    return {"class": names[index], "probability": float(shares[index]), "probabilities": listed}


def _names(spec: Json, count: int) -> list[str]:
    names = list(spec.get("classes", ()))
    return names if len(names) == count else [str(place) for place in range(count)]


def _probability(spec: Json, values: Tensor) -> Tensor:
    """Outputs as probabilities: some networks end in a sigmoid, others leave it to the loss."""
    return values if spec.get("threshold", 0.0) else values.sigmoid()


def _yes_no(spec: Json, values: Tensor, _: _Context) -> Answer:
    names = _names(spec, 2)
    yes = float(_probability(spec, values).flatten()[0])
    index = int(values.flatten()[0] > spec.get("threshold", 0.0))
    listed = dict(zip(names, (1 - yes, yes), strict=True))
    return {"class": names[index], "probability": listed[names[index]], "probabilities": listed}


def _labels(spec: Json, values: Tensor, _: _Context) -> Answer:
    values = values.flatten()
    names = _names(spec, len(values))
    predicted = (values > spec.get("threshold", 0.0)).tolist()
    shares = _probability(spec, values).tolist()
    labels = [name for name, yes in zip(names, predicted, strict=True) if yes]
    return {"labels": labels, "probabilities": dict(zip(names, shares, strict=True))}


def _real(spec: Json, values: Tensor) -> list[float]:
    """Numbers in the target's own unit."""
    numbers = values.double().flatten()
    numbers = numbers.exp() if spec.get("logarithm") else numbers
    return (numbers * spec.get("unit", 1.0) + spec.get("middle", 0.0)).tolist()


def _regression(spec: Json, values: Tensor, _: _Context) -> Answer:
    numbers, target = _real(spec, values), spec.get("target", "")
    if len(numbers) == 1:
        return {"target": target, "value": numbers[0]}
    return {"target": target, "values": numbers}


def _series(spec: Json, values: Tensor, _: _Context) -> Answer:
    return {"target": spec.get("target", ""), "values": _real(spec, values)}


def _image(spec: Json, values: Tensor, _: _Context) -> Answer:
    return {"picture": _probability(spec, values).tolist()}


def _mask(spec: Json, values: Tensor, _: _Context) -> Answer:
    return {"mask": (values > spec.get("threshold", 0.0)).int().tolist()}


def _mask_classes(spec: Json, values: Tensor, _: _Context) -> Answer:
    """The number of the likeliest class of each pixel; the names by their numbers, and the share of
    the pixels that each has, where they are known."""
    mask = values.argmax(0)
    if not spec.get("classes"):
        return {"mask": mask.tolist()}
    names = _names(spec, len(values))
    shares = {name: float((mask == k).double().mean()) for k, name in enumerate(names)}
    return {"mask": mask.tolist(), "classes": names, "shares": shares}


def _sequence(spec: Json, values: Tensor, _: _Context) -> Answer:
    """The best path of CTC: repeats are one, blanks (0) are none."""
    places = [0, *values.argmax(-1).tolist()]
    names = list(spec.get("classes", ()))
    return {"sequence": [names[b - 1] for a, b in pairwise(places) if b and b != a]}


def _pair(spec: Json, values: Tensor, _: _Context) -> Answer:
    distance = float(values.flatten()[0])
    return {"same": distance < spec.get("threshold", 0.0), "distance": distance}


def _tokens(spec: Json, values: Tensor, sample: _Context) -> Answer:
    """A reply, a text with its masked characters filled in, or the next character."""
    letters = list(spec["alphabet"])
    predicted = [
        letters[place] if place < len(letters) else "" for place in values.argmax(-1).tolist()
    ]
    if sample.has("before"):
        return {"text": "".join(predicted).partition("\0")[0]}
    asked, tokens = sample.text()
    if "mark" in asked:
        pairs = zip(tokens.tolist(), predicted, strict=True)
        whole = [guess if token == asked["mark"] else letters[token] for token, guess in pairs]
        return {"text": "".join(whole[: sample.text_length])}
    shares = values[sample.text_length - 1].softmax(0)
    order = shares.argsort(descending=True)[:SHOWN].tolist()
    likeliest = {letters[i]: float(shares[i]) for i in order if i < len(letters)}
    return {"next": predicted[sample.text_length - 1], "probabilities": likeliest}


def _plain(_spec: Json, values: Tensor, _: _Context) -> Answer:
    return {"values": values.tolist()}


ANSWERS: dict[str, Callable[[Json, Tensor, _Context], Answer]] = {
    "classes": _classes,
    "yes_no": _yes_no,
    "labels": _labels,
    "regression": _regression,
    "quantiles": _series,
    "series": _series,
    "image": _image,
    "mask": _mask,
    "mask_classes": _mask_classes,
    "sequence": _sequence,
    "pair": _pair,
    "tokens": _tokens,
}
"""By form; other outputs are numbers as they are."""
