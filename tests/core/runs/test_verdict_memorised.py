"""The verdict "memorised": training is perfect, the validation loss rises far above its best."""

from collections.abc import Sequence
from typing import Any

import pytest

from core.runs.verdict import Verdict, judge
from core.runs.verdict_facts import Facts

TWELVE = {"metric": "val_accuracy", "value": 0.5, "rule": "always predicting “no”", "samples": 12}
MANY = {**TWELVE, "value": 0.1, "samples": 2000}
MEAN = {"metric": "val_r2", "value": 0.0, "rule": "always predicting the mean", "samples": 40}


def line(first: float, last: float, count: int) -> list[float]:
    return [first + (last - first) * i / (count - 1) for i in range(count)]


def run(
    reached: Sequence[float], val: Sequence[float], known: Sequence[float], **more: Any
) -> Verdict:
    name = more.get("baseline", TWELVE)["metric"]
    curves = {
        name: list(reached),
        name.replace("val_", "train_"): list(known),
        "val_loss": list(val),
        "train_loss": line(0.7, 0.001, len(val)),
    }
    given = {"first": 0.69, "steps": 400, "baseline": TWELVE, "epochs": curves, **more}
    return judge(Facts(training={"lr": 3e-3, "epochs": len(val)}, **given))


UP = [0.69, 0.45, *line(0.6, 2.7, 18)]
PERFECT = [0.6, 0.8, 0.95, *[1.0] * 17]


@pytest.mark.parametrize("right", [8 / 12, 9 / 12, 10 / 12, 11 / 12])
def test_perfect_training_and_a_loss_that_rises_far_is_memorised(right: float) -> None:
    verdict = run([0.6, *[right] * 19], UP, PERFECT)
    assert "emorised" in f"{verdict.title} {verdict.reason}"
    assert "it memorised them." in verdict.reason
    assert verdict.remedies


def test_what_it_says_and_what_helps() -> None:
    verdict = run([0.6, *[10 / 12] * 19], UP, PERFECT)
    assert verdict.title == "Learned; memorised its samples"
    assert verdict.reason == (
        "83.3% ± 20 validation accuracy after epoch 2 (12 samples); always predicting “no” gets "
        "50.0%. On the samples it learned from it reaches 100.0% training accuracy, while the "
        "validation loss rose from 0.45 after epoch 2 to 2.7: it memorised them."
    )
    assert [remedy.title for remedy in verdict.remedies] == [
        "Stop 3 epochs after the best",
        "Weight decay 1",
    ]


@pytest.mark.parametrize(
    ("val", "first", "baseline", "reached"),
    [
        ([2.0, 0.5, 0.3, *line(0.3, 0.31, 17)], 2.3, MANY, 0.93),
        ([2.0, 0.5, 0.12, *line(0.13, 0.25, 17)], 2.3, MANY, 0.96),
        ([0.69, 0.3, 0.1, *line(0.1, 0.2, 17)], 0.69, TWELVE, 11 / 12),
        ([0.69, 0.3, 0.01, *line(0.01, 0.05, 17)], 0.69, TWELVE, 1.0),
        (line(0.69, 0.1, 20), 0.69, TWELVE, 11 / 12),
        ([1.0, 0.2, *line(0.1, 0.14, 18)], 1.0, MEAN, 0.88),
    ],
)
def test_a_sound_run_is_none(
    val: list[float], first: float, baseline: dict[str, Any], reached: float
) -> None:
    verdict = run([0.5, *[reached] * 19], val, PERFECT, first=first, baseline=baseline)
    assert (verdict.kind, verdict.title) == ("learned", "Learned")


def test_a_loss_that_rises_while_training_is_not_perfect_is_something_else() -> None:
    verdict = run([0.6, *[10 / 12] * 19], UP, [0.6, *[0.9] * 19])
    assert "memorised" not in verdict.reason


def test_numbers_are_memorised_as_well() -> None:
    val = [1.0, 0.3, *line(0.35, 0.9, 18)]
    verdict = run([0.5, *[0.6] * 19], val, PERFECT, first=1.0, baseline=MEAN)
    assert verdict.title == "Learned; memorised its samples"


def test_what_still_gets_better_was_not_memorised() -> None:
    """Batch norm knows the training samples of few steps before its averages have followed."""
    baseline = {**MANY, "samples": 359}
    verdict = run(
        [0.1, 0.13, 0.25, 0.54],
        [2.31, 2.44, 2.16, 1.36],
        [0.46, 0.86, 0.96, 0.985],
        first=2.3,
        steps=28,
        baseline=baseline,
    )
    assert (verdict.kind, verdict.title) == ("short", "Too short")
