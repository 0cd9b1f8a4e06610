"""Verdicts judge a run by its end beside its best epoch, and by how many samples validate."""

from dataclasses import replace
from typing import Any

import pytest

from core.runs.references import short_of
from core.runs.verdict import Verdict, judge
from core.runs.verdict_facts import Facts
from core.runs.verdict_words import half_width, held_against
from tests.core.runs.test_verdict import SETOSA, changes, line, run

CYCLE = {"scheduler": {"name": "OneCycleLR"}}
COIN = {"metric": "val_accuracy", "value": 0.5, "rule": "always predicting “yes”"}
DEAD = [2.37, 2.36, 2.36, 2.35, 2.34, 2.34, 2.33, 2.32, 2.31, 2.31, 2.30, 2.30]
"""The loss of a network that died, while the rate is annealed: it comes down to ln 10."""


def annealed(accuracy: list[float], losses: list[float], lr: float) -> Verdict:
    """The verdict on a run with SGD at a rate that comes down to 0."""
    return run(accuracy, losses, training={"optimizer": "SGD", "lr": lr, **CYCLE})


@pytest.mark.parametrize("lr", [2.0, 3.0, 5.0])
def test_a_dead_network_guesses_though_its_loss_comes_down_with_the_rate(lr: float) -> None:
    verdict = annealed([0.1] * 12, DEAD, lr)
    assert (verdict.kind, changes(verdict)) == ("guessing", [{"lr": 0.17}])
    assert verdict.reason.endswith(
        f"A learning rate of {lr:g} is far above 0.17, which is usual for SGD."
    )


def test_without_a_high_rate_a_loss_that_comes_down_to_guessing_is_guessing() -> None:
    verdict = annealed([0.1] * 12, DEAD, 0.2)
    assert (verdict.kind, verdict.remedies) == ("guessing", ())


def test_a_network_that_had_learned_and_ends_as_a_guess_collapsed() -> None:
    verdict = annealed([0.55, 0.6, 0.5] + [0.1] * 9, [1.4, 1.3, 1.5] + [2.31] * 9, 3.0)
    assert (verdict.kind, verdict.title) == ("unstable", "Collapsed after epoch 3")
    assert changes(verdict) == [{"lr": 0.17}]
    assert "after epoch 3 it is no better than guessing, with 10.0% validation" in verdict.reason


def test_one_epoch_that_learned_is_no_success_where_all_others_guess() -> None:
    verdict = annealed([0.552] + [0.1] * 11, [1.4] + [2.31] * 11, 0.2)
    assert (verdict.kind, verdict.title) == ("unstable", "Collapsed after epoch 1")
    assert verdict.template == ""


def test_what_still_gets_better_at_a_far_too_high_rate_gets_the_usual_rate() -> None:
    accuracy, losses = line(0.15, 0.6, 12), line(2.3, 1.4, 12)
    verdict = run(accuracy, losses, training={"lr": 0.3, **CYCLE})
    assert (verdict.kind, changes(verdict)) == ("underfits", [{"lr": 0.01}])
    assert changes(run(accuracy, losses, training={"lr": 0.05, **CYCLE})) == [{"epochs": 36}]


def test_the_kept_epoch_is_given_with_its_uncertainty_and_where_the_run_ended() -> None:
    accuracy = [0.6, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.85, 0.8, 0.8] + [0.75] * 40
    curves = {"val_accuracy": accuracy, "val_loss": [0.5] * 50, "train_loss": [0.5] * 50}
    facts = Facts({}, epochs=curves, baseline={**COIN, "samples": 60}, best=8, first=0.7)
    assert held_against(facts) == (
        "85.0% ± 9 validation accuracy after epoch 8 (60 samples), 75.0% in the last 40 epochs; "
        "always predicting “yes” gets 50.0%."
    )


def test_the_uncertainty_is_wilsons_interval() -> None:
    assert half_width(0.85, 60) == pytest.approx(0.0903, abs=5e-4)
    assert half_width(1.0, 60) == pytest.approx(0.0301, abs=5e-4)


def test_the_best_epoch_is_the_one_whose_weights_are_kept_also_among_equals() -> None:
    curves = {"val_accuracy": [0.7] * 6, "val_loss": [0.5] * 6, "train_loss": [0.5] * 6}
    facts = Facts({}, epochs=curves, baseline=SETOSA, first=2.3, steps=240, best=4)
    assert "after epoch 4 " in judge(facts).reason
    assert "after epoch 1 " in judge(Facts({}, epochs=curves, baseline=SETOSA, first=2.3)).reason


