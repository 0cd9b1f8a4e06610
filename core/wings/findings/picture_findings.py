"""Pictures on both sides of the split, in two classes, and classes that brightness alone tells."""

from collections import defaultdict

import numpy as np

from core.data.pictures.series import series_of
from core.data.sources.split_by import BY_NAME
from core.wings.findings.finding import DataFinding, Mend, named, percent
from core.wings.findings.picture_view import PictureView
from core.wings.findings.ranges import MOST, by_ranges, one_class
from core.wings.findings.shared_rows import OF_SPLIT
from core.wings.findings.table_view import Ints

NEAR_BITS = 2
"""Bits of 64 in which near copies differ: saved again as JPEG 0 to 2, other pictures about 30."""
ALIKE = 0.994
"""The least correlation of the grey of near copies. Of 138 written digits the nearest of 462 others
agrees by 0.991 at most; a picture saved again as JPEG agrees by 0.996 and more."""
FLAT = 0.02
"""Deviation below which a picture is nearly one colour, whose hash is noise."""
FEW = 0.02
"""The share of validation pictures that may have a near copy; bursts of a camera have more."""
LEAST = 2
SHOWN_FILES = 6
LEAST_PICTURES = 40
LEAST_SERIES = 8
"""Fewer series leave too few to validate with."""


def picture_findings(view: PictureView) -> tuple[DataFinding, ...]:
    """The findings on a folder of pictures."""
    return tuple([*_two_classes(view), *_copies(view), *_sizes(view), *_brightness(view)])


