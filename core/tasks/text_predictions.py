"""Predicted texts, as arrays to draw.

read, written, wanted     (K, T), (K, L), (K, L) tokens of what it reads, of what it then writes,
                          letter by letter after its own, and of what is right
covered, filled, hidden   (K, T) texts with covered tokens, what it fills in everywhere, and what is
                          right where one is covered, else -100

"alphabet" has their characters.
"""

import numpy as np
import torch
from torch import Tensor

from core.tasks.prediction_batch import Arrays, PredictionBatch, plain

ANSWERS, FILLED = 8, 3


def texts(batch: PredictionBatch) -> Arrays:
    """Of answers and of texts with gaps; {} of others."""
    if batch.targets is None or batch.info.kind != "text":
        return {}
    if batch.info.target == "answer":
        found = _answers(batch, batch.targets[:ANSWERS])
    elif batch.info.target == "masked":
        predicted = batch.predictions[0][:FILLED].argmax(dim=-1)
        found = {
            "covered": batch.inputs()[:FILLED],
            "filled": predicted,
            "hidden": batch.targets[:FILLED],
        }
    else:
        return {}
    alphabet = {"alphabet": np.array(batch.info.origin.alphabet)}
    return {name: plain(value) for name, value in found.items()} | alphabet


def _answers(batch: PredictionBatch, targets: Tensor) -> dict[str, Tensor]:
    read, before = batch.fed("input"), batch.fed("before")
    if read is None:
        return {}
    inputs = [column[: len(targets)] for column in batch.validated.inputs]
    predicted = batch.predictions[0][: len(targets)].argmax(dim=-1)
    written = predicted if before is None else _written(batch, inputs, before)
    return {"read": inputs[read], "written": written, "wanted": targets}


def _written(batch: PredictionBatch, inputs: list[Tensor], before: int) -> Tensor:
    """The likeliest letter at each place, after those that the network wrote there before."""
    place, length = batch.place, inputs[before].shape[1]
    inputs[before] = torch.zeros_like(inputs[before])
    letters: list[Tensor] = []
    for at in range(length):
        outputs = batch.validated.module(*inputs)
        scores: Tensor = outputs if isinstance(outputs, Tensor) else outputs[place]
        letters.append(scores[:, at].argmax(dim=-1))
        if at + 1 < length:
            inputs[before][:, at + 1] = letters[-1]
    return torch.stack(letters, dim=1)
