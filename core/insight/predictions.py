"""Predictions of a run for display, as text and images, from its arrays: no torch."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.insight.confusion_scores import Confusion, scored
from core.insight.images import Array
from core.insight.thumbnails import sample_picture
from core.tasks.readout import COVER

PAIR, TRIPLET = ("same", "different"), ("nearer", "farther")
Arrays = dict[str, Any]


@dataclass(frozen=True)
class ClassPrediction:
    """A sample with its predicted and true label, and the probability of a predicted class."""

    picture: bytes
    words: str
    predicted: str
    true: str
    sure: float | None = None


@dataclass(frozen=True)
class PairPrediction:
    """The images of a pair or triplet and the distances of their embeddings.

    apart: one distance for a pair; for a triplet from the anchor to positive and to negative.
    """

    pictures: tuple[bytes, ...]
    apart: tuple[float, ...]
    predicted: str
    true: str


@dataclass(frozen=True)
class EmbeddingMap:
    """Embeddings along their first two principal components, with classes.

    shares: of the variance, by axis. nearest: the share of samples whose nearest neighbour in the
    whole embedding is of the same class.
    """

    xs: list[float]
    ys: list[float]
    kinds: list[int]
    classes: tuple[str, ...]
    shares: tuple[float, float]
    nearest: float


@dataclass(frozen=True)
class TextPrediction:
    """A predicted text beside the true one. question: the text that it answers, "" for none.

    counted: for each character, whether it is predicted; the others are those of the input.
    """

    question: str
    predicted: str
    true: str
    counted: tuple[bool, ...]

    @property
    def wrong(self) -> tuple[bool, ...]:
        """For each character, whether it is predicted and wrong."""
        return tuple(
            c and a != b for c, a, b in zip(self.counted, self.predicted, self.true, strict=True)
        )


def words(row: Any, alphabet: str) -> str:
    """Decode tokens to text; the token after the alphabet is the mask, shown as a block."""
    known = [*alphabet, COVER]
    return "".join(known[int(t)] if 0 <= int(t) < len(known) else "\ufffd" for t in row)


def class_predictions(arrays: Arrays) -> tuple[ClassPrediction, ...]:
    """Classes or labels beside their samples."""
    if not {"asked", "answers_said", "classes"} <= set(arrays):
        return ()
    names, alphabet = list(map(str, arrays["classes"])), str(arrays.get("alphabet", ""))
    texts = list(map(str, arrays.get("asked_words", ())))
    sure = arrays["answers_sure"].tolist() if "answers_sure" in arrays else None
    rows = zip(arrays["asked"], arrays["answers_said"], arrays["answers_true"], strict=True)
    return tuple(
        ClassPrediction(
            b"" if alphabet or texts else sample_picture(value),
            words(value, alphabet).replace("\0", "") if alphabet else texts[row] if texts else "",
            named(predicted, names),
            named(true, names),
            sure[row] if sure and math.isfinite(sure[row]) else None,
        )
        for row, (value, predicted, true) in enumerate(rows)
    )


def named(answer: Any, names: list[str]) -> str:
    """A class by its name, or all labels that are chosen by theirs; a sequence as it is."""
    if isinstance(answer, str):
        return str(answer)
    if np.ndim(answer):
        return " ".join(n for n, yes in zip(names, answer, strict=True) if yes) or "none"
    return names[int(answer)]


def confusion_matrix(arrays: Arrays) -> Confusion | None:
    """The confusion matrix over what was validated."""
    if not {"matrix", "classes"} <= set(arrays):
        return None
    return scored(arrays["matrix"].tolist(), list(map(str, arrays["classes"])))


def pair_predictions(arrays: Arrays) -> tuple[PairPrediction, ...]:
    """Pairs or triplets with their distances."""
    if "apart" not in arrays:
        return ()
    apart = arrays["apart"].tolist()
    columns = [arrays[name] for name in ("first", "second", "third") if name in arrays]
    pictures = [tuple(map(sample_picture, row)) for row in zip(*columns, strict=True)]
    pictures = pictures or [()] * len(apart)
    if "alike_said" in arrays:
        predicted, true = (
            [PAIR[not yes] for yes in arrays[n]] for n in ("alike_said", "alike_true")
        )
    else:
        predicted, true = (
            [TRIPLET[not near < far] for near, far in apart],
            [TRIPLET[0]] * len(apart),
        )
    rows = zip(pictures, apart, predicted, true, strict=True)
    return tuple(PairPrediction(shown, tuple(far), a, b) for shown, far, a, b in rows)


def embedding_map(arrays: Arrays) -> EmbeddingMap | None:
    """The embeddings as a map; None without any."""
    if not {"places", "kinds", "classes", "shares", "nearest"} <= set(arrays):
        return None
    xs, ys = arrays["places"].T.tolist()
    first, second = arrays["shares"].tolist()
    names = tuple(map(str, arrays["classes"]))
    return EmbeddingMap(
        xs, ys, arrays["kinds"].tolist(), names, (first, second), float(arrays["nearest"])
    )


def text_predictions(arrays: Arrays) -> tuple[TextPrediction, ...]:
    """Predicted texts: answers to a text, or masked characters filled in."""
    alphabet = str(arrays.get("alphabet", ""))
    if "written" in arrays:
        rows = zip(arrays["read"], arrays["written"], arrays["wanted"], strict=True)
        return tuple(_answered(*(words(row, alphabet) for row in each)) for each in rows)
    if "filled" in arrays:
        rows = zip(arrays["covered"], arrays["filled"], arrays["hidden"], strict=True)
        return tuple(_filled(*each, alphabet) for each in rows)
    return ()


def _answered(question: str, predicted: str, true: str) -> TextPrediction:
    shown, right = predicted.replace("\0", " "), true.replace("\0", " ")
    return TextPrediction(question.replace("\0", ""), shown, right, (True,) * len(true))


def _filled(covered: Array, filled: Array, hidden: Array, alphabet: str) -> TextPrediction:
    counted = hidden >= 0
    predicted, true = np.where(counted, filled, covered), np.where(counted, hidden, covered)
    is_counted = tuple(bool(one) for one in counted)
    return TextPrediction("", words(predicted, alphabet), words(true, alphabet), is_counted)