def _same(view: PictureView) -> list[list[int]]:
    """Places of files with the same bytes."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for place, digest in enumerate(view.digests):
        if digest:
            found[digest].append(place)
    return [places for places in found.values() if len(places) > 1]


def _two_classes(view: PictureView) -> list[DataFinding]:
    twice = [p for p in _same(view) if len({int(view.labels[i]) for i in p}) > 1]
    if not twice:
        return []
    files = tuple(view.names[i] for places in twice for i in places)[:SHOWN_FILES]
    classes = named(dict.fromkeys(view.classes[view.labels[i]] for i in twice[0]))
    one = len(twice) == 1
    sentence = (
        f"{'A picture is' if one else f'{len(twice):,} pictures are'} in several classes "
        f"({classes}): a network cannot learn both answers. Keep the right one"
        f"{'' if one else ' of each'}."
    )
    return [DataFinding("two_classes", sentence, count=len(twice), files=files)]


def _copies(view: PictureView) -> list[DataFinding]:
    """Validation pictures that training pictures repeat, byte for byte or nearly."""
    train, asked = np.flatnonzero(view.part == 0), np.flatnonzero(view.part == 1)
    if not len(train) or not len(asked):
        return []
    seen = {view.digests[i]: int(i) for i in train if view.digests[i]}
    exact = [(int(i), seen[view.digests[i]]) for i in asked if view.digests[i] in seen]
    near = _near(view, train, asked)
    least = max(LEAST, FEW * len(asked))
    pairs, kind = (exact, "copies") if len(exact) >= least else (near, "near_copies")
    places = [copy for copy, _ in pairs]
    if len(places) < least:
        return []
    share = len(places) / len(asked)
    what = "are copies of" if kind == "copies" else "differ hardly from"
    sentence = (
        f"{len(places):,} of {len(asked):,} validation pictures {what} training pictures "
        f"({percent(share)}): the network has seen them. Keep one of each, or split by the series "
        "in the file names."
    )
    files = tuple(view.names[i] for i in places[:SHOWN_FILES])
    told = f"{percent(share)} of the validation pictures {what} training pictures: it may be worse "
    return [
        DataFinding(
            kind,
            sentence,
            count=len(places),
            files=files,
            score=share,
            mend=_by_series(view, pairs),
            doubts="high",
            verdict=f"{told}on new pictures",
        )
    ]


def _by_series(view: PictureView, pairs: list[tuple[int, int]]) -> Mend | None:
    """A split by the series in the file names, where each copy is of the series of its original, as
    "cat (1).jpg" of "cat.jpg"."""
    series = [series_of(name, "") for name in view.names]
    apart = any(series[copy] != series[original] for copy, original in pairs)
    if view.mode != "random" or apart or len({*series}) < LEAST_SERIES:
        return None
    data = {key: value for key, value in view.data.items() if key not in OF_SPLIT}
    data |= {"split": "group", "split_by": BY_NAME}
    return Mend("Split by the series in the file names", data)


def _near(view: PictureView, train: Ints, asked: Ints) -> list[tuple[int, int]]:
    """Validation pictures with a training picture that hardly differs, each with that one."""
    clear = view.grey.std((1, 2)) > FLAT
    bits = view.hashes * 2.0 - 1
    train = train[clear[train]]
    if not len(train):
        return []
    flat = view.grey.reshape(len(view.grey), -1)
    unit = flat - flat.mean(1)[:, None]
    unit = unit / np.maximum(np.sqrt((unit**2).sum(1)), 1e-12)[:, None]
    differ = (bits.shape[1] - bits[asked] @ bits[train].T) / 2
    found: list[tuple[int, int]] = []
    for place, apart in zip(asked, differ, strict=True):
        candidates = train[apart <= NEAR_BITS]
        alike = candidates[unit[candidates] @ unit[place] >= ALIKE]
        found += [(int(place), int(alike[0]))] if clear[place] and len(alike) else []
    return found


def _sizes(view: PictureView) -> list[DataFinding]:
    """Pictures of one class that have another size or shape in the file than those of the others.

    All are made equally large: of a larger one less is left, of a wide one all is narrower.
    """
    if len(view.labels) < LEAST_PICTURES or not (view.part == 1).any():
        return []
    area = np.log(np.maximum(view.sides.prod(1), 1))
    shape = np.log(view.sides[:, 0] / np.maximum(view.sides[:, 1], 1))
    looks = {"size": area, "shape": shape}
    found = {name: one_class(each, view.labels, view.part) for name, each in looks.items()}
    name, told = max(found.items(), key=lambda pair: pair[1].gain)
    if told.gain < MOST:
        return []
    inside = view.labels == told.label
    one, others = (_usual_sides(view.sides[where]) for where in (inside, ~inside))
    kind = view.classes[told.label]
    sentence = (
        f"The {name} of the files alone separates {kind} from the other classes in "
        f"{percent(told.score)} of the pictures (always the most frequent answer: "
        f"{percent(told.baseline)}): {kind} has mostly {one} pixels, the others {others}. Made "
        "equally large they differ in sharpness or width, which a network can learn instead of "
        "what the pictures show. Cut or scale the files of all classes alike."
    )
    verdict = (
        f"the {name} of the files alone separates {kind} from the others ({percent(told.score)})"
    )
    return [
        DataFinding(
            "sizes", sentence, score=told.score, baseline=told.baseline, doubts="high",
            verdict=verdict,
        )
    ]  # fmt: skip


def _usual_sides(sides: Ints) -> str:
    values, counts = np.unique(sides, axis=0, return_counts=True)
    width, height = values[counts.argmax()]
    return f"{width} x {height}"


def _brightness(view: PictureView) -> list[DataFinding]:
    """What brightness or contrast alone reaches, cut into ranges by training pictures."""
    if len(view.labels) < LEAST_PICTURES or not (view.part == 1).any():
        return []
    usual = float(np.bincount(view.labels).max() / len(view.labels))
    looks = {"brightness": view.grey.mean((1, 2)), "contrast": view.grey.std((1, 2))}
    kinds = len(view.classes)
    scores = {name: by_ranges(each, view.labels, view.part, kinds) for name, each in looks.items()}
    name = max(scores, key=lambda each: scores[each])
    if scores[name] - usual < MOST * (1 - usual):
        return []
    means = [float(looks[name][view.labels == i].mean()) for i in range(len(view.classes))]
    low, high = int(np.argmin(means)), int(np.argmax(means))
    sentence = (
        f"{name.capitalize()} alone predicts {percent(scores[name])} of the classes (always the "
        f"most frequent one: {percent(usual)}): {view.classes[high]} has {means[high]:.2f} on "
        f"average, {view.classes[low]} {means[low]:.2f}. The network may learn the light rather "
        "than what the pictures show."
    )
    verdict = f"{name} alone reaches {percent(scores[name])}"
    return [
        DataFinding(
            "brightness", sentence, score=scores[name], baseline=usual, doubts="high",
            verdict=verdict,
        )
    ]  # fmt: skip
