"""Runs are listed by when they were made, also where the clock was set back between two of them."""

import os
from pathlib import Path

import pytest

from core.runs.files import write_json
from core.runs.listing import list_runs
from core.runs.order import newest_first


@pytest.mark.parametrize(
    ("made_s", "expected"),
    [
        ({"a-001": 1.0, "b-001": 3.0, "a-002": 2.0}, ["b-001", "a-002", "a-001"]),
        ({"a-001": 9.0, "a-002": 2.0, "a-003": 2.0}, ["a-003", "a-002", "a-001"]),
        ({"a-001": 9.0, "a-002": 2.0, "b-001": 5.0}, ["a-002", "a-001", "b-001"]),
        ({"a-999": 2.0, "a-1000": 1.0}, ["a-1000", "a-999"]),
        ({"copy of a": 2.0, "a-001": 3.0, "a-b-001": 1.0}, ["a-001", "copy of a", "a-b-001"]),
        ({}, []),
    ],
)
def test_a_run_is_never_older_than_one_with_a_lower_number(
    made_s: dict[str, float], expected: list[str]
) -> None:
    assert newest_first(made_s) == expected


def test_the_newest_run_comes_first_where_the_clock_was_set_back(tmp_path: Path) -> None:
    for name, made_s in (("net-001", 4e9), ("net-002", 1e9)):
        (tmp_path / name).mkdir()
        write_json(tmp_path / name / "spec.json", {"project": "Net"})
        os.utime(tmp_path / name / "spec.json", (made_s, made_s))
    assert [view.name for view in list_runs(tmp_path)] == ["net-002", "net-001"]
