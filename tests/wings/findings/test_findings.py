"""Each kind of fault is named with its columns or rows, its mend removes it, sound data is calm."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.services.data_guess import guess_and_read
from core.data.table import cells
from core.wings.findings.card import data_card
from core.wings.findings.finding import percent
from tests.wings.findings.conftest import again
from tests.wings.findings.planted import KINDS, MAKERS, ordered, people, put

MENDED = {
    "leak",
    "one_hot",
    "formula",
    "row_number",
    "group",
    "time",
    "outlier",
    "sentinel",
    "code",
    "words",
    "copies",
}


@pytest.mark.parametrize("kind", MAKERS)
def test_a_planted_fault_is_named_and_its_mend_removes_it(kind: str, read: Any) -> None:
    planted = MAKERS[kind](np.random.default_rng(7))[0]
    found = data_card(read(planted.table, planted.target)).findings
    (finding, *_) = [f for f in found if f.kind == planted.kind]
    assert finding.columns == planted.columns or set(finding.columns) == set(planted.columns)
    assert not planted.rows or finding.rows == planted.rows
    assert (finding.mend is not None) == (planted.kind in MENDED)
    if finding.mend:
        assert planted.kind not in {f.kind for f in again(finding.mend.data).findings}


def test_a_leak_tells_its_score_the_baseline_and_what_others_reach(read: Any) -> None:
    table = people(np.random.default_rng(1), classes=3)
    codes = [KINDS.index(kind) + 1 for kind in table["label"]]
    (finding,) = data_card(read(put(table, "species_id", codes))).findings
    assert finding.sentence.startswith(
        "species_id predicts 100 % of label by itself (always the most frequent class: 33 %; all "
        "other columns together: 60 %). "
    )
    assert finding.score == 1
    assert finding.baseline == pytest.approx(1 / 3)
    assert finding.mend is not None
    assert finding.mend.data["columns"] == ["age", "height", "income", "city"]
    assert finding.verdict == "species_id alone reaches 100 %"


def test_rows_of_one_patient_are_counted_on_the_split_of_the_project(read: Any) -> None:
    planted = MAKERS["rows of one patient on both sides"](np.random.default_rng(7))[0]
    data = read(planted.table)
    (finding,) = data_card(data, seed=3).findings
    assert finding.sentence.startswith("48 of 48 validation rows have the same patient")
    assert finding.mend is not None
    assert dict(finding.mend.data) == {**data, "split": "group", "split_by": "patient"}


def test_a_cell_far_outside_becomes_a_missing_value_whose_row_is_left_out(read: Any) -> None:
    table = people(np.random.default_rng(1))
    table["height"][9] = 17200000
    data = read(table)
    (finding,) = data_card(data).findings
    assert finding.rows == (11,)
    assert finding.mend is not None
    assert finding.mend.data["missing"] == ["17200000"]
    assert finding.mend.data["fill"] == {"height": "drop"}


@pytest.mark.parametrize(
    "source", ["iris", "wine", "breast_cancer", "diabetes", "moons", "spirals"]
)
def test_sound_data_gives_no_finding(source: str) -> None:
    assert data_card({"source": source}).findings == ()


def test_a_strong_feature_and_long_tails_are_no_fault(read: Any) -> None:
    rng = np.random.default_rng(2)
    table = people(rng, 300)
    strong = [KINDS.index(kind) + rng.normal(0, 0.2) for kind in table["label"]]
    table = put(table, "strong", np.round(strong, 3))
    table = put(table, "views", np.exp(rng.normal(5, 2, 300)).round())
    assert data_card(read(table)).findings == ()


def test_a_column_that_many_columns_can_replace_is_no_leak(read: Any) -> None:
    label = np.arange(200) % 2
    rng = np.random.default_rng(3)
    table = {f"x{i}": (label * 9 + rng.normal(0, 1, 200)).round(3).tolist() for i in range(3)}
    table["label"] = [KINDS[i] for i in label]
    assert data_card(read(table)).findings == ()


def test_of_a_large_table_some_rows_are_looked_at(
    read: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.wings.findings.table_view.MOST_CELLS", 10_000)
    table = people(np.random.default_rng(1), 2500)
    card = data_card(read(table))
    assert card.looked == "2,000 of 2,500 rows were looked at, drawn at random."
    assert card.findings == ()


def test_a_table_of_nothing_but_copies_is_one_finding(read: Any) -> None:
    rng = np.random.default_rng(1)
    table = ordered(people(rng, 30), rng.permutation([*range(30)] * 4))
    (finding,) = data_card(read(table)).findings
    assert (finding.kind, finding.count, finding.score) == ("copies", 24, 1.0)


def test_rows_of_a_few_categories_repeat_by_themselves(read: Any) -> None:
    rng = np.random.default_rng(1)
    table = {name: rng.choice([*KINDS], 200).tolist() for name in ("a", "b", "label")}
    assert data_card(read(table)).findings == ()


def test_a_share_is_never_rounded_up_to_all_of_it() -> None:
    assert [percent(s) for s in (0.5, 0.996, 0.9999, 1.0)] == ["50 %", "99.6 %", "99.9 %", "100 %"]


def test_a_file_is_not_read_again_for_each_of_its_columns(
    read: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, reads, counts = cells._frame, [0], list[int]()

    def counted(*args: Any, **more: Any) -> Any:
        reads[0] += 1
        return frame(*args, **more)

    monkeypatch.setattr(cells, "_frame", counted)
    for columns in (20, 40):
        rng = np.random.default_rng(0)
        table = {f"c{i}": [str(n) for n in rng.integers(0, 999, 60)] for i in range(columns)}
        table["c3"][7] = "4000000"  # an outlier, whose mend names what is missing in all columns
        data = read(table | {"label": [KINDS[i % 2] for i in range(60)]})
        reads[0] = 0
        data_card(data)
        counts.append(reads[0])
    assert counts == [4, 4]


@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
def test_codes_with_a_leading_zero_are_named_whatever_parts_the_cells(
    separator: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    rng = np.random.default_rng(0)
    rows = [[f"{n:05d}", str(n % 7), KINDS[n % 2]] for n in rng.integers(1000, 99000, 80)]
    lines = [separator.join(row) for row in [["zip", "size", "label"], *rows]]
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    data, _, error = guess_and_read({"source": "CSV", "file": "table.csv"})
    assert error == ""
    assert [f.columns for f in data_card(data).findings if f.kind == "code"] == [("zip",)]
