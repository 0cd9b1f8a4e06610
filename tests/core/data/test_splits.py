"""A split by group, in time or by a column, read from files: both sides, numbers, and errors."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from core.data import DataError, describe, load, read_settings
from core.data.batches.dataset import Dataset
from core.data.facts.metadata import read_own

ROWS = 60


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    return tmp_path


@pytest.fixture
def visits(workspace: Path) -> list[list[str]]:
    """visits.csv: 12 patients with 5 visits each, out of order, on 20 days, in three sites."""
    rows = [
        [f"p{k // 5:02}", f"{(k * 7) % 20 + 1:02}.03.2021", "ABC"[k % 3], f"{k % 11}", "ny"[k % 2]]
        for k in range(ROWS)
    ]
    lines = ["patient;day;site;dose;ill", *(";".join(row) for row in rows)]
    (workspace / "visits.csv").write_text("\n".join(lines) + "\n")
    return rows


TABLE = {"source": "CSV", "file": "visits.csv", "columns": ["dose"]}


def loaded(seed: int = 0, **data: Any) -> Dataset:
    """The data as a run has it; what is told of its parts beforehand is so."""
    given = {**TABLE, **data}
    facts = read_own(given)
    assert facts is not None
    found = load(given, facts.source.shape, (2,), seed)
    sizes = [len(part) for part in parts_of(found)]
    assert sizes == [found.info.train_size, found.info.validation_size, found.info.test_size]
    return found


def parts_of(found: Dataset) -> list[list[int]]:
    rows = (found.train_indices, found.validation_indices, found.test_indices)
    return [part.tolist() for part in rows]


def test_groups_that_validate_are_counted(visits: list[list[str]]) -> None:
    found = loaded(split="group", split_by="patient", validation=0.25)
    validating = {visits[row][0] for row in parts_of(found)[1]}
    assert found.validation_groups() == len(validating) == 3
    few = loaded(split="group", split_by="patient", validation=0.25, limit=10)
    assert few.validation_groups() == 3  # though rows that are not learned from are not loaded
    assert loaded(validation=0.25).validation_groups() == 0


def refused(**data: Any) -> DataError:
    given = {**TABLE, **data}
    with pytest.raises(DataError) as error:
        described(given)
    assert error.value.hint
    return error.value


def described(data: dict[str, Any]) -> None:
    """Read own data, and say what is in its parts."""
    facts = read_own(data)
    assert facts is not None
    describe(data, facts.source.shape)


def test_no_patient_is_on_two_sides_and_other_seeds_draw_others(visits: list[list[str]]):
    asked = {"split": "group", "split_by": "patient", "test": 0.2}
    found = [loaded(seed, **asked) for seed in range(4)]
    for each in found:
        sides = [{visits[row][0] for row in part} for part in parts_of(each)]
        assert [len(side) for side in sides] == [8, 2, 2]
        assert len(set.union(*sides)) == 12
    assert len({str(parts_of(each)) for each in found}) == 4
    assert len({each.judges for each in found}) == 4
    fixed = [loaded(seed, **asked, split_seed=3) for seed in range(2)]
    assert parts_of(fixed[0]) == parts_of(fixed[1]) == parts_of(found[3])


def test_no_day_is_on_two_sides_and_the_gap_is_left_out(visits: list[list[str]]):
    found = loaded(split="time", split_by="day", gap="2 days", test=0.1)
    days = [[int(visits[row][1][:2]) for row in part] for part in parts_of(found)]
    assert (max(days[0]), min(days[1]), max(days[1]), min(days[2])) == (10, 13, 16, 19)
    assert found.info.summary.endswith("; split in time (day) with a gap of 2 days.")


def test_rows_without_a_date_are_parted_in_their_order(visits: list[list[str]]):
    train, validation, _ = parts_of(loaded(split="time", gap=3))
    assert (train, validation) == (list(range(45)), list(range(48, 60)))
    numbers = loaded(split="time", split_by="dose", columns=["site"], target_column="ill")
    doses = [{int(visits[row][3]) for row in part} for part in parts_of(numbers)[:2]]
    assert max(doses[0]) < min(doses[1])


def test_a_column_names_the_parts(workspace: Path, visits: list[list[str]]):
    chosen = {"validation": ["B"], "test": ["C"]}
    found = loaded(split="column", split_by="site", split_values=chosen)
    sites = [{visits[row][2] for row in part} for part in parts_of(found)]
    assert sites == [{"A"}, {"B"}, {"C"}]
    text = (workspace / "visits.csv").read_text()
    for old, new in (("A", "Train"), ("B", "VAL"), ("C", "test")):
        text = text.replace(f";{old};", f";{new};")
    (workspace / "visits.csv").write_text(text)
    assert parts_of(loaded(split="column", split_by="site")) == parts_of(found)
    (workspace / "visits.csv").write_text(text.replace("VAL", "train"))
    drawn = loaded(split="column", split_by="site")
    assert [len(part) for part in parts_of(drawn)] == [32, 8, 20]
    assert parts_of(drawn)[2] == parts_of(found)[2]


@pytest.mark.parametrize(("asked", "key"), [
    ({"split": "group", "split_by": "patient"}, 0),
    ({"split": "time", "split_by": "day"}, 1),
    ({"split": "column", "split_by": "site"}, 2),
])  # fmt: skip
def test_folds_of_each(visits: list[list[str]], asked: dict[str, Any], key: int):
    found = [parts_of(loaded(**asked, folds=3, fold=fold)) for fold in (1, 2, 3)]
    for train, validation, _ in found:
        assert not {visits[row][key] for row in train} & {visits[row][key] for row in validation}
    validated = [row for _, validation, _ in found for row in validation]
    assert len(validated) == len(set(validated))
    assert len(validated) == (45 if key == 1 else ROWS)


def test_classes_are_in_proportion_in_groups(workspace: Path):
    rows = [f"p{k // 10},{k % 7},{'ill' if k // 10 % 5 == 0 else 'well'}" for k in range(400)]
    (workspace / "visits.csv").write_text("\n".join(["patient,dose,ill", *rows]) + "\n")
    for seed in range(3):
        found = loaded(seed, split="group", split_by="patient")
        assert found.labels is not None
        ill = found.labels[found.validation_indices] == found.classes.index("ill")
        assert (len(ill), int(ill.sum())) == (80, 20) or abs(int(ill.sum()) - 16) <= 4
    free = loaded(0, split="group", split_by="patient", stratify=False)
    assert free.info.validation_size == 80


def test_groups_and_parts_are_no_inputs_unless_they_are_named_and_a_time_is(
    workspace: Path, visits: list[list[str]]
):
    plain = {"source": "CSV", "file": "visits.csv"}
    for asked, columns in (
        ({"split": "group", "split_by": "patient"}, ("day", "site", "dose")),
        ({"split": "column", "split_by": "site", "folds": 3}, ("patient", "day", "dose")),
        ({"split": "time", "split_by": "day"}, ("patient", "day", "site", "dose")),
    ):
        facts = read_own({**plain, **asked})
        assert facts is not None
        names = dict.fromkeys(
            name.partition("=")[0].partition(" ")[0] for name in facts.source.columns
        )
        assert tuple(names) == columns


def test_rows_without_a_group_are_named_and_may_be_left_out(
    workspace: Path, visits: list[list[str]]
):
    text = (workspace / "visits.csv").read_text().replace("p03;", ";", 1)
    (workspace / "visits.csv").write_text(text)
    error = refused(split="group", split_by="patient")
    assert error.message == "Row 17 of visits.csv, column patient, is empty."
    assert '{"patient": "drop"}' in error.hint
    found = loaded(split="group", split_by="patient", fill={"patient": "drop"})
    assert found.info.train_size + found.info.validation_size == ROWS - 1


@pytest.mark.parametrize(("asked", "message"), [
    ({"split": "patient"}, 'data.split is "patient".'),
    ({"split": "group"}, 'data.split is "group", but data.split_by is not set.'),
    ({"split_by": "patient"}, 'data.split_by is set, but data.split is "random".'),
    ({"split": "group", "split_by": "patient", "gap": 3},
     'data.gap is set, but data.split is "group".'),
    ({"split": "time", "gap": "soon"}, 'data.gap is "soon".'),
    ({"split": "time", "gap": -1}, "data.gap is -1."),
    ({"split": "group", "split_by": "name"},
     "visits.csv has no column 'name', which data.split_by names."),
    ({"split": "group", "split_by": "ill"},
     "data.split_by is 'ill', which is the target of visits.csv."),
    ({"split": "time", "split_by": "patient"},
     "Row 2 of visits.csv, column patient, is 'p00', neither a date nor a number: the column has "
     "no order in time."),
    ({"split": "group", "split_by": "patient", "folds": 20},
     "No samples are left for some folds: split by patient, visits.csv has 12 groups, and 20 are "
     "needed for 20 folds."),
    ({"split": "time", "split_by": "day", "gap": "5 weeks"},
     "No training samples are left: the gap of 35 days covers all that lies before."),
    ({"split": "time", "split_by": "day", "folds": 30},
     "No validation samples are left: column day of visits.csv has 20 different times, and 31 are "
     "needed."),
    ({"split": "column", "split_by": "site"},
     "Column site of visits.csv holds \"A\" in 20 rows, which names no part (it holds \"A\", "
     '"B", "C").'),
    ({"split": "column", "split_by": "site", "split_values": {"validation": ["D"]}},
     'data.split_values names "D", which column site of visits.csv does not hold.'),
    ({"split": "column", "split_by": "site", "split_values": {"validation": ["A", "B", "C"]}},
     'No training samples are left: column site of visits.csv holds "A", "B", "C".'),
    ({"split": "column", "split_by": "site", "folds": 5},
     "data.folds is 5, but column site of visits.csv holds 3 values that are folds: "
     '"A", "B", "C".'),
    ({"split": "column", "split_by": "site", "test": 0.1, "split_values": {"test": ["A"]}},
     "data.test is 0.1, but column site of visits.csv names the test samples."),
    ({"split": "time", "stratify": True, "target_column": "dose", "columns": ["site"]},
     'data.stratify keeps no proportions where data.split is "time".'),
    ({"split": "group", "split_by": "patient", "split_until": "_"},
     "data.split_until is for pictures split by name."),
])  # fmt: skip
def test_what_cannot_be_is_refused_with_names_and_numbers(
    visits: list[list[str]], asked: dict[str, Any], message: str
):
    assert refused(**asked).message == message


def test_one_group_or_one_day_or_only_different_ones_are_named(workspace: Path):
    rows = [f"x,2021-03-01,{k},{k % 2}" for k in range(20)]
    (workspace / "visits.csv").write_text("\n".join(["patient,day,dose,ill", *rows]) + "\n")
    for asked, message in (
        (
            {"split": "group", "split_by": "patient"},
            'split by patient, visits.csv has one group, "x", with all 20 samples.',
        ),
        (
            {"split": "time", "split_by": "day"},
            "column day of visits.csv has the same time in every row.",
        ),
    ):
        assert refused(**asked).message == f"No validation samples are left: {message}"
    each = refused(split="group", split_by="dose", columns=["day"])
    assert each.message.startswith("data.split_by names values that differ in each of 20 samples")


@pytest.mark.parametrize("source", ["digits", "iris", "waves"])
def test_other_data_has_no_column_but_an_order(source: str):
    with pytest.raises(DataError, match="has no column to split by"):
        read_settings({"source": source, "split": "group", "split_by": "patient"})
    assert read_settings({"source": source, "split": "time"}).split


def test_an_official_split_stays():
    with pytest.raises(DataError, match="MNIST has an official split"):
        read_settings({"source": "MNIST", "split": "time"})


def test_arrays_decide_the_split_of_arrays(workspace: Path):
    generator = np.random.default_rng(0)
    whose, when = np.repeat(np.arange(10), 4), generator.permutation(40) / 2
    np.savez(
        workspace / "cells.npz",
        cells=generator.normal(size=(40, 3)),
        whose=whose,
        when=when,
        kind=np.arange(40) % 2,
    )
    data = {"source": "NPZ", "file": "cells.npz", "columns": ["cells"], "target_column": "kind"}
    for asked, values in (
        ({"split": "group", "split_by": "whose"}, whose),
        ({"split": "time", "split_by": "when", "gap": 2}, when),
    ):
        read_own(data | asked)
        found = load(data | asked, (3,), (2,))
        train, validation = found.train_indices.numpy(), found.validation_indices.numpy()
        assert len(validation) == 8 == found.info.validation_size
        assert not set(values[train]) & set(values[validation])
    assert values[train].max() < values[validation].min() - 1
    with pytest.raises(DataError, match="has no array 'who'"):
        read_own(data | {"split": "group", "split_by": "who"})


def pictures(workspace: Path, name: str) -> dict[str, Any]:
    """scans: 2 classes, 6 patients in each of which every one has 4 pictures."""
    for kind in ("ill", "well"):
        for k in range(24):
            whose = f"{kind}{k // 4}"
            file = workspace / "scans" / kind / name.format(whose=whose, k=k)
            file.parent.mkdir(parents=True, exist_ok=True)
            Image.new("RGB", (6, 6), (k * 9, 20, 30)).save(file)
    return {"source": "ImageFolder", "root": "scans", "split": "group"}


@pytest.mark.parametrize(("name", "asked"), [
    ("{whose}_{k}.png", {"split_by": "name"}),
    ("{whose} ({k}).png", {"split_by": "name"}),
    ("{whose}_left_{k}.png", {"split_by": "name", "split_until": "_"}),
    ("{whose}/{k}.png", {"split_by": "folder"}),
])  # fmt: skip
def test_no_series_of_pictures_is_on_two_sides(workspace: Path, name: str, asked: dict[str, str]):
    data = {**pictures(workspace, name), **asked, "test": 0.2}
    read_own(data)
    found = load(data, (3, 6, 6), (2,))
    sides = [{row // 4 for row in part} for part in parts_of(found)]
    assert [len(side) for side in sides] == [8, 2, 2]
    assert len(set.union(*sides)) == 12
    sizes = found.info.train_size, found.info.validation_size, found.info.test_size
    assert sizes == (32, 8, 8)


def test_a_damaged_picture_is_missed_by_its_series_alone(workspace: Path):
    data = {**pictures(workspace, "{whose}_{k}.png"), "split_by": "name", "skip_corrupt": True}
    (workspace / "scans" / "ill" / "ill0_1.png").write_bytes(b"not a picture")
    read_own(data)
    for _ in range(2):  # before it is decoded, and known to be damaged
        found = load(data, (3, 6, 6), (2,))
        sizes = [found.info.train_size, found.info.validation_size]
        assert sizes == [len(part) for part in parts_of(found)[:2]]
        assert sum(sizes) == 47
        rows = [row if row < 1 else row + 1 for row in range(47)]
        sides = [{rows[row] // 4 for row in part} for part in parts_of(found)[:2]]
        assert not sides[0] & sides[1]


def test_pictures_without_a_series_are_refused(workspace: Path):
    data = pictures(workspace, "{whose}_{k}.png")
    with pytest.raises(DataError) as error:
        read_own(data | {"split_by": "folder"})
    assert error.value.message == (
        "ill/ill0_0.png of scans is in no sub-folder of its class: 48 of 48 pictures are not."
    )
    with pytest.raises(DataError, match="split at random or by group"):
        described(data | {"split_by": "patient"})


def test_facts_are_read_again_for_another_column_alone(workspace: Path, visits: list[list[str]]):
    asked = {**TABLE, "split": "group", "split_by": "patient"}
    read_own(TABLE)
    with pytest.raises(DataError, match="has not been read yet"):
        read_settings(asked)
    read_own(asked)
    files = changed(workspace)
    sizes = [describe(asked | {"validation": v}, (1,), (2,)).validation_size for v in (0.1, 0.5)]
    assert sizes == [5, 30]
    read_settings(TABLE)
    assert changed(workspace) == files


def changed(workspace: Path) -> dict[str, int]:
    """When each file of the cache was written."""
    files = (workspace / ".layerloom" / "cache").iterdir()
    return {file.name: file.stat().st_mtime_ns for file in files}


def test_a_run_knows_when_only_the_groups_of_its_file_changed(
    workspace: Path, visits: list[list[str]]
):
    asked: dict[str, Any] = {"split": "group", "split_by": "patient"}
    before, plain = loaded(**asked).content, loaded().content
    text = (workspace / "visits.csv").read_text().replace("p00", "p11")
    (workspace / "visits.csv").write_text(text)
    assert loaded(**asked).content != before
    assert loaded().content == plain
