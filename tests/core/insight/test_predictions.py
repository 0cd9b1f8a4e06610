"""What a run keeps of classes, pairs and texts reads back in words."""

from pathlib import Path
from typing import Any

import numpy as np

from core.insight import samples
from core.insight.confusion_scores import scored
from core.insight.predictions import ClassPrediction, TextPrediction

DIGITS = np.array(["0", "1", "2"])


def read(folder: Path, **arrays: Any) -> samples.EpochSamples:
    place = folder / "live" / "made"
    place.mkdir(parents=True)
    np.savez(place / "000007.npz", allow_pickle=False, **arrays)
    found = samples.read_samples(folder, 7)
    assert found is not None
    return found


def test_classes_of_texts_are_named_and_their_padding_is_left_out(tmp_path: Path) -> None:
    found = read(
        tmp_path, asked=np.array([[1, 2, 0], [2, 2, 3]]), alphabet=np.array("\0ab"),
        answers_said=np.array([1, 0]), answers_true=np.array([1, 2]),
        answers_sure=np.array([0.75, 0.5]), classes=np.array(["yi", "greek", "latin"]),
        matrix=np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0]]),
    )  # fmt: skip
    assert found.answers == (
        ClassPrediction(b"", "ab", "greek", "greek", 0.75),
        ClassPrediction(b"", "bb\u2588", "yi", "latin", 0.5),
    )
    assert found.matrix == scored([[0, 0, 0], [0, 1, 0], [1, 0, 0]], ["yi", "greek", "latin"])


def test_labels_are_named_together_and_no_label_is_none(tmp_path: Path) -> None:
    yes = np.array([[True, False, True], [False, False, False]])
    found = read(
        tmp_path, asked=np.zeros((2, 1, 4, 4)), answers_said=yes, answers_true=yes[::-1],
        classes=DIGITS,
    )  # fmt: skip
    assert [(each.predicted, each.true) for each in found.answers] == [
        ("0 2", "none"),
        ("none", "0 2"),
    ]
    assert all(each.picture.startswith(b"\x89PNG") for each in found.answers)
    assert found.matrix is None


def test_pairs_and_triplets_say_whether_they_are_alike(tmp_path: Path) -> None:
    pairs = read(
        tmp_path / "pairs", apart=np.array([[0.5], [3.0]]), alike_said=np.array([True, False]),
        alike_true=np.array([True, True]), similar=np.array(False), limit=np.array(1.0),
        first=np.zeros((2, 1, 4, 4)), second=np.ones((2, 1, 4, 4)),
    )  # fmt: skip
    assert [(p.apart, p.predicted, p.true, len(p.pictures)) for p in pairs.pair_predictions] == [
        ((0.5,), "same", "same", 2), ((3.0,), "different", "same", 2),
    ]  # fmt: skip
    assert (pairs.similar, pairs.limit) == (False, 1.0)
    apart = np.array([[1.0, 2.0], [2.0, 1.0], [np.nan, 1.0]])
    triplets = read(tmp_path / "triplets", apart=apart)
    assert [(t.predicted, t.true, t.pictures) for t in triplets.pair_predictions] == [
        ("nearer", "nearer", ()), ("farther", "nearer", ()), ("farther", "nearer", ()),
    ]  # fmt: skip


def test_codes_keep_their_places_and_classes(tmp_path: Path) -> None:
    found = read(
        tmp_path, places=np.array([[1.0, 2.0], [3.0, -4.0]]), kinds=np.array([2, 0]),
        classes=DIGITS, shares=np.array([0.75, 0.125]), nearest=np.array(0.5),
    ).embedding  # fmt: skip
    assert found is not None
    assert (found.xs, found.ys, found.kinds) == ([1.0, 3.0], [2.0, -4.0], [2, 0])
    assert (found.classes, found.shares, found.nearest) == (("0", "1", "2"), (0.75, 0.125), 0.5)


def test_what_is_written_is_held_against_what_is_right(tmp_path: Path) -> None:
    found = read(
        tmp_path, read=np.array([[1, 2, 0]]), written=np.array([[3, 0, 1]]),
        wanted=np.array([[3, 2, 1]]), alphabet=np.array("\0abc"),
    ).text_predictions  # fmt: skip
    assert found == (TextPrediction("ab", "c a", "cba", (True, True, True)),)
    assert found[0].wrong == (False, True, False)


def test_only_covered_letters_are_filled_in(tmp_path: Path) -> None:
    found = read(
        tmp_path, covered=np.array([[0, 3, 3, 1]]), filled=np.array([[2, 1, 2, 2]]),
        hidden=np.array([[-100, 1, 0, -100]]), alphabet=np.array("abc"),
    ).text_predictions  # fmt: skip
    assert found == (TextPrediction("", "abcb", "abab", (False, True, True, False)),)
    assert found[0].wrong == (False, False, True, False)
