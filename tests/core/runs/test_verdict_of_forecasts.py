"""The verdict on a forecast: beside the last value and that of a season ago, in per cent."""

from typing import Any

from core.runs.verdict import Verdict, judge
from core.runs.verdict_facts import Facts

RULES: dict[str, Any] = {
    "metric": "val_mae",
    "value": 20.0,
    "rule": "repeating the value of 7 days before",
    "level": "the value of 7 days before",
    "others": [["repeating the last value", 41.5]],
    "samples": 100,
}


def verdict(*errors: float) -> Verdict:
    """Of a run of ten epochs whose error is the first of these, and ends with the second."""
    first, last = errors[0], errors[-1]
    curve = [first] * 3 + [last] * 7
    losses = [1.0] * 3 + [0.2] * 7
    epochs = {"val_mae": curve, "val_loss": losses, "train_loss": losses}
    training = {"lr": 3e-3, "epochs": 10}
    return judge(Facts(training=training, steps=400, first=1.2, baseline=RULES, epochs=epochs))


def test_what_is_better_than_the_rule_says_by_how_much_and_what_other_rules_get() -> None:
    found = verdict(30.0, 15.0)
    assert (found.kind, found.title) == ("learned", "Learned")
    assert found.reason == (
        "Validation mean absolute error 15 after epoch 4; repeating the value of 7 days before "
        "gets 20, so it is 25% better. Repeating the last value gets 41.5."
    )


def test_what_is_no_better_is_as_good_as_the_rule_and_not_as_guessing() -> None:
    assert verdict(30.0, 19.8).title == "As good as the value of 7 days before"


def test_what_is_worse_is_not_as_good() -> None:
    found = verdict(30.0, 25.0)
    assert found.title == "Worse than the value of 7 days before"
    assert "so it is 25% worse." in found.reason
