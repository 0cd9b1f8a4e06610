"""Gaps, codes for missing values, cells far outside and empty columns of a series."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.data.facts.metadata import read_own
from core.wings.findings.card import data_card
from tests.wings.findings.planted import Rows, ordered, put, write
from tests.wings.findings.planted_series import every
from tests.wings.findings.texts import series


@pytest.fixture
def findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The findings on a series."""
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))

    def found(table: Rows) -> Any:
        write(table, tmp_path / "table.csv")
        data = {"source": "SeriesCSV", "file": "table.csv", "date_column": "day"}
        read_own(data)
        return data_card(data).findings

    return found


@pytest.fixture
def table() -> Rows:
    return series(np.random.default_rng(1))


@pytest.mark.parametrize("working_days", [False, True])
def test_a_sound_series_gives_no_finding(findings: Any, working_days: bool) -> None:
    assert findings(series(np.random.default_rng(1), working_days=working_days)) == ()


def test_a_gap_is_named_by_the_row_before_it_and_its_length(findings: Any, table: Rows) -> None:
    left = [row for row in range(300) if not 100 <= row < 109]
    (finding,) = findings(ordered(table, left))
    assert (finding.kind, finding.columns, finding.rows) == ("gap", ("day",), (101,))
    assert finding.sentence.startswith(
        "A gap in day, after row 101: 10 days to the next row, elsewhere at most 1 day."
    )


def test_a_code_for_missing_values_is_named_once_and_mended(findings: Any, table: Rows) -> None:
    for row in (3, 40, 41):
        table["level"][row] = -999
    (finding,) = findings(table)
    assert (finding.kind, finding.columns, finding.rows) == ("sentinel", ("level",), (5, 42, 43))
    assert finding.mend.title == "Read -999 as missing"
    read_own(finding.mend.data)
    assert data_card(finding.mend.data).findings == ()


def test_a_cell_far_outside_is_mended_without_leaving_out_its_row(
    findings: Any, table: Rows
) -> None:
    table["temperature"][7] = 12345678
    (finding,) = findings(table)
    assert (finding.kind, finding.rows) == ("outlier", (9,))
    assert finding.mend.title == "Read 12345678 as missing"
    read_own(finding.mend.data)
    assert data_card(finding.mend.data).findings == ()


def test_constant_and_nearly_empty_columns_are_left_out_by_a_mend(
    findings: Any, table: Rows
) -> None:
    table = put(table, "sensor", [4.5] * 300)
    table = put(table, "rain", [1.5, 2.5, *[""] * 298])
    found = findings(table)
    assert [(f.kind, f.columns) for f in found] == [
        ("constant", ("sensor",)),
        ("empty", ("rain",)),
    ]
    assert found[0].mend.data["columns"] == ["temperature", "rain", "level"]


def test_a_column_with_the_target_of_a_later_row_is_left_out(findings: Any, table: Rows) -> None:
    level = table["level"]
    (finding,) = findings(put(table, "tomorrow", [*(2 * v for v in level[1:]), 2 * level[-1]]))
    assert (finding.kind, finding.columns) == ("leak", ("tomorrow",))
    assert finding.sentence.startswith(
        "tomorrow is level 1 row later in other words (R² 1.0000; level itself reaches 0.99)"
    )
    assert finding.mend.title == "Leave out tomorrow"
    read_own(finding.mend.data)
    assert data_card(finding.mend.data).findings == ()


def test_a_column_with_the_target_of_an_earlier_row_is_sound(findings: Any, table: Rows) -> None:
    level = table["level"]
    assert findings(put(table, "yesterday", [level[0], *level[:-1]])) == ()


def test_rows_in_any_order_are_ordered_by_their_dates(findings: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    write(ordered(series(rng), rng.permutation(300)), tmp_path / "table.csv")
    data = {"source": "SeriesCSV", "file": "table.csv"}
    read_own(data)
    (finding,) = data_card(data).findings
    assert (finding.kind, finding.columns) == ("time", ("day",))
    assert 130 < finding.count < 170
    assert finding.mend.title == "Order the rows by day"
    assert finding.mend.data == {**data, "date_column": "day"}
    read_own(finding.mend.data)
    assert data_card(finding.mend.data).findings == ()


PLANTED = {case.planted.name: case for _, case in every(7) if case.planted.target == "level"}


@pytest.mark.parametrize("name", PLANTED)
def test_every_planted_fault_of_a_series_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = PLANTED[name]
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    write(case.planted.table, tmp_path / "table.csv")
    given = {"source": "SeriesCSV", "file": "table.csv", "date_column": "day", **case.settings}
    data = {key: value for key, value in given.items() if value is not None}
    read_own(data)
    named = [f for f in data_card(data).findings if f.kind == case.planted.kind]
    assert [f.columns for f in named] == [case.planted.columns]
    assert not case.planted.rows or named[0].rows == case.planted.rows
