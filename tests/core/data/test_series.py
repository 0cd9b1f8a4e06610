"""A table whose rows are in time: windows after the split, scaling by the training rows alone."""

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.common.errors import DataError
from core.data import Dataset, describe, load
from core.data.facts.metadata import read_own
from tests.core.data.series_files import FIRST, WORN, rides, write_rides

PLAIN = {"source": "SeriesCSV", "file": "data/rides.csv", "date_column": "date", "window": 7}


@pytest.fixture(autouse=True)
def files(workspace: Path) -> Path:
    write_rides(workspace)
    return workspace


def series(workspace: Path, text: str, **settings: Any) -> Dataset:
    """Read a file of this text."""
    (workspace / "data/own.csv").write_text(text, "utf-8")
    return loaded({"source": "SeriesCSV", "file": "data/own.csv", **settings})


def loaded(data: dict[str, Any]) -> Dataset:
    facts = read_own(data)
    assert facts is not None
    return load(data, facts.source.shape, (facts.source.ahead,))


def by_numpy(file: Path) -> tuple[np.ndarray, np.ndarray]:
    """The days of worn.csv that windows are cut of, and their columns, by rules written anew."""
    lines = file.read_text("utf-8").splitlines()[1:]
    cells = {}
    for line in lines:  # of one date the last
        day, warm, count, _ = line.split(";")
        if day:
            date = datetime.datetime.strptime(day, "%d.%m.%Y").date()
            cells[date] = (warm.replace(",", ".") or "nan", count.replace("NA", "nan"))
    rows = [(float(warm), float(count)) for _, (warm, count) in sorted(cells.items())]
    return np.array([d.toordinal() for d in sorted(cells)]), np.array(rows)


def test_windows_and_targets_are_those_of_another_calculation(workspace: Path) -> None:
    data = loaded(WORN | {"ahead": 3, "normalize": False})
    days, raw = by_numpy(workspace / "data/worn.csv")
    filled = raw.copy()
    for row in range(1, len(filled)):
        filled[row] = np.where(np.isnan(raw[row]), filled[row - 1], filled[row])
    filled, raw = filled[1:], raw[1:]  # the first day has no temperature
    assert days[0] == FIRST.toordinal()
    count = len(filled) - 7 - 3 + 1
    windows = np.stack([filled[row : row + 7] for row in range(count)])
    targets = np.stack([raw[row + 7 : row + 10, 1] for row in range(count)])
    assert torch.equal(data.inputs, torch.tensor(windows, dtype=torch.float32))
    assert np.array_equal(data.targets.numpy(), targets.astype(np.float32), equal_nan=True)
    used = torch.cat([data.train_indices, data.validation_indices])
    assert not data.targets[used].isnan().any()


def days_of(data: Dataset, rows: torch.Tensor, first: int, last: int) -> set[int]:
    """The rows that these windows have, from one of their places to another."""
    return {row + place for row in rows.tolist() for place in range(first, last)}


@pytest.mark.parametrize("more", [{}, {"gap": 4}, {"folds": 3, "fold": 2}, {"gap": "3 days"}])
def test_no_row_of_a_later_part_is_in_a_window_of_an_earlier_one(more: dict[str, Any]) -> None:
    data = loaded(PLAIN | {"ahead": 2, "test": 0.2} | more)
    parts = [data.train_indices, data.validation_indices, data.test_indices]
    assert all(len(part) > 0 for part in parts)
    targets = [days_of(data, part, 7, 9) for part in parts]
    train, validation = (days_of(data, part, 0, 9) for part in parts[:2])
    assert not train & (targets[1] | targets[2])
    assert not validation & targets[2]
    gap = more.get("gap", 0)
    least = {0: 1, 4: 5, "3 days": 4}[gap]
    assert min(targets[1]) - max(train) == least
    assert min(targets[2]) > max(targets[1])


def test_the_numbers_of_a_page_are_those_of_the_windows_that_are_made() -> None:
    data = loaded(WORN | {"ahead": 2, "test": 0.1, "gap": "2 days"})
    info = describe(WORN | {"ahead": 2, "test": 0.1, "gap": "2 days"}, (7, 2), (2,))
    found = (info.train_size, info.validation_size, info.test_size)
    assert found == tuple(
        map(len, (data.train_indices, data.validation_indices, data.test_indices))
    )
    assert info.summary.endswith("; split in time with a gap of 2 days.")


