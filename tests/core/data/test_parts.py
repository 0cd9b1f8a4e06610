"""Samples are parted as a project asks: a test part, folds, classes or numbers in proportion."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from core.analyse import analyse_project
from core.data import DataError, ends, load, load_project, read_settings
from core.data.batches.split import fold_of, split
from core.project import open_project

PROJECTS = Path(__file__).parents[3] / "projects"


def parts_of(source: str = "digits", seed: int = 0, **data: Any) -> list[list[int]]:
    """The rows to learn from, to validate and to test with, of a small data set."""
    ends = {"digits": ((1, 8, 8), (10,)), "diabetes": ((10,), (1,)), "iris": ((4,), (3,))}
    inputs, outputs = ends[source]
    found = load({"source": source, **data}, inputs, outputs, seed)
    rows = (found.train_indices, found.validation_indices, found.test_indices)
    info = found.info
    assert [len(r) for r in rows] == [info.train_size, info.validation_size, info.test_size]
    return [r.tolist() for r in rows]


def test_a_test_share_takes_samples_from_all_and_leaves_the_shares_of_all():
    train, validation, test = parts_of("digits", test=0.1, validation=0.3)
    assert (len(train), len(validation), len(test)) == (1078, 539, 180)
    assert sorted(train + validation + test) == list(range(1797))


def test_every_part_has_each_class_in_proportion():
    found = load({"source": "iris", "test": 0.2, "validation": 0.2}, (4,), (3,))
    assert found.labels is not None
    for rows, each in ((found.test_indices, 10), (found.validation_indices, 10)):
        assert torch.bincount(found.labels[rows]).tolist() == [each, each, each]


def test_every_sample_validates_in_one_fold_and_the_test_part_is_the_same_in_all():
    folds = [parts_of("digits", test=0.2, folds=4, fold=fold) for fold in (1, 2, 3, 4)]
    tests = [test for _, _, test in folds]
    assert tests == [tests[0]] * 4
    validated = sorted(row for _, validation, _ in folds for row in validation)
    assert validated == sorted(set(range(1797)) - set(tests[0]))
    for train, validation, test in folds:
        assert sorted(train + validation + test) == list(range(1797))


def test_folds_have_all_labels_in_proportion():
    labels = torch.tensor([0] * 10 + [1] * 20)
    for fold in (1, 2, 3, 4, 5):
        rest, chosen = fold_of(labels, 5, fold, seed=3)
        assert torch.bincount(labels[chosen]).tolist() == [2, 4]
        assert len(rest) == 24


def test_numbers_in_proportion_means_low_and_high_ones_in_every_part():
    numbers = torch.rand(100, generator=torch.Generator().manual_seed(1))
    _, chosen = split(numbers, 10, seed=0)
    tenths = numbers.argsort().argsort()[chosen] // 10
    assert sorted(tenths.tolist()) == list(range(10))
    assert parts_of("diabetes", stratify=True) != parts_of("diabetes")


def test_without_the_settings_samples_are_parted_as_ever():
    stratified = parts_of("digits", stratify=True)  # what is so anyway
    assert stratified == parts_of("digits")
    assert len(stratified[1]) == 359
    assert parts_of("diabetes", stratify=False) == parts_of("diabetes")
    assert parts_of("digits", stratify=False) != stratified


def test_pairs_of_the_test_part_are_of_its_samples_alone():
    project = open_project(PROJECTS / "siamese_digits.loom.json")
    project = replace(project, data={**project.data, "test": 0.1})
    report = analyse_project(project)
    found = load_project(project, *ends(report.inputs, report.outputs), 0)
    counts = found.info.train_size, found.info.validation_size, found.info.test_size
    assert counts == (5032, 1436, 720)
    assert found.test_indices.tolist() == list(range(6468, 7188))
    learned, tested = (found.all_inputs[0][rows].flatten(1).unique(dim=0)
                       for rows in (found.train_indices, found.test_indices))  # fmt: skip
    assert (len(learned), len(tested)) == (1258, 180)


@pytest.mark.parametrize(("settings", "message"), [
    ({"test": 0.5, "validation": 0.6}, "data.validation 0.6 and data.test 0.5 are 1.1 together"),
    ({"test": 0.9}, "data.validation 0.2 and data.test 0.9 are 1.1 together"),
    ({"test": 2}, "data.test is 2."),
    ({"test": True}, "data.test is true."),
    ({"test": "makers"}, 'data.test is "makers", but digits has no official test split.'),
    ({"folds": 1}, "data.folds is 1."),
    ({"folds": 2.5}, "data.folds is 2.5."),
    ({"fold": 2}, "data.fold is 2, but data.folds is not set."),
    ({"folds": 5, "fold": 6}, "data.fold is 6, and there are 5 folds."),
    ({"stratify": "yes"}, 'data.stratify is "yes".'),
])  # fmt: skip
def test_what_cannot_be_is_refused_in_a_sentence(settings: dict[str, Any], message: str):
    with pytest.raises(DataError) as error:
        read_settings({"source": "digits", **settings})
    assert error.value.message.startswith(message)
    assert error.value.hint


def test_proportions_of_what_has_no_class_are_refused():
    with pytest.raises(DataError, match="needs one class or number for each sample"):
        read_settings({"source": "waves", "stratify": True})


def test_more_folds_than_samples_are_refused():
    with pytest.raises(DataError) as error:
        load({"source": "spirals", "made": {"samples": 50}, "folds": 100, "fold": 80}, (2,), (2,))
    assert error.value.message == "data.folds leaves 50 training samples and 0 validation samples."
