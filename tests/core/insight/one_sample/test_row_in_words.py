"""A row of one's own is given in the words of its file, and begins with the sample as it stands."""

import datetime
from pathlib import Path

import pytest
import torch

from core.data import DataError, load
from core.data.batches.file_rows import row_of
from core.data.facts.metadata import read_own
from core.data.facts.row_fields import InputField
from core.data.facts.row_words import row_words, shortest
from core.data.table.dates import FORMATS
from core.export.subject import subject_of
from core.insight.one_sample.custom_input import own_inputs, ways
from core.samples.date_parts import date_parts
from tests.core.data import gaps
from tests.core.data.own_sets import write_table
from tests.core.data.table_spellings import SPELLINGS
from tests.core.export.test_one_row_reader import project

LINES = ("2023-10-19;17,5;no", "2023-02-02;97,25;yes", "2023-03-02;32,0;no", "2023-08-19;63,5;yes")


@pytest.fixture
def dated(workspace: Path):
    write_table(workspace / "data/dates.csv", "\n".join(["joined;income;buys", *LINES]) + "\n")
    settings = {"source": "CSV", "file": "data/dates.csv"}
    read_own(settings)
    return load(settings, (4,), (2,))


def test_a_date_is_asked_for_as_the_file_writes_it(dated) -> None:
    joined, income = ways(dated)["fields"]
    assert (joined["name"], joined["date"], joined["places"]) == ("joined", "1999-12-31", [0, 1, 2])
    assert income["name"] == "income"
    assert "date" not in income


def test_the_row_that_is_shown_is_the_row_of_the_file(dated) -> None:
    shown = [row_of(dated, (dated.inputs[i : i + 1],))["cells"] for i in range(4)]
    assert shown == [
        ["2023-10-19", "17,5"],
        ["2023-02-02", "97,25"],
        ["2023-03-02", "32"],
        ["2023-08-19", "63,5"],
    ]


@pytest.mark.parametrize(
    "own",
    [
        {"cells": ["2023-10-19", "17,5"]},
        {"cells": [" 2023-10-19 ", "17.5"]},
        {"cells": ["2023-10-19", "17,5", "no"]},
        {"line": "2023-10-19;17,5;no"},
        {"line": "2023-10-19;17,5"},
        {"line": "\ufeffjoined;income;buys\r\n2023-10-19;17,5;no\r\n"},
        {"line": "buys\tid\tincome\tjoined\nno\t7\t17.5\t2023-10-19"},
    ],
)
def test_a_row_in_the_words_of_the_file_is_the_sample(dated, own) -> None:
    (given,) = own_inputs(dated, own)
    assert torch.equal(given[0], dated.inputs[0])


@pytest.mark.parametrize(
    ("own", "message"),
    [
        (
            {"cells": ["19.10.2023", "1"]},
            "written as 1999-12-31, but receives '19.10.2023'",
        ),
        ({"cells": ["2023-10-19", "much"]}, "needs a number for income but receives 'much'"),
        ({"cells": ["2023-10-19", ""]}, "needs a number for income but receives ''"),
        ({"line": "2023-10-19"}, "The row has no column 'joined'"),
        ({"line": "joined;income"}, "The row has no column 'joined'"),
        ({"line": ""}, "There are no samples"),
    ],
)
def test_what_is_no_row_of_the_file_is_said(dated, own, message: str) -> None:
    with pytest.raises(DataError, match=message):
        own_inputs(dated, own)


@pytest.mark.parametrize("name", SPELLINGS)
def test_the_sample_shown_is_itself_when_it_is_given_again(name: str, workspace: Path) -> None:
    subject = subject_of(project(workspace, name))
    assert subject.opened is not None
    dataset = subject.opened.dataset
    assert dataset is not None
    for i in range(len(dataset.inputs)):
        given = dataset.inputs[i : i + 1]
        (again,) = own_inputs(dataset, {"cells": row_of(dataset, (given,))["cells"]})
        assert torch.equal(again, given), name


def test_an_empty_cell_is_filled_as_in_training(workspace: Path) -> None:
    dataset = load(gaps.project(workspace).data, (gaps.FEATURES,), (2,))
    (given,) = own_inputs(dataset, {"cells": ["", "", "", "", "3"]})
    assert dataset.mean is not None
    assert dataset.std is not None
    assert dataset.fillers is not None
    row = given[0] * dataset.std + dataset.mean
    expected = [dataset.fillers[0].item(), 2.5, 0, 1, 0, 0, 1, 3]
    assert row.tolist() == pytest.approx(expected, abs=1e-5)


def test_every_format_of_dates_is_written_as_it_is_read() -> None:
    for form in FORMATS:
        parts = ("days", "month", "weekday", "hour")
        numbers = torch.tensor(date_parts(_written(form), form, parts)).tolist()
        field = InputField("day", (0, 1, 2, 3), date=form, parts=parts)
        (text,) = row_words([field], numbers)
        assert torch.tensor(date_parts(text, form, parts)).tolist() == numbers, form
        (few,) = row_words([InputField("day", (0, 1), date=form, parts=parts[1:3])], numbers[1:3])
        assert date_parts(few, form, parts[1:3]) == numbers[1:3], form


def _written(form: str) -> str:
    return datetime.datetime(2023, 5, 31, 23, 59, 58, tzinfo=datetime.UTC).strftime(form)


def test_a_number_has_the_fewest_digits_that_give_it_again() -> None:
    mean, std = 1234567.3, 99999.7
    whole = torch.tensor([1247140.0, 1221356.5, 0.1, 17.0])
    values = (whole - torch.tensor(mean)) / torch.tensor(std)
    found = shortest(values.tolist(), [mean] * 4, [std] * 4)
    assert found[:2] == [1247140.0, 1221356.5]
    assert torch.equal((torch.tensor(found) - torch.tensor(mean)) / torch.tensor(std), values)
    field = InputField("price", (0,), decimal=",")
    for number, text in (
        (1234567.9, "1234567,9"),
        (1e-05, "0,00001"),
        (-3.0, "-3"),
        (2e20, "2e+20"),
    ):
        assert row_words([field], [number]) == [text]
