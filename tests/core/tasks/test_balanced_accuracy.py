"""Balanced accuracy and the recall of each class: when they are measured, and how."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from core.analyse import analyse_project
from core.common.errors import TrainingError
from core.data import describe_project, ends
from core.data.facts.info import describe
from core.data.facts.metadata import read_own
from core.data.facts.rare_classes import has_rare_class
from core.engine.top_k import is_better, ranked_epoch
from core.project.templates import load_template
from core.runs.verdict import judge
from core.runs.verdict_facts import Facts
from core.script.script import write_script
from core.settings.class_balance import counts_each_class
from core.settings.validate import resolve
from core.tasks.baselines import Targets, baseline
from core.tasks.metric_labels import class_aims, metric_words
from core.tasks.metrics import Measure, measure_of

LABELS = torch.tensor([0, 0, 0, 0, 0, 0, 0, 0, 1, 1])
GUESSED = torch.tensor([0, 0, 0, 0, 0, 0, 1, 1, 1, 0])


def of_classes(kind: str, loss: str, classes: int) -> Measure:
    measure = measure_of(kind, loss, {}, classes=classes)
    assert measure is not None
    return measure


def test_each_class_counts_the_same_and_batches_add_up() -> None:
    measure = of_classes("classes", "CrossEntropyLoss", 3)
    outputs = torch.nn.functional.one_hot(GUESSED, 3).float()
    parts = [measure.sums(outputs[rows], LABELS[rows]) for rows in (slice(0, 7), slice(7, 10))]
    sums = [float(sum(column)) for column in zip(*parts, strict=True)]
    assert measure.values(sums) == pytest.approx(
        {"accuracy": 0.7, "balanced": 0.625, "class0_recall": 0.75, "class1_recall": 0.5}
    )
    assert measure.rows(outputs, LABELS).sum(dim=0).tolist() == sums


def test_one_output_for_two_classes_and_without_weights_nothing_more() -> None:
    logits = (GUESSED.float() * 2 - 1)[:, None]
    targets = LABELS.float()[:, None]
    measure = of_classes("yes_no", "BCEWithLogitsLoss", 2)
    assert measure.values(measure.sums(logits, targets))["balanced"] == pytest.approx(0.625)
    plain = of_classes("yes_no", "BCEWithLogitsLoss", 0)
    assert plain.values(plain.sums(logits, targets)) == {"accuracy": 0.7}


def test_of_many_classes_recalls_are_no_metrics_of_their_own() -> None:
    measure = of_classes("classes", "CrossEntropyLoss", 11)
    outputs = torch.nn.functional.one_hot(GUESSED, 11).float()
    assert measure.values(measure.sums(outputs, LABELS)) == {"accuracy": 0.7, "balanced": 0.625}


def test_the_simple_rule_finds_one_class_of_all() -> None:
    measure = of_classes("classes", "CrossEntropyLoss", 3)
    found = baseline("classes", Targets(LABELS, LABELS, None, "label", ["ok", "bad", "?"], measure))
    assert found is not None
    assert (found.metric, found.value, found.rule) == ("balanced", 0.5, "always predicting “ok”")
    assert found.counts == (8, 2, 0)


@pytest.mark.parametrize(
    ("counts", "rare"),
    [
        ((768, 32), True),
        ((90, 10), True),
        ((87, 13), False),
        ((50, 50, 50), False),
        ((100, 100, 10), True),
        ((357, 212), False),
        ((10, 0), False),
        ((), False),
    ],
)
def test_a_rare_class_has_less_than_a_quarter_of_its_share(
    counts: tuple[int, ...], rare: bool
) -> None:
    assert has_rare_class(counts) is rare


@pytest.mark.parametrize(
    "given",
    [
        {"class_weights": "balanced"},
        {"class_weights": [1.0, 20.0]},
        {"sampler": "balanced"},
        {"loss": "FocalLoss"},
        {"loss": "BCEWithLogitsLoss", "loss_settings": {"pos_weight": 24.0}},
    ],
)
def test_what_weighs_classes_counts_each_the_same(given: dict[str, Any]) -> None:
    losses = ("BCEWithLogitsLoss",) if "B" in given.get("loss", "") else ()
    training = resolve(given, "classification", losses)
    assert counts_each_class(training, "classification", rare=False)
    assert not counts_each_class(training, "regression", rare=False)


def test_usual_training_goes_by_accuracy_unless_a_class_is_rare() -> None:
    training = resolve({}, "classification")
    assert not counts_each_class(training, "classification", rare=False)
    assert counts_each_class(training, "classification", rare=True)
    assert not counts_each_class(training, "regression", rare=True)


def test_recalls_are_named_by_their_class() -> None:
    aims = class_aims(["fault", "no"])
    assert metric_words("val_class0_recall", aims) == "validation recall of “fault”"
    assert metric_words("val_balanced") == "validation balanced accuracy"


def faults(balanced: float, recalls: tuple[float, float], counts: list[int]) -> Facts:
    rule = {"metric": "val_balanced", "value": 0.5, "rule": "always predicting “no”"}
    columns = {
        "val_balanced": [0.5, *[balanced] * 14],
        "val_accuracy": [0.93] * 15,
        "val_class0_recall": [recalls[0]] * 15,
        "val_class1_recall": [recalls[1]] * 15,
        "val_loss": [0.69, *[0.3] * 14],
        "train_loss": [0.69, *[0.3] * 14],
    }
    return Facts(
        {"lr": 3e-3, "epochs": 15},
        baseline={**rule, "samples": sum(counts), "counts": counts},
        epochs=columns,
        first=0.69,
        steps=600,
        aims=class_aims(["fault", "no"]),
    )


def test_faults_that_are_found_are_learned_although_never_a_fault_is_right_more_often() -> None:
    verdict = judge(faults(0.865, (0.81, 0.92), [32, 768]))
    assert verdict.title == "Learned"
    assert verdict.reason == (
        "86.5% ± 6.1 validation balanced accuracy after epoch 2 (800 samples); always predicting "
        "“no” gets 50.0%. Recall: “fault” 81.0%, “no” 92.0%."
    )


def test_few_samples_of_the_rarest_class_are_too_few_to_tell() -> None:
    verdict = judge(faults(0.6, (0.25, 0.95), [4, 96]))
    assert verdict.title == "Too few validation samples to tell"
    assert "4 validation samples of the rarest class are too few to tell" in verdict.reason


@pytest.mark.parametrize(
    ("given", "rare", "metric"),
    [
        ({}, False, "val_accuracy"),
        ({}, True, "val_balanced"),
        ({"class_weights": "balanced"}, False, "val_balanced"),
        ({"class_weights": "balanced", "best_by": "val_loss"}, True, "val_loss"),
        ({"best_by": "val_accuracy"}, True, "val_accuracy"),
    ],
)
def test_the_best_checkpoint_goes_by_the_metric_of_the_verdict(
    given: dict[str, Any], rare: bool, metric: str
) -> None:
    assert resolve(given, "classification", rare=rare)["best_by"] == metric


def test_a_task_without_classes_is_not_chosen_by_recalls() -> None:
    with pytest.raises(TrainingError, match="best_by is val_balanced but the task is regression"):
        resolve({"best_by": "val_balanced"}, "regression")


def test_of_two_epochs_the_one_that_finds_more_of_each_class_is_better() -> None:
    first = ranked_epoch({"val_balanced": 0.8, "val_loss": 0.5}, "val_balanced", 1, 10)
    second = ranked_epoch({"val_balanced": 0.9, "val_loss": 0.6}, "val_balanced", 2, 20)
    assert is_better(second, first)
    assert not is_better(first, second)


def test_a_script_keeps_the_epoch_that_the_run_keeps() -> None:
    iris = load_template("mlp_iris")
    report = analyse_project(iris)
    info = describe_project(iris, *ends(report.inputs, report.outputs))
    weighed = replace(iris, training={**iris.training, "class_weights": "balanced"})
    script = write_script(weighed, report, info)
    assert "if (mean_recall, -val_loss) > best:" in script
    assert "found += torch.bincount(classes[hit], minlength=3).double()" in script
    assert "mean recall {mean_recall:.2%}" in script
    assert "mean_recall" not in write_script(iris, report, info)


def test_a_table_that_was_read_tells_its_rare_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, every in (("rare.csv", 20), ("even.csv", 2)):
        rows = [f"{i / 7:.2f},{'fault' if i % every == 0 else 'no'}" for i in range(100)]
        (tmp_path / name).write_text("\n".join(["a,state", *rows]) + "\n")
    read = [{"source": "CSV", "file": name} for name in ("rare.csv", "even.csv")]
    for data in read:
        read_own(data)
    found = {str(data["file"]): describe(data, (1,), (2,)).rare for data in read}
    assert found == {"rare.csv": True, "even.csv": False}
