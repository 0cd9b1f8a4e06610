"""What simple rules reach, on targets small enough to count by hand."""

import pytest
import torch

from core.tasks.baselines import Baseline, Targets, baseline
from core.tasks.readings.classes import ClassScores


def rule(kind: str, learned: list[object], wanted: list[object], **more: object) -> Baseline | None:
    """The rule of a kind of target for these values."""
    inputs, column = more.get("inputs"), str(more.get("column", "label"))
    given = torch.tensor(inputs) if inputs is not None else None
    before, after = torch.tensor(learned), torch.tensor(wanted)
    measure = ClassScores()
    return baseline(kind, Targets(before, after, given, column, ("no", "yes"), measure))


@pytest.mark.parametrize(
    ("kind", "learned", "wanted", "expected"),
    [
        ("classes", [0, 1, 1], [1, 0, 0, 1], ("accuracy", 0.5, "always predicting “yes”")),
        ("yes_no", [[1.0], [1.0], [0.0]], [[1.0]], ("accuracy", 1.0, "always predicting “yes”")),
        ("regression", [[1.0], [3.0]], [[1.0], [3.0]], ("r2", 0.0, "always predicting the mean")),
        ("regression", [[2.0], [2.0]], [[4.0], [6.0]], ("r2", -9.0, "always predicting the mean")),
        ("quantiles", [[1.0], [2.0], [9.0]], [[4.0], [1.0]],
         ("mae", 1.5, "always predicting the median")),
        ("image", [[0.0, 1.0], [1.0, 1.0]], [[1.0, 0.0]],
         ("mae", 0.75, "always predicting the mean of all samples")),
        ("mask", [[0.0, 1.0], [0.0, 1.0]], [[1.0, 1.0]],
         ("iou", 0.5, "marking each pixel that is usually marked")),
        ("mask", [[0.0, 0.0]], [[1.0, 1.0]], ("iou", 0.0, "marking nothing")),
        ("labels", [[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0]],
         ("f1", 1.0, "always predicting the usual labels")),
        ("pair", [[1.0], [-1.0], [-1.0]], [[-1.0], [1.0]],
         ("accuracy", 0.5, "always predicting “different”")),
        ("sequence", [[1, 1], [1, 2]], [[1, 2], [2, 2]],
         ("ler", 0.75, "always predicting the most frequent class")),
    ],
)  # fmt: skip
def test_a_rule_reaches_what_can_be_counted(
    kind: str, learned: list[object], wanted: list[object], expected: tuple[str, float, str]
) -> None:
    found = rule(kind, learned, wanted)
    assert found is not None
    assert (found.metric, found.rule) == (expected[0], expected[2])
    assert found.value == pytest.approx(expected[1])


def test_of_texts_it_counts_characters_of_answers_those_of_each_place() -> None:
    text = rule("tokens", [[0, 0, 0, 1]], [[0, 1, -100, -100]], column="next")
    assert text is not None
    assert (text.metric, text.value) == ("perplexity", pytest.approx((0.7 * 0.3) ** -0.5))
    answer = rule("tokens", [[0, 1], [0, 1], [1, 1]], [[0, 0], [0, 1]], column="answer")
    assert answer == Baseline("accuracy", 0.75, "the most frequent character at each position")


def test_a_series_is_continued_by_its_last_value_where_that_is_nearer() -> None:
    near = rule("series", [[0.0], [10.0]], [[9.0]], inputs=[[7.0, 8.0]])
    assert near == Baseline("mae", 1.0, "repeating the last value")
    far = rule("series", [[0.0], [10.0]], [[5.0]], inputs=[[7.0, 8.0]])
    assert far == Baseline("mae", 0.0, "always predicting the mean")


def test_scores_of_networks_that_play_against_each_other_have_no_rule() -> None:
    assert rule("judged", [[1.0]], [[1.0]]) is None
    assert rule("classes", [], []) is None
