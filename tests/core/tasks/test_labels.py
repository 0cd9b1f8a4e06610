"""Metrics of several labels: those of scikit-learn, batch by batch, and what simple rules reach."""

import pytest
import torch
from sklearn.metrics import accuracy_score, f1_score
from torch import Tensor

from core.tasks.baselines import Targets, baseline
from core.tasks.metric_labels import metric_words, shown
from core.tasks.readings.classes import Labels

COUNT = 4


@pytest.fixture
def batch() -> tuple[Tensor, Tensor]:
    """Scores and labels (N, 4), of which the last is neither there nor predicted."""
    generator = torch.Generator().manual_seed(1)
    outputs = torch.randn(50, COUNT, generator=generator)
    targets = (torch.rand(50, COUNT, generator=generator) < 0.4).float()
    outputs[:, 3], targets[:, 3] = -5.0, 0.0
    return outputs, targets


def figures(outputs: Tensor, targets: Tensor, classes: int = COUNT) -> dict[str, float]:
    measure = Labels(classes=classes)
    sums = [0.0] * measure.width
    for rows in torch.arange(len(outputs)).split(7):
        added = measure.sums(outputs[rows], targets[rows])
        sums = [a + b for a, b in zip(sums, added, strict=True)]
    return measure.values(sums)


def test_they_are_those_of_scikit_learn(batch: tuple[Tensor, Tensor]):
    outputs, targets = batch
    true, predicted = targets.numpy(), (outputs > 0).float().numpy()
    found = figures(outputs, targets)
    each = f1_score(true, predicted, average=None, zero_division=0)
    assert found["f1"] == pytest.approx(f1_score(true, predicted, average="micro"))
    assert found["macro"] == pytest.approx(f1_score(true[:, :3], predicted[:, :3], average="macro"))
    assert found["subset"] == pytest.approx(accuracy_score(true, predicted))
    assert found["accuracy"] == pytest.approx(float((true == predicted).mean()))
    assert [found[f"class{k}_f1"] for k in range(3)] == pytest.approx(each[:3])
    assert "class3_f1" not in found  # neither there nor predicted


def test_a_label_counts_from_a_probability_of_one_half(batch: tuple[Tensor, Tensor]):
    outputs, targets = batch
    shares = Labels(threshold=0.5, classes=COUNT)
    found = shares.values(shares.sums(outputs.sigmoid(), targets))
    assert found == pytest.approx(figures(outputs, targets))


def test_where_labels_are_many_only_their_mean_is_told():
    generator = torch.Generator().manual_seed(2)
    outputs = torch.randn(30, 11, generator=generator)
    found = figures(outputs, (outputs > 0.5).float(), classes=11)
    assert [*found] == ["accuracy", "f1", "subset", "macro"]


def test_all_labels_together_have_a_rule_of_their_own():
    learned = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    wanted = torch.tensor([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    found = baseline("labels", Targets(learned, wanted, None, "labels", ("red", "big"), Labels()))
    assert found is not None
    assert found.beside == (("subset", "always predicting “red”", 0.5),)
    nothing = torch.zeros(3, 2)
    found = baseline("labels", Targets(nothing, wanted, None, "labels", ("red", "big"), Labels()))
    assert found is not None
    assert found.beside == (("subset", "always predicting no label", 0.25),)


def test_their_names_are_words():
    aims = {"class1": "“big”"}
    assert metric_words("val_class1_f1", aims) == "validation F1 of “big”"
    assert metric_words("val_macro") == "validation mean F1 of the labels"
    assert metric_words("val_subset") == "validation subset accuracy"
    assert shown("val_subset", 0.25) == "25.0%"