def test_of_eight_samples_it_says_that_they_are_too_few() -> None:
    verdict = run([0.75] * 12, [0.5] * 12, baseline={**COIN, "samples": 8}, first=0.7)
    assert (verdict.kind, verdict.title) == ("guessing", "Too few validation samples to tell")
    assert (
        "8 validation samples are too few to tell: guessing alone may get up to 85% "
        "right. Add samples" in verdict.reason
    )


def test_of_eight_samples_half_right_tells_as_little() -> None:
    verdict = run([0.5] * 12, [0.7] * 12, baseline={**COIN, "samples": 8}, first=0.7)
    assert verdict.title == "Too few validation samples to tell"
    many = run([0.5] * 12, [0.7] * 12, baseline={**COIN, "samples": 80}, first=0.7)
    assert many.title == "As good as guessing"


def memorised(data: dict[str, Any], known: float = 0.7) -> Verdict:
    """A network on 8 by 8 pictures that knows all training samples and 70 % of the others."""
    curves = {
        "val_accuracy": [known] * 12,
        "val_loss": [1.5] * 12,
        "train_loss": line(1.0, 0.01, 12),
        "train_accuracy": line(0.5, 1.0, 12),
    }
    blocks = {"image": ("Input", {"shape": (1, 8, 8)})}
    given = {"epochs": curves, "baseline": SETOSA, "first": 2.3, "steps": 300, "blocks": blocks}
    return judge(Facts({"lr": 3e-3, "epochs": 12}, data=data, **given))


def test_pictures_learned_by_heart_are_to_be_varied_and_all_of_them_used() -> None:
    verdict = memorised({"source": "digits"})
    assert (verdict.kind, verdict.title) == ("learned", "Learned; memorised its samples")
    little = memorised({"source": "digits"}, 0.4)
    assert (little.kind, little.title) == ("overfits", "Memorised the training samples")
    vary = [{"name": "RandomCrop", "padding": 1}, {"name": "RandomRotation"}]
    assert changes(verdict)[0] == {"data.transform": vary, "epochs": 36}
    assert verdict.remedies[0].title == "Vary training samples"
    assert changes(memorised({"source": "digits", "limit": 32}))[0] == {"data.limit": None}
    varied = memorised({"source": "digits", "transform": vary})
    assert changes(varied) == [{"optimizer_settings.weight_decay": 1.0}]


def test_a_template_is_compared_only_where_no_cause_was_found() -> None:
    flat, data = [0.1] * 12, {"source": "digits"}
    assert run(flat, [2.3] * 12, data=data).template == "lenet_digits"
    slow = run(flat, [2.3] * 12, data=data, training={"lr": 1e-7})
    assert (slow.kind, slow.template) == ("guessing", "")
    assert "The template" not in slow.reason


def test_one_layer_fewer_explains_nothing() -> None:
    from tests.core.runs.test_references import facts

    short = short_of(facts("digits", "CNN", [0.9] * 8))
    assert short is not None
    assert "layers with weights" not in short.text


def test_rows_of_one_group_count_as_one_where_data_is_split_by_group() -> None:
    curves = {"val_accuracy": [0.95] * 20, "val_loss": [0.2] * 20, "train_loss": [0.2] * 20}
    facts = Facts({}, epochs=curves, baseline={**COIN, "samples": 48, "groups": 12}, first=0.7)
    assert held_against(facts) == (
        "95.0% ± 15 validation accuracy after epoch 1 (48 samples of 12 groups); "
        "always predicting “yes” gets 50.0%."
    )
    assert replace(facts, baseline={**COIN, "samples": 48, "groups": 90}).effective == 48


def test_of_four_groups_it_says_that_they_are_too_few() -> None:
    baseline = {**COIN, "samples": 40, "groups": 4}
    verdict = run([0.75] * 12, [0.5] * 12, baseline=baseline, first=0.7)
    assert verdict.title == "Too few validation samples to tell"
    assert "4 groups in the validation part are too few to tell: guessing" in verdict.reason
    assert "Add groups, or keep a larger share of them" in verdict.reason
