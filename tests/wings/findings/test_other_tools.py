"""What counts as naming a planted fault, the same for every tool; the benchmark of them runs."""

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.wings.findings.bench import data_card
from tests.wings.findings.bench.other_tools import names
from tests.wings.findings.planted import Planted


def issue(kind: str, columns: tuple[str, ...] = (), rows: tuple[int, ...] = ()) -> dict[str, Any]:
    return {"kind": kind, "columns": list(columns), "rows": list(rows)}


def test_a_column_is_named_by_an_issue_of_its_kind_with_its_name() -> None:
    code = Planted("code", "leak", {}, ("species_id",))
    correlation = "FeatureLabelCorrelation"
    assert names("deepchecks", issue(correlation, ("age", "species_id")), code)
    assert not names("deepchecks", issue(correlation, ("age",)), code)
    assert not names("deepchecks", issue("DataDuplicates", ("species_id",)), code)
    assert not names("datalab", issue("non_iid"), code)


def test_rows_are_named_by_all_of_them_and_as_many_others_at_most() -> None:
    typo = Planted("typo", "outlier", {}, ("age",), (5, 9))
    assert names("datalab", issue("outlier", rows=(5, 9, 40, 77)), typo)
    assert not names("datalab", issue("outlier", rows=(5, 9, 40, 77, 80)), typo)
    assert not names("datalab", issue("outlier", rows=(5, 40)), typo)


def test_copies_are_named_without_a_column() -> None:
    assert names("datalab", issue("near_duplicate"), Planted("copies", "copies", {}))


def test_an_interpreter_without_the_tools_is_told(tmp_path: Path) -> None:
    out = tmp_path / "card.md"
    data_card.main(
        ["--part", "others", "--kinds", "typos", "--python", sys.executable, "--out", str(out)]
    )
    assert out.read_text("utf-8").splitlines()[-2:] == [
        "datalab: no interpreter has it.",
        "deepchecks: no interpreter has it.",
    ]


@pytest.mark.slow
def test_wrong_labels_of_a_table_in_folds_are_named(tmp_path: Path) -> None:
    out = tmp_path / "card.md"
    data_card.main(["--part", "labels", "--kinds", "wine", "--out", str(out)])
    sound, noisy = out.read_text("utf-8").splitlines()[-2:]
    assert sound == "| wine, in folds | none | 178 | 0 | 0, 0 | - | - | 0, 0 | - | - |"
    assert noisy.startswith("| wine, in folds | 5% | 178 | 9 | ")
    right, wrong = map(int, noisy.split(" | ")[4].split(", "))
    assert right >= 7
    assert wrong <= 1
