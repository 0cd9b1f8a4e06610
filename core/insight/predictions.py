"""Predictions of a run for display, as text and images, from its arrays: no torch."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.insight.confusion_scores import Confusion, scored
from core.insight.thumbnails import sample_picture

COVER = "\u2588"
PAIR, TRIPLET = ("same", "different"), ("nearer", "farther")
Arrays = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """A sample, what the network says of it, how surely where it says one class, what is right."""

    picture: bytes
    words: str
    said: str
    true: str
    sure: float | None = None


@dataclass(frozen=True)
class Alike:
    """The pictures of a pair or a triplet and how far apart the network places them.

    apart: one figure of a pair; of a triplet from the anchor to the positive, to the negative.
    """

    pictures: tuple[bytes, ...]
    apart: tuple[float, ...]
    said: str
    true: str


@dataclass(frozen=True)
class Places:
    """Where samples lie, their classes, and which parts of the variance the two axes have.

    nearest: the share of samples whose nearest other one, by all of the code, is of their class.
    """

    xs: list[float]
    ys: list[float]
    kinds: list[int]
    classes: tuple[str, ...]
    shares: tuple[float, float]
    nearest: float


@dataclass(frozen=True)
class Written:
    """A text as a network writes it, beside what is right; asked: what it reads, "" for nothing.

    counted: places that are to be written; elsewhere a text stands as it was given.
    """

    asked: str
    said: str
    true: str
    counted: tuple[bool, ...]

    @property
    def wrong(self) -> tuple[bool, ...]:
        """Which places of what is said are wrong."""
        return tuple(c and a != b for c, a, b in zip(self.counted, self.said, self.true,
                                                     strict=True))  # fmt: skip


def words(row: Any, alphabet: str) -> str:
    """Tokens as the text they stand for, whatever is in them; one past the alphabet is a cover."""
    known = [*alphabet, COVER]
    return "".join(known[int(t)] if 0 <= int(t) < len(known) else "\ufffd" for t in row)


def answers(found: Arrays) -> tuple[Answer, ...]:
    """Classes or labels beside their samples."""
    if not {"asked", "answers_said", "classes"} <= set(found):
        return ()
    names, alphabet = list(map(str, found["classes"])), str(found.get("alphabet", ""))
    sure = found["answers_sure"].tolist() if "answers_sure" in found else None
    rows = zip(found["asked"], found["answers_said"], found["answers_true"], strict=True)
    return tuple(
        Answer(
            b"" if alphabet else sample_picture(value),
            words(value, alphabet).replace("\0", "") if alphabet else "",
            named(said, names),
            named(true, names),
            sure[row] if sure and math.isfinite(sure[row]) else None,
        )
        for row, (value, said, true) in enumerate(rows)
    )


def named(answer: Any, names: list[str]) -> str:
    """A class by its name, or all labels that are chosen by theirs; a sequence as it is."""
    if isinstance(answer, str):
        return str(answer)
    if np.ndim(answer):
        return " ".join(n for n, yes in zip(names, answer, strict=True) if yes) or "none"
    return names[int(answer)]


def matrix(found: Arrays) -> Confusion | None:
    """The confusion matrix over what was validated."""
    if not {"matrix", "classes"} <= set(found):
        return None
    return scored(found["matrix"].tolist(), list(map(str, found["classes"])))


def alike(found: Arrays) -> tuple[Alike, ...]:
    """Pairs or triplets with their distances."""
    if "apart" not in found:
        return ()
    apart = found["apart"].tolist()
    columns = [found[name] for name in ("first", "second", "third") if name in found]
    pictures = [tuple(map(sample_picture, row)) for row in zip(*columns, strict=True)]
    pictures = pictures or [()] * len(apart)
    if "alike_said" in found:
        said, true = ([PAIR[not yes] for yes in found[n]] for n in ("alike_said", "alike_true"))
    else:
        said, true = [TRIPLET[not near < far] for near, far in apart], [TRIPLET[0]] * len(apart)
    rows = zip(pictures, apart, said, true, strict=True)
    return tuple(Alike(shown, tuple(far), a, b) for shown, far, a, b in rows)


def places(found: Arrays) -> Places | None:
    """The map of codes."""
    if not {"places", "kinds", "classes", "shares", "nearest"} <= set(found):
        return None
    xs, ys = found["places"].T.tolist()
    first, second = found["shares"].tolist()
    names = tuple(map(str, found["classes"]))
    return Places(xs, ys, found["kinds"].tolist(), names, (first, second),
                  float(found["nearest"]))  # fmt: skip


def written(found: Arrays) -> tuple[Written, ...]:
    """Texts that are answers to others, or that have gaps."""
    alphabet = str(found.get("alphabet", ""))
    if "written" in found:
        rows = zip(found["read"], found["written"], found["wanted"], strict=True)
        return tuple(_answered(*(words(row, alphabet) for row in each)) for each in rows)
    if "filled" in found:
        rows = zip(found["covered"], found["filled"], found["hidden"], strict=True)
        return tuple(_filled(*each, alphabet) for each in rows)
    return ()


def _answered(asked: str, said: str, true: str) -> Written:
    return Written(asked.replace("\0", ""), said.replace("\0", " "), true.replace("\0", " "),
                   (True,) * len(true))  # fmt: skip


def _filled(covered: Any, filled: Any, hidden: Any, alphabet: str) -> Written:
    counted = hidden >= 0
    said, true = np.where(counted, filled, covered), np.where(counted, hidden, covered)
    places = tuple(bool(place) for place in counted)
    return Written("", words(said, alphabet), words(true, alphabet), places)
