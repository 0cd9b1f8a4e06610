"""The verdict on a run, from curves as they are written: each kind, and its borders."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.runs.listing import RunView
from core.runs.run_state import State
from core.runs.verdict import Verdict, judge, verdict_of
from core.runs.verdict_facts import Facts, smooth
from core.settings.network_facts import Network

SETOSA = {"metric": "val_accuracy", "value": 0.1, "rule": "always predicting “3”", "samples": 359}
MEAN = {"metric": "val_r2", "value": 0.0, "rule": "always predicting the mean", "samples": 88}


def line(first: float, last: float, count: int) -> list[float]:
    """So many values at equal distances."""
    return [first + (last - first) * i / (count - 1) for i in range(count)]


def run(
    accuracy: list[float], val: list[float], train: list[float] | None = None, **more: Any
) -> Verdict:
    """The verdict on a run with these epochs, 40 steps in each."""
    curves = {"val_accuracy": accuracy, "val_loss": val, "train_loss": train or val}
    given = {"steps": 40 * len(val), "first": 2.3, "baseline": SETOSA, "epochs": curves, **more}
    training = {"lr": 3e-3, "epochs": len(val), **given.pop("training", {})}
    return judge(Facts(training=training, **given))


def changes(verdict: Verdict) -> list[dict[str, Any]]:
    return [dict(remedy.changes) for remedy in verdict.remedies]


FALLEN, RISEN = line(2.2, 0.2, 5) + [0.2] * 10, line(0.3, 0.97, 5) + [0.97] * 10


def learned(folder: Path) -> RunView:
    """A finished run in a folder, which has learned."""
    spec = {"task": "classification", "training": {"epochs": 4, "lr": 3e-3}, "data": {}}
    epochs = {"epoch": [1, 2, 3, 4], "train_loss": [1.0, 0.5, 0.2, 0.1], "val_loss": [0.1] * 4}
    row = {"attempt": 1, "kind": "epoch", **epochs, "val_accuracy": [0.9, 0.95, 0.97, 0.97]}
    for name, content in (("spec.json", spec), ("baseline.json", SETOSA), ("metrics.jsonl", row)):
        (folder / name).write_text(json.dumps(content, separators=(",", ":")))
    return RunView(folder, "run-001", "finished", attempt=1, epoch=4, step=160)


def test_what_has_learned_says_its_best_beside_the_simple_rule() -> None:
    verdict = run(RISEN, FALLEN)
    assert (verdict.kind, verdict.title, verdict.remedies) == ("learned", "Learned", ())
    assert verdict.reason == (
        "97.0% ± 1.8 validation accuracy after epoch 6 (359 samples); "
        "always predicting “3” gets 10.0%."
    )


def test_below_a_value_that_stands_large_the_reason_does_not_say_it_again() -> None:
    verdict = run(RISEN, FALLEN)
    assert verdict.value == "97.0% ± 1.8"
    assert verdict.below_value == (
        "Validation accuracy after epoch 6 (359 samples); always predicting “3” gets 10.0%."
    )
    short = run(line(0.15, 0.6, 12), line(2.3, 1.4, 12), steps=99)
    assert short.below_value.startswith("It trained for only 99 steps. Validation accuracy after")
    r2 = {"val_r2": [0.4] * 8, "val_loss": [1.0] * 8, "train_loss": [1.0] * 8}
    numbers = judge(Facts({}, epochs=r2, baseline=MEAN, first=1.0, steps=300))
    assert numbers.below_value == "Validation R² after epoch 1; always predicting the mean gets 0."


def test_a_reason_that_names_no_value_is_shown_whole() -> None:
    verdict = judge(Facts({"lr": 1.0}, broken="The loss became NaN at step 3."))
    assert (verdict.value, verdict.below_value) == ("", "")


def test_no_better_than_the_rule_is_as_good_as_guessing_up_to_a_tenth_of_the_way() -> None:
    flat = [2.3] * 15
    assert run([0.1] * 15, flat).title == "As good as guessing"
    assert run([0.18] * 15, flat).kind == "guessing"
    assert run([0.2] * 15, [2.2] * 15).kind == "learned"


def test_of_few_samples_more_is_asked_as_their_accuracy_varies() -> None:
    third = {**SETOSA, "value": 1 / 3, "samples": 30}
    flat = [1.1] * 15
    assert run([0.49] * 15, flat, baseline=third).kind == "guessing"
    assert run([0.52] * 15, flat, baseline=third, first=1.1).kind == "learned"
    luck = [0.4] * 8 + [0.7] * 7
    assert run(luck, [0.9] * 15, baseline=third, first=1.1).kind == "learned"
    assert run(luck, flat, baseline=third, first=1.1).kind == "guessing"
    lucky = [1 / 3] * 7 + [0.6] + [1 / 3] * 7
    assert run(lucky, flat, baseline=third).kind == "guessing"


def test_guessing_about_what_is_new_while_the_old_is_known_was_learned_by_heart() -> None:
    curves = {
        "val_accuracy": [0.1] * 8,
        "train_accuracy": line(0.1, 1.0, 8),
        "val_loss": line(2.3, 4.0, 8),
        "train_loss": line(2.3, 0.1, 8),
    }
    verdict = judge(Facts({"lr": 3e-3}, epochs=curves, baseline=SETOSA, first=2.3, steps=300))
    assert verdict.kind == "guessing"
    assert "it reaches 100.0% training accuracy: it memorised them." in verdict.reason
    assert changes(verdict) == [{"optimizer_settings.weight_decay": 1.0}]


@pytest.mark.parametrize(
    ("training", "change"),
    [
        ({"lr": 1e-5}, {"lr": 0.003}),
        ({"lr": 1.0}, {"lr": 0.003}),
        ({"optimizer": "SGD", "lr": 0.5, "optimizer_settings": {"momentum": 0.99}}, {"lr": 5e-4}),
        ({"optimizer": "SGD", "lr": 0.05, "clip_norm": 1e-4}, {"clip_norm": 1.0}),
        ({"ema_decay": 0.9999}, {"ema_decay": None}),
        ({"loss_settings": {"label_smoothing": 0.9}}, {"loss_settings.label_smoothing": 0.1}),
        (
            {"optimizer": "SGD", "lr": 0.05, "optimizer_settings": {"weight_decay": 3.0}},
            {"optimizer_settings.weight_decay": 1e-4},
        ),
        ({"lr": 0.02, "batch_size": 1}, {"batch_size": 32}),
    ],
)
def test_a_setting_far_from_the_usual_is_named_and_changed_first(
    training: dict[str, Any], change: dict[str, Any]
) -> None:
    verdict = run([0.1] * 15, [2.3] * 15, training=training)
    assert (verdict.kind, changes(verdict)[0]) == ("guessing", change)


@pytest.mark.parametrize(
    ("blocks", "change"),
    [
        ({"drop": ("Dropout", {"p": 0.95})}, {"drop.p": 0.2}),
        ({f"s{i}": ("Sigmoid", {}) for i in range(3)}, {f"s{i}.block": "ReLU" for i in range(3)}),
    ],
)
def test_blocks_that_let_nothing_through_are_changed(
    blocks: dict[str, Any], change: dict[str, Any]
) -> None:
    assert changes(run([0.1] * 15, [2.3] * 15, blocks=blocks)) == [change]


def test_data_that_is_not_normalised_is_normalised_first() -> None:
    wide = {**SETOSA, "input_mean": 69.0, "input_std": 216.0}
    verdict = run([0.1] * 15, [2.3] * 15, baseline=wide)
    assert changes(verdict) == [{"data.normalize": True}]
    assert "mean 69, standard deviation 216" in verdict.reason
    assert run([0.1] * 15, [2.3] * 15, baseline=wide, data={"normalize": True}).remedies == ()
    slow = run([0.1] * 15, [2.3] * 15, baseline=wide, training={"lr": 1e-5})
    assert changes(slow) == [{"data.normalize": True, "lr": 0.003}]


def test_a_last_block_that_cannot_reach_the_targets_is_named() -> None:
    network = Network(ends="square", last="t")
    facts = Facts(
        {"loss": "MSELoss", "lr": 0.003, "epochs": 40},
        blocks={"t": ("square", {})},
        network=network,
        baseline={**MEAN, "target_min": -1.6, "target_max": 2.4},
        epochs={"val_r2": [0.02] * 40, "val_loss": [1.0] * 40, "train_loss": [1.0] * 40},
        first=1.5,
        steps=400,
    )
    verdict = judge(facts)
    assert changes(verdict)[0] == {"t.block": "Identity"}
    assert (
        "t (square) outputs only values of 0 or more, but the targets range from -1.6 to 2.4."
        in verdict.reason
    )
    positive = {**MEAN, "target_min": 25.0, "target_max": 346.0}
    assert "square" not in judge(replace(facts, baseline=positive)).reason


def test_what_learned_less_than_it_could_is_reported_only_where_a_setting_explains_it() -> None:
    half, losses = [0.55] * 15, [1.5] * 15
    assert run(half, losses).kind == "learned"
    verdict = run(half, losses, training={"ema_decay": 0.9999})
    assert (verdict.kind, verdict.title) == ("underfits", "Learned too little")
    assert run([0.9] * 15, [0.3] * 15, training={"ema_decay": 0.9999}).kind == "learned"


def test_a_schedule_that_ends_at_once_is_named() -> None:
    rates = [0.05 * 0.1**i for i in range(15)]
    curves = {"val_accuracy": [0.6] * 15, "val_loss": [1.5] * 15, "train_loss": [1.5] * 15}
    training = {"optimizer": "SGD", "lr": 0.05, "scheduler": {"name": "StepLR"}}
    facts = Facts(training, epochs={**curves, "lr": rates}, baseline=SETOSA, first=2.3, steps=600)
    verdict = judge(facts)
    assert (verdict.kind, changes(verdict)) == ("underfits", [{"scheduler": None}])


def test_a_loss_that_still_falls_gets_more_epochs_short_below_a_hundred_steps() -> None:
    accuracy, losses = line(0.15, 0.6, 12), line(2.3, 1.4, 12)
    verdict = run(accuracy, losses)
    assert (verdict.kind, verdict.title) == ("improving", "Still getting better")
    assert changes(verdict) == [{"epochs": 36}]
    short = run(accuracy, losses, steps=99)
    assert (short.kind, short.title) == ("short", "Too short")
    assert short.reason.startswith("It trained for only 99 steps. 60.0% ± 5 validation accuracy")
    assert changes(short) == [{"epochs": 73}]
    assert run(accuracy, losses, steps=100).kind == "improving"


def test_a_run_that_a_limit_ended_gets_the_rest_of_its_epochs() -> None:
    accuracy, losses = line(0.15, 0.6, 12), line(2.3, 1.4, 12)
    for limits in ({"patience": 3}, {"max_minutes": 0.5}, {"patience": 3, "max_minutes": 0.5}):
        verdict = run(accuracy, losses, training={"epochs": 35, **limits})
        assert changes(verdict) == [dict.fromkeys(limits)]
    assert changes(run(accuracy, losses, training={"patience": 3})) == [{"epochs": 36}]


def test_near_the_best_there_is_no_need_for_more_epochs() -> None:
    assert run(line(0.2, 0.95, 12), line(2.3, 0.2, 12)).kind == "learned"


def test_a_loss_that_rises_again_while_the_training_loss_falls_overfits() -> None:
    accuracy = line(0.3, 0.8, 5) + line(0.79, 0.6, 15)
    verdict = run(accuracy, line(2.2, 0.8, 5) + line(0.82, 1.6, 15), line(2.2, 0.01, 20))
    assert (verdict.kind, verdict.title) == ("overfits", "Overfits since epoch 5")
    assert changes(verdict) == [{"patience": 3}, {"optimizer_settings.weight_decay": 1.0}]
    steady = line(0.3, 0.8, 5) + [0.79] * 15
    assert run(steady, line(2.2, 0.8, 5) + line(0.82, 1.6, 15), line(2.2, 0.01, 20)).kind == (
        "learned"
    )


def test_rates_are_judged_by_what_suits_the_network() -> None:
    half, losses = [0.55] * 15, [1.5] * 15
    deep = Network(layers=5, families=frozenset({"linear"}))
    verdict = run(half, losses, training={"lr": 0.09}, network=deep)
    assert (verdict.kind, changes(verdict)) == ("underfits", [{"lr": 9e-4}])
    assert verdict.reason.endswith(
        "A learning rate of 0.09 is far above 0.0009, which is usual for AdamW because there is no"
        " normalisation between the 5 layers."
    )
    assert run(half, losses, training={"lr": 0.09}).kind == "learned"
    cycle = {"lr": 0.09, "scheduler": {"name": "OneCycleLR"}}
    assert run(half, losses, training=cycle, network=deep).kind == "learned"


def test_the_end_of_a_plateau_is_no_way_to_something_better() -> None:
    accuracy = [0.1] * 15
    slow = line(9.0, 2.4, 5) + line(2.39, 2.3, 10)
    assert run(accuracy, slow, first=9.0).kind == "guessing"
    assert run(accuracy, line(9.0, 4.0, 15), first=9.0).kind == "improving"


def test_two_falls_in_the_last_half_are_unstable_one_is_not() -> None:
    once = [0.7] * 8 + [0.4] + [0.7] * 6
    assert run(once, [1.0] * 15).kind == "learned"
    twice = [0.7] * 8 + [0.4] + [0.7] * 3 + [0.4] + [0.7] * 2
    verdict = run(twice, [1.0] * 15)
    assert verdict.kind == "unstable"
    assert verdict.reason.startswith("In the second half validation accuracy got worse twice")
    assert changes(verdict) == [{"lr": 0.0003}]
    early = [0.7, 0.4, 0.7, 0.4, 0.7, 0.4] + [0.9] * 9
    assert run(early, [1.0] * 15).kind == "learned"


def test_a_training_loss_that_rises_again_is_unstable() -> None:
    verdict = run(line(0.8, 0.3, 12), line(0.9, 2.3, 12))
    assert verdict.kind == "unstable"
    assert verdict.reason.startswith("The training loss rose again, from ")


def test_losses_that_are_finite_and_far_too_large_exploded() -> None:
    verdict = run([0.1] * 4, [2.0, 9.0, 20.0, 24.0])
    assert (verdict.kind, verdict.title) == ("exploded", "The loss ran away (no NaN yet)")
    assert changes(verdict) == [{"lr": 0.0003}]
    plain = run([0.1] * 4, [2.0, 9.0, 20.0, 24.0], training={"optimizer": "SGD", "lr": 0.1})
    assert changes(plain) == [{"lr": 0.01}, {"clip_norm": 1.0}]
    assert run([0.1] * 4, [2.0, 9.0, 20.0, 22.0]).kind != "exploded"
    assert run([0.1] * 4, [2.0, 2400.0, 5.0, 4.0]).kind == "exploded"
    assert run([0.1] * 4, [2.0, 900.0, 5.0, 4.0]).kind != "exploded"
    assert run([0.1] * 4, [-2.0, -90.0, -2000.0, -2400.0]).kind == "exploded"


def test_a_run_that_broke_on_numbers_that_are_not_finite_exploded() -> None:
    verdict = judge(Facts({"lr": 1.0}, broken="The loss became NaN at step 3."))
    assert (verdict.kind, verdict.title) == ("exploded", "Exploded")
    assert verdict.reason.startswith("The loss became NaN at step 3.")
    assert changes(verdict)[0] == {"lr": 0.003}


def test_what_has_no_rule_gets_no_verdict() -> None:
    verdict = run([0.5] * 15, [1.0] * 15, baseline={})
    assert (verdict.kind, verdict.title, verdict.remedies) == ("none", "No verdict", ())


def test_a_run_that_trains_is_judged_after_three_epochs_and_thirty_steps() -> None:
    assert run(RISEN[:2], FALLEN[:2], live=True).kind == "none"
    assert run(RISEN[:3], FALLEN[:3], live=True, steps=29).kind == "none"
    going = run(line(0.2, 0.5, 6), line(2.3, 1.6, 6), live=True, steps=30)
    assert (going.kind, going.title, going.remedies) == (
        "improving",
        "Getting better so far",
        (),
    )
    assert run(RISEN, FALLEN, live=True).title == "Learned so far"
    assert run([0.1] * 15, [2.3] * 15, live=True).title == "As good as guessing so far"


def test_numbers_are_held_against_the_mean_and_errors_want_to_be_small() -> None:
    r2 = {"val_r2": [0.04] * 8, "val_loss": [1.0] * 8, "train_loss": [1.0] * 8}
    assert judge(Facts({}, epochs=r2, baseline=MEAN, first=1.0, steps=300)).kind == "guessing"
    r2["val_r2"] = [0.4] * 8
    verdict = judge(Facts({}, epochs=r2, baseline=MEAN, first=1.0, steps=300))
    assert verdict.reason == "Validation R² 0.4 after epoch 1; always predicting the mean gets 0."
    rule = {"metric": "val_perplexity", "value": 24.0, "rule": "guessing", "samples": 100}
    text = {"val_perplexity": [22.0] * 8, "val_loss": [3.0] * 8, "train_loss": [3.0] * 8}
    facts = Facts({}, epochs=text, baseline=rule, first=4.0, steps=300)
    assert judge(facts).kind == "learned"
    text["val_perplexity"] = [23.5] * 8
    assert judge(facts).kind == "guessing"


def test_single_jumps_are_smoothed_from_five_values_on() -> None:
    assert smooth([1.0, 9.0, 1.0, 1.0]) == [1.0, 9.0, 1.0, 1.0]
    assert smooth([1.0, 9.0, 1.0, 1.0, 1.0]) == [1.0, 1.0, 1.0, 1.0, 1.0]


def test_a_folder_is_read_also_where_a_line_is_being_written(tmp_path: Path) -> None:
    spec = {"task": "classification", "training": {"epochs": 4, "lr": 3e-3}, "data": {}}
    status = {"state": "finished", "attempt": 1, "epoch": 4, "step": 160}
    epoch = {"epoch": [1, 2], "val_accuracy": [0.1, 0.1], "val_loss": [2.3, None]}
    lines: list[dict[str, Any]] = [
        {"attempt": 1, "kind": "step", "step": [1], "epoch": [1], "loss": [2.3], "lr": [3e-3]},
        {"attempt": 1, "kind": "epoch", **epoch, "train_loss": [2.3, 2.3]},
        {"attempt": 1, "kind": "epoch", **epoch, "train_loss": [2.3, 2.3]},
    ]
    for name, content in (("spec", spec), ("status", status), ("baseline", SETOSA)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    rows = [json.dumps(row, separators=(",", ":")) for row in lines]
    (tmp_path / "metrics.jsonl").write_text("\n".join([*rows, rows[0][:40]]))
    verdict = verdict_of(tmp_path)
    assert verdict.kind == "guessing"
    assert verdict.reason.startswith("10.0% ± 3.1 validation accuracy after epoch 1 (359")


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("failed", "It failed before its end, so it is not judged."),
        ("crashed", "It failed before its end, so it is not judged."),
        ("lost", "It failed before its end, so it is not judged."),
        ("hung", "It hangs, so it is not judged."),
    ],
)
def test_a_run_that_broke_off_is_not_called_learned(tmp_path: Path, state: State, why: str) -> None:
    """It stands beside its failure, at every door: page, list, compare and command."""
    finished = learned(tmp_path)
    assert verdict_of(tmp_path, finished).title == "Learned"
    broken = replace(finished, state=state, message="ended with status 1")
    assert verdict_of(tmp_path, broken) == Verdict("none", "No verdict", why)


def test_a_verdict_on_a_run_of_a_bundle_says_that_its_curves_were_not_measured_here(
    tmp_path: Path,
) -> None:
    own = verdict_of(tmp_path, finished := learned(tmp_path))
    brought = verdict_of(tmp_path, replace(finished, brought="colleague.loom.zip"))
    assert brought.title == own.title == "Learned"
    assert brought.reason == (
        f"{own.reason} It judges the curves that came in colleague.loom.zip, which were not "
        "measured here."
    )


def test_a_folder_that_is_none_gets_no_verdict(tmp_path: Path) -> None:
    assert verdict_of(tmp_path / "gone").kind == "none"
    (tmp_path / "spec.json").write_text('{"training": []}')
    assert verdict_of(tmp_path).kind == "none"


def test_a_number_that_no_learning_rate_made_is_blamed_on_its_block() -> None:
    origin = {
        "node": "ln",
        "message": "In step 1 the output of ln has 3 NaN.",
        "hint": "ln needs more.",
        "rate": False,
    }
    broken = "The loss became NaN at step 1 with a learning rate of 0.001."
    verdict = judge(Facts({"lr": 0.001}, blocks={"ln": ("log", {})}, broken=broken, origin=origin))
    assert (verdict.title, verdict.reason) == (
        "Not a number from ln",
        "In step 1 the output of ln has 3 NaN. ln needs more.",
    )
    assert changes(verdict) == [{"ln.block": "Identity"}]
    later = judge(Facts({"lr": 1.0}, broken=broken, origin={**origin, "rate": True}))
    assert changes(later)[0] == {"lr": 0.003}
