"""Which classes and labels a network names, as arrays to draw.

asked         (K, ...) the first validation samples, where they are pictures or texts
answers_true  (K,) class numbers, or (K, L) whether a sample has each label
              or (K,) sequences of classes as words
answers_said  the same, as the network says it
answers_sure  (K,) of classes only: how sure it is, from 0 to 1
matrix        (C, C) of classes: how many of a true class (row) are called what (column)
classes       names of the classes or labels

"alphabet" has the characters of texts.
"""

import numpy as np
import torch
from torch import Tensor

from core.engine.feature_maps import predicted_classes, probabilities
from core.tasks.labels import Naming
from core.tasks.prediction_batch import Arrays, Beside, plain

ASKED, CLASSES = 12, 20


def classes(beside: Beside) -> Arrays:
    """Of a classification."""
    if beside.true is None:
        return {}
    outputs, true = beside.said[0], beside.true.reshape(-1).long()
    said = predicted_classes(outputs, beside.measure)
    found = _matrix(beside, true, said)
    if asked := _asked(beside):
        sure = probabilities(outputs[:ASKED].float(), said[:ASKED], beside.measure)
        answers = {"true": true[:ASKED], "said": said[:ASKED], "sure": sure}
        found |= asked | {f"answers_{name}": plain(value) for name, value in answers.items()}
    return found | ({"classes": np.array(beside.info.classes)} if found else {})


def _matrix(beside: Beside, true: Tensor, said: Tensor) -> Arrays:
    count = len(beside.info.classes)
    if not 2 <= count <= CLASSES:
        return {}
    matrix = torch.bincount(true * count + said, minlength=count * count)
    return {"matrix": plain(matrix.reshape(count, count))}


def labels(beside: Beside) -> Arrays:
    """Of several labels each."""
    asked = _asked(beside)
    if beside.true is None or not asked:
        return {}
    said = beside.said[0][:ASKED] > beside.measure.threshold
    found = {"answers_true": plain(beside.true[:ASKED] > 0.5), "answers_said": plain(said)}
    return asked | found | {"classes": np.array(beside.info.classes)}


def sequences(beside: Beside) -> Arrays:
    """Of sequences of classes, as words."""
    asked = _asked(beside)
    if beside.true is None or not asked:
        return {}
    naming, true = Naming(beside.info, beside.measure), beside.true[:ASKED]
    said = [naming.said([row], None) for row in beside.said[0][:ASKED]]
    answers = {"answers_true": [naming.true(row) for row in true], "answers_said": said}
    found = {name: np.array(words) for name, words in answers.items()}
    return asked | found | {"classes": np.array(beside.info.classes)}


def _asked(beside: Beside) -> Arrays:
    """The samples, if one can look at them."""
    info = beside.info
    if info.kind == "text":
        alphabet = np.array(info.origin.alphabet)
        return {"asked": plain(beside.inputs()[:ASKED]), "alphabet": alphabet}
    if info.kind != "image":
        return {}
    inputs = beside.inputs()[:ASKED]
    if inputs.ndim == 2 and inputs[0].numel() == int(np.prod(info.sample_shape)):
        inputs = inputs.reshape(-1, *info.sample_shape)
    return {"asked": plain(inputs)}