def test_inputs_and_targets_are_scaled_by_training_rows_alone() -> None:
    data = loaded(PLAIN)
    counts = np.array([count for _, _, count in rides()], np.float32)
    warm = np.array([warm for _, warm, _ in rides()], np.float32)
    learned = data.train_indices.tolist()
    rows = np.concatenate([np.arange(row, row + 7) for row in learned])
    assert rows.max() + 1 == 95  # 96 rows are learned from: the last one is only a target
    assert data.mean is not None
    assert data.std is not None
    expected = [warm[rows].mean(), counts[rows].mean()]
    assert data.mean.numpy() == pytest.approx(np.tile(expected, (7, 1)), rel=1e-5)
    targets = counts[[row + 7 for row in learned]]
    assert data.target_mean == pytest.approx(targets.mean(), rel=1e-5)
    assert data.target_std == pytest.approx(targets.std(), rel=1e-5)


def test_what_becomes_of_missing_values_and_dates_is_said() -> None:
    facts = read_own(WORN)
    assert facts is not None
    assert facts.layout["notes"] == [
        "Left out: 1 row whose date comes again below; the last one counts.",
        "Left out: the first row, before every column has a value.",
        "Filled: 20 missing values, by the last known one of their column.",
        "Never predicted: 9 rows without rentals.",
        "2 gaps in the dates, the longest 3 days instead of 1 day: a window counts rows, not days.",
    ]


def test_without_a_date_column_rows_are_in_time_as_they_stand(workspace: Path) -> None:
    text = "hour,load\n" + "".join(f"{i % 24},{i}\n" for i in range(60))
    data = series(workspace, text, window=5, normalize=False)
    assert data.inputs.shape == (55, 5, 2)
    assert data.targets[:3, 0].tolist() == [5, 6, 7]
    assert data.validation_indices.tolist() == list(range(43, 55))


REFUSED = {
    "one date": ("date,x\n" + "2024-01-01,1\n" * 9, {"date_column": "date"},
                 "Column date of data/own.csv has the same date in every row."),
    "dates twice": ("date,x\n" + "2024-01-01,1\n2024-01-02,3\n" * 9, {"date_column": "date"},
                    "data/own.csv has '2024-01-01' in 9 rows of column date, and 16 of 18 rows "
                    "have the date of another: a series has one row for each date."),
    "no dates": ("name,x\n" + "Ada,1\nBo,3\n" * 9, {"date_column": "name"},
                 "Row 2 of data/own.csv, column name, is 'Ada', neither a date nor a number: the "
                 "column has no order in time."),
    "words": ("x,word\n1,dry\n2,wet\n3,dry\n", {"target_column": "word"},
              "Row 2 of data/own.csv, column word, is 'dry', not a number: a target of a series "
              "needs numbers."),
    "no numbers": ("a,b\nx,y\ny,x\n", {}, "data/own.csv has no column of numbers beside its "
                   "others."),
    "short": ("x,y\n1,2\n2,3\n3,4\n", {"window": 9}, "data/own.csv has 3 rows in time with a value "
              "in each column, but a window reads 9 and predicts 1 more."),
    "one row": ("x,y\n1,2\n", {}, "data/own.csv has 2 rows."),
    "long for a part": ("x,y\n" + "".join(f"{i},1\n" for i in range(30)), {"window": 24},
                        "No training samples are left: data/own.csv has 30 rows in time. A "
                        "training window reads 24 of them and predicts 1 more, and each later part "
                        "needs 1."),
    "unknown": ("x,y\n1,2\n2,3\n", {"target_column": "z"},
                "data/own.csv has no column 'z', which the project names."),
    "empty": ("x,y\n" + "1,\n" * 30, {"columns": ["x", "y"], "window": 2, "target_column": "x"},
              "Column y of data/own.csv has no value."),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_series_is_refused_in_a_sentence(name: str, workspace: Path) -> None:
    text, settings, message = REFUSED[name]
    with pytest.raises(DataError) as error:
        series(workspace, text, **settings)
    assert error.value.message == message


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"split": "random"}, 'data.split is "random", but a series is split in time: the last '
         "rows validate."),
        ({"split": "time", "split_by": "date"}, 'data.split_by is "date", but data.date_column '
         "orders a series."),
        ({"window": 0}, "data.window is 0."),
        ({"ahead": "2"}, 'data.ahead is "2".'),
        ({"date_column": None}, "data.date_column is null."),
        ({"date_column": "", "gap": "2 days"}, 'data.gap is "2 days", but data.date_column is not '
         "set."),
        ({"fill": {"rentals": "mean"}}, "data.fill is not a setting of SeriesCSV."),
        ({"target_column": "date"}, 'data.target_column is "date", which is the date column.'),
    ],
)  # fmt: skip
def test_a_setting_that_does_not_suit_is_named(more: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as error:
        read_own(PLAIN | more)
    assert error.value.message == message


def test_an_input_that_would_mix_rows_and_columns_is_refused() -> None:
    read_own(PLAIN)
    with pytest.raises(DataError, match="Set its shape to \\[7, 2\\]"):
        describe(PLAIN, (2, 7), (1,))
