"""Predicted classes and labels, as arrays to draw.

asked         (K, ...) the first validation samples, where they are pictures or texts
answers_true  (K,) class numbers, or (K, L) whether a sample has each label
              or (K,) sequences of classes as words
answers_said  the same, as predicted
answers_sure  (K,) of classes only: how sure it is, from 0 to 1
matrix        (C, C) of classes: how many of a true class (row) are called what (column)
classes       names of the classes or labels

"alphabet" has the characters of texts; of texts with a vocabulary, asked_words has them as words.
"""

import numpy as np
import torch
from torch import Tensor

from core.tasks.measure import Measure, predicted_classes, probabilities
from core.tasks.prediction_batch import Arrays, PredictionBatch, plain
from core.tasks.sample_words import SampleWords

ASKED, CLASSES = 12, 20


def classes(measure: Measure, batch: PredictionBatch) -> Arrays:
    """Of a classification."""
    if batch.targets is None:
        return {}
    outputs, true = batch.predictions[0], batch.targets.reshape(-1).long()
    predicted = predicted_classes(outputs, measure)
    found = _matrix(batch, true, predicted)
    if asked := _asked(batch):
        sure = probabilities(outputs[:ASKED].float(), predicted[:ASKED], measure)
        answers = {"true": true[:ASKED], "said": predicted[:ASKED], "sure": sure}
        found |= asked | {f"answers_{name}": plain(value) for name, value in answers.items()}
    return found | ({"classes": np.array(batch.info.classes)} if found else {})


def _matrix(batch: PredictionBatch, true: Tensor, predicted: Tensor) -> Arrays:
    count = len(batch.info.classes)
    if not 2 <= count <= CLASSES:
        return {}
    matrix = torch.bincount(true * count + predicted, minlength=count * count)
    return {"matrix": plain(matrix.reshape(count, count))}


def labels(measure: Measure, batch: PredictionBatch) -> Arrays:
    """Of several labels each."""
    asked = _asked(batch)
    if batch.targets is None or not asked:
        return {}
    predicted = batch.predictions[0][:ASKED] > measure.threshold
    found = {"answers_true": plain(batch.targets[:ASKED] > 0.5), "answers_said": plain(predicted)}
    return asked | found | {"classes": np.array(batch.info.classes)}


def sequences(measure: Measure, batch: PredictionBatch) -> Arrays:
    """Of sequences of classes, as words."""
    asked = _asked(batch)
    if batch.targets is None or not asked:
        return {}
    naming, true = SampleWords(batch.info), batch.targets[:ASKED]
    predicted = batch.predictions[0][:ASKED]
    answers = {
        "answers_true": [measure.true_words(naming, row) for row in true],
        "answers_said": [measure.words(naming, [row], None) for row in predicted],
    }
    found = {name: np.array(words) for name, words in answers.items()}
    return asked | found | {"classes": np.array(batch.info.classes)}


def _asked(batch: PredictionBatch) -> Arrays:
    """The samples, if one can look at them."""
    info = batch.info
    if info.origin.vocabulary:
        naming, texts = SampleWords(info), batch.inputs()[:ASKED]
        return {"asked": plain(texts), "asked_words": np.array([naming.words(t) for t in texts])}
    if info.kind == "text":
        alphabet = np.array(info.origin.alphabet)
        return {"asked": plain(batch.inputs()[:ASKED]), "alphabet": alphabet}
    if info.kind != "image":
        return {}
    inputs = batch.inputs()[:ASKED]
    if inputs.ndim == 2 and inputs[0].numel() == int(np.prod(info.sample_shape)):
        inputs = inputs.reshape(-1, *info.sample_shape)
    return {"asked": plain(inputs)}
