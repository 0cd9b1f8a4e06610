"""A row of a table is filled in as in the exported web page, beginning with the sample shown."""

from pathlib import Path

import pytest
import torch
from sklearn.datasets import load_iris

from core.data import load
from core.data.batches.file_rows import row_of
from core.data.facts.metadata import read_own
from core.data.facts.row_fields import row_fields
from core.insight.one_sample.api import look
from core.insight.one_sample.custom_input import own_inputs, ways
from core.insight.one_sample.sample import dataset_of
from tests.core.data import gaps
from tests.core.data.own_sets import write_table
from tests.core.insight.one_sample.test_custom_input import ref_of

PLANS = ("basic", "plus", "pro")


def test_the_row_of_the_sample_shown_is_in_the_data_s_own_numbers() -> None:
    ref = ref_of("mlp_iris")
    dataset = dataset_of(ref)
    found = look(ref, {"part": "validation", "index": 3}, "")["ways"]["row"]
    standardised = dataset.inputs[dataset.validation_indices[3]]
    assert dataset.mean is not None
    assert dataset.std is not None
    numbers = torch.tensor(load_iris().data).float()
    place = (numbers - (standardised * dataset.std + dataset.mean)).abs().sum(1).argmin()
    assert found == [float(f"{v:g}") for v in numbers[place].tolist()]
    assert look(ref, {"own": {"row": found}}, "")["ways"]["row"] == found


@pytest.mark.usefixtures("workspace")
def test_a_category_is_one_field_with_its_words(workspace: Path) -> None:
    rows = [f"{PLANS[i % 3]},{i},{'yes' if i % 2 else 'no'}" for i in range(12)]
    write_table(workspace / "data/t.csv", "plan,calls,left\n" + "\n".join(rows) + "\n")
    settings = {"source": "CSV", "file": "data/t.csv", "target_column": "left"}
    read_own(settings)
    dataset = load(settings, (4,), (2,))
    assert ways(dataset)["fields"] == [
        {"name": "plan", "places": [0, 1, 2], "words": list(PLANS)},
        {"name": "calls", "places": [3], "words": []},
    ]
    assert [f.name for f in row_fields(dataset.info, (0, 1, 2, 3))] == ["plan", "calls"]
    given = own_inputs(dataset, {"row": [0, 1, 0, 7]})
    assert row_of(dataset, given) == {"row": [0.0, 1.0, 0.0, 7.0], "cells": ["plus", "7"]}


def test_a_field_may_be_left_empty_where_training_filled_missing_values(workspace: Path) -> None:
    project = gaps.project(workspace)
    dataset = load(project.data, (gaps.FEATURES,), (2,))
    age, size, plan, city, calls = ways(dataset)["fields"]
    assert dataset.fillers is not None
    mean = dataset.fillers[0].item()
    assert age["fill"] == [mean]
    assert age["filler"] == f"{mean:.6g}, the mean of the training samples"
    assert size["filler"].endswith(", the median of the training samples")
    assert (plan["words"], plan["fill"]) == (["basic", "pro"], [0.0, 1.0])
    assert plan["filler"] == "pro, the most frequent value of the training samples"
    assert city["words"] == ["Bonn", "Jena", "missing"]
    assert [set(field) for field in (city, calls)] == [{"name", "places", "words"}] * 2


def test_a_number_says_how_far_it_is_from_its_target_and_a_class_does_not() -> None:
    sample = {"part": "validation", "index": 3}
    found = look(ref_of("regression_diabetes"), sample, "")
    words = found["target"], found["prediction"]["words"], found["prediction"]["error"]
    target, predicted, error = (float(text.replace(",", "")) for text in words)
    assert error == pytest.approx(predicted - target, abs=1.5)  # each has three digits
    assert "error" not in look(ref_of("mlp_iris"), sample, "")["prediction"]
