"""Tables whose rows have several labels: read as they stand, suggested, refused in words."""

import json
from pathlib import Path
from typing import Any

import pytest
from sklearn.preprocessing import MultiLabelBinarizer

from app.services.data_guess import guess_and_read, with_target
from app.services.data_previews import preview_data
from core.data import DataError, load, read_settings
from core.data.facts.metadata import read_own
from core.data.sources.custom_source import read_custom_source
from core.data.table.answers import stem_of
from tests.core.data.own_sets import write_table

Table = dict[str, list[Any]]
NAMED = (("u", 2), ("v", 3), ("w", 4), ("x", 5))
LABELS = {"source": "CSV", "file": "data/t.csv", "target_columns": ["big", "odd"]}
CELLS = {"source": "CSV", "file": "data/t.csv", "label_separator": ";"}


@pytest.fixture(autouse=True)
def folder(workspace: Path) -> Path:
    (workspace / "data").mkdir()
    return workspace


def write(workspace: Path, table: Table) -> None:
    rows = [",".join(map(str, row)) for row in zip(*table.values(), strict=True)]
    write_table(workspace / "data/t.csv", "\n".join([",".join(table), *rows]) + "\n")


def people(rows: int = 40) -> Table:
    return {"age": [20 + i * 7 % 50 for i in range(rows)],
            "pay": [f"{i * 13 % 29}.5" for i in range(rows)]}  # fmt: skip


def mixed() -> Table:
    """Three columns of numbers and two of labels."""
    labels = {"big": [0, 1] * 20, "odd": [1, 1, 0, 1] * 10}
    return {**people(), "free": [3, 5] * 20, **labels}


def guessed(workspace: Path, table: Table) -> tuple[dict[str, Any], str]:
    """Settings of a dropped file beyond its name, and the first sentence on it."""
    write(workspace, table)
    data, sentences, error = guess_and_read({"source": "CSV", "file": "data/t.csv"})
    assert error == ""
    return {k: v for k, v in data.items() if k not in ("source", "file")}, sentences[0]


def test_columns_of_yes_and_no_are_labels(workspace: Path):
    write(workspace, {"a": [1, 2, 3, 4], "big": [0, 0, 1, 1], "odd": ["yes", "no", "Yes", "NO"]})
    facts = read_own(LABELS)
    assert facts is not None
    source = facts.source
    assert (source.classes, source.target_name, source.columns) == (
        ("big", "odd"),
        "labels",
        ("a",),
    )
    assert source.targets == ("labels", "input")
    data = load({**LABELS, "validation": 0.5}, (1,), (2,))
    assert data.info.losses[0] == "BCEWithLogitsLoss"
    assert data.targets.tolist() == [[0, 1], [0, 0], [1, 1], [1, 0]]
    assert data.labels is None


def test_labels_in_a_cell_are_those_of_scikit_learn(workspace: Path):
    cells = ["x;y", "", "y", "z; x", "y;;", "NA", "z"]
    write(workspace, {"a": list(range(7)), "kinds": cells})
    with pytest.raises(DataError, match=r"Row 7 of data/t\.csv, column kinds, is 'NA', a missing"):
        read_own(CELLS)
    given = {**CELLS, "fill": {"kinds": "drop"}}
    facts = read_own(given)
    assert facts is not None
    assert (facts.source.classes, facts.source.samples) == (("x", "y", "z"), 6)
    sets = [{part.strip() for part in cell.split(";")} - {""} for cell in cells if cell != "NA"]
    wanted = MultiLabelBinarizer().fit_transform(sets)
    assert load({**given, "validation": 0.5}, (1,), (3,)).targets.tolist() == wanted.tolist()


def test_one_hot_columns_are_one_class_in_proportion(workspace: Path):
    kinds = [i * 7 % 3 for i in range(30)]
    marks = {f"kind_{k}": [kind == k for kind in kinds] for k in range(3)}
    write(workspace, {"a": list(range(30)), **marks})
    given = {"source": "CSV", "file": "data/t.csv", "target_columns": [*marks]}
    facts = read_own(given)
    assert facts is not None
    assert (facts.source.target_name, facts.source.targets) == ("kind", ("label", "input"))
    assert facts.layout["counts"] == [10, 10, 10]
    data = load(given, (1,), (3,))
    assert data.labels is not None
    assert data.labels.tolist() == kinds
    assert data.labels[data.validation_indices].bincount().tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"target_columns": ["big"]}, "data.target_columns is ['big']."),
        ({"target_columns": "big"}, "data.target_columns is 'big'."),
        ({"target_columns": ["big", "odd"], "target_column": "odd"},
         "data.target_column is 'odd', and data.target_columns names 2 columns."),
        ({"target_columns": ["big", "odd"], "columns": ["odd"]},
         "data.columns holds 'odd', which is the target."),
        ({"label_separator": "x"}, "data.label_separator is 'x'."),
        ({"target_columns": ["big", "odd"], "label_separator": ";"},
         "data.label_separator parts the labels of one column, and data.target_columns names 2."),
    ],
)  # fmt: skip
def test_settings_that_do_not_fit_are_named(given: dict[str, Any], message: str):
    with pytest.raises(DataError) as error:
        read_custom_source({"source": "CSV", "file": "data/t.csv", **given})
    assert error.value.message == message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"target_columns": ["age", "big"]},
         "Row 2 of data/t.csv, column age, is '20', but each of several target columns is a label: "
         "0 or 1, no or yes."),
        ({"target_columns": ["big", "gone"]}, "data/t.csv has no column 'gone'."),
        ({"target_columns": ["age", "pay", "same", "big", "odd"]},
         "data/t.csv has no column left to predict age and pay and same and big and odd from."),
        ({"target_columns": ["big", "odd"], "split": "group", "split_by": "odd"},
         "data.split_by is 'odd', which is the target of data/t.csv."),
        ({"target_column": "same", "label_separator": ";"},
         "data/t.csv, column same, has 1 different labels, parted by ';'; it needs 2 to 1,000."),
    ],
)  # fmt: skip
def test_a_file_that_does_not_hold_labels_is_told_so(
    workspace: Path, given: dict[str, Any], message: str
):
    write(workspace, {**people(), "same": ["x"] * 40, "big": [0, 1] * 20, "odd": [1, 1] * 20})
    with pytest.raises(DataError) as error:
        read_own({"source": "CSV", "file": "data/t.csv", **given})
    assert error.value.message.startswith(message)


@pytest.mark.parametrize(
    ("targets", "message", "hint"),
    [
        (["big", "pay", "odd", "age"],
         "Row 2 of data/t.csv, column pay, is '0.5', but each of several target columns is "
         "a label: 0 or 1, no or yes.",
         "Keep only the labels (big, odd) in data.target_columns, without pay, age, or set "
         "data.target_column to one column, such as 'pay', in its place."),
        (["big", "age"],
         "Row 2 of data/t.csv, column age, is '20', but each of several target columns is a label: "
         "0 or 1, no or yes.",
         "Remove data.target_columns and set data.target_column to one column, such as 'age', in "
         "its place."),
        (["pay", "age"],
         "Row 2 of data/t.csv, column pay, is '0.5', but each of several target columns is "
         "a label: 0 or 1, no or yes.",
         "Remove data.target_columns and set data.target_column to one column, such as 'pay', in "
         "its place."),
    ],
)  # fmt: skip
def test_a_refusal_of_mixed_targets_says_which_columns_are_labels(
    workspace: Path, targets: list[str], message: str, hint: str
):
    write(workspace, mixed())
    with pytest.raises(DataError) as error:
        read_own({"source": "CSV", "file": "data/t.csv", "target_columns": targets})
    assert (error.value.message, error.value.hint) == (message, hint)


@pytest.mark.parametrize(
    ("targets", "settings"),
    [
        (["pay", "big", "odd"], {"target_columns": ["big", "odd"]}),
        (["pay", "age"], {"target_column": "pay"}),
    ],
)
def test_what_the_refusal_advises_is_read(
    workspace: Path, targets: list[str], settings: dict[str, Any]
):
    write(workspace, mixed())
    table = {"source": "CSV", "file": "data/t.csv"}
    with pytest.raises(DataError, match="each of several target columns is a label"):
        read_own({**table, "target_columns": targets})
    facts = read_own({**table, **settings})
    assert facts is not None
    assert facts.source.classes == tuple(settings.get("target_columns", ()))


def test_a_network_has_a_number_for_each_label(workspace: Path):
    write(workspace, {**people(), "big": [0, 1] * 20, "odd": [0, 1, 1, 1] * 10})
    read_own(LABELS)
    with pytest.raises(DataError, match=r"a score for each of 2 labels, \(N, 2\), but the network"):
        load(LABELS, (2,), (3,))


@pytest.mark.parametrize(
    ("more", "settings", "sentence"),
    [
        ({"l_a": [0, 1] * 20, "l_b": [0, 1, 1, 0] * 10}, {"target_columns": ["l_a", "l_b"]},
         "40 rows. Each row has any of 2 labels, in columns of 0 and 1 (l_a, l_b)."),
        ({f"Class{k}": [int(i % (k + 1) == 0) for i in range(40)] for k in range(1, 4)},
         {"target_columns": ["Class1", "Class2", "Class3"]},
         "40 rows. Each row has any of 3 labels, in columns of 0 and 1 (Class1, Class2, Class3)."),
        ({n: [int(i % k == 0) for i in range(40)] for n, k in NAMED},
         {"target_columns": ["u", "v", "w", "x"]},
         "40 rows. Each row has any of 4 labels, in columns of 0 and 1 (u, v, w, x)."),
        ({n: [int(i % 3 == k) for i in range(40)] for k, n in enumerate(("cat", "dog", "cow"))},
         {"target_columns": ["cat", "dog", "cow"]},
         "40 rows. class is the target: 3 classes in columns of 0 and 1, of which each row has one "
         "(cat, dog, cow)."),
        ({"tags": ['"a, b"', "b", "", '"c, a"'] * 10}, {"label_separator": ","},
         "40 rows. Each row has any of 3 labels, in the cells of tags (a, b, c)."),
        ({"kind": ["a|b", "b", "a", "c|a"] * 10}, {"label_separator": "|"},
         "40 rows. Each row has any of 3 labels, in the cells of kind (a, b, c)."),
    ],
)  # fmt: skip
def test_a_dropped_file_is_suggested_with_its_labels(
    workspace: Path, more: Table, settings: dict[str, Any], sentence: str
):
    assert guessed(workspace, {**people(), **more}) == (settings, sentence)


@pytest.mark.parametrize(
    "more",
    [
        {"smoker": [0, 1] * 20, "ill": [0, 1, 1, 1] * 10},  # may well be an input and a target
        {"a_x": [1, 0] * 20, "a_y": [0, 1] * 20, "sold": [0, 0, 1, 1] * 10},
        {"u": [0, 1] * 20, "v": [0, 0, 1, 1] * 10, "w": [0, 1, 1, 1] * 10, "target": [0, 1] * 20},
        {"city": ['"Bonn, Rhein"', "Jena", '"Bonn, Rhein"', '"Ulm, Donau"'] * 10},
        {"note": [f"{i}; see {i % 7}" for i in range(40)]},
        {"kind": ["red", "green"] * 20},
    ],
)
def test_other_tables_are_suggested_with_one_target(workspace: Path, more: Table):
    settings, _ = guessed(workspace, {**people(), **more})
    assert not {"target_columns", "label_separator"} & {*settings}


def test_texts_with_columns_of_labels_are_texts(workspace: Path):
    table = {
        "id": [f"x{i:04}" for i in range(40)],
        "comment": [f"this is a rather long comment number {i}" for i in range(40)],
        **{name: [int(i % k == 0) for i in range(40)] for name, k in (("toxic", 2), ("rude", 3),
                                                                     ("threat", 7))},
    }  # fmt: skip
    write(workspace, table)
    data, sentences, error = guess_and_read({"source": "CSV", "file": "data/t.csv"})
    assert error == ""
    assert data == {"source": "TextCSV", "file": "data/t.csv", "columns": ["comment"],
                    "target_columns": ["toxic", "rude", "threat"]}  # fmt: skip
    assert sentences[0] == (
        "40 texts. Each row has any of 3 labels, in columns of 0 and 1 (toxic, rude, threat)."
    )


def test_another_target_ends_the_labels_and_other_labels_leave_the_inputs(workspace: Path):
    settings, _ = guessed(workspace, {**people(), "l_a": [0, 1] * 20, "l_b": [0, 1, 1, 0] * 10})
    data = {"source": "CSV", "file": "data/t.csv", **settings}
    one = with_target(data, "l_b")
    assert one == {"source": "CSV", "file": "data/t.csv", "categories": ["l_b"]}
    both = with_target(one, "l_b", {"target_columns": ["l_b", "l_a"]})
    assert both == {"source": "CSV", "file": "data/t.csv", "target_columns": ["l_b", "l_a"]}
    assert read_own(both) is not None
    assert read_settings(both).source.columns == ("age", "pay")


def test_a_preview_tells_how_many_rows_of_each_part_have_a_label(workspace: Path):
    write(workspace, {**people(), "big": [0, 1] * 20, "odd": [0, 1, 1, 1] * 10})
    read_own(LABELS)
    shown = preview_data(json.dumps(LABELS), 0)
    totals = {name: learn + check for name, learn, check in shown.counts}
    assert totals == {"big": 20, "odd": 30}
    assert {row["labels"] for row in shown.rows} == {"no label", "big, odd", "odd"}


@pytest.mark.parametrize(
    ("settings", "sizes"),
    [
        ({"folds": 4, "fold": 2}, (30, 10, 0)),
        ({"folds": 4, "test": 0.1}, (27, 9, 4)),
        ({"validation": 0.25, "test": 0.25, "limit": 10}, (10, 10, 10)),
        ({"split": "time", "split_by": "age"}, (32, 8, 0)),
        ({"split": "group", "split_by": "pay", "columns": ["age"]}, None),
    ],
)
def test_labels_are_split_as_any_rows_are(
    workspace: Path, settings: dict[str, Any], sizes: tuple[int, int, int] | None
):
    write(workspace, {**people(), "big": [0, 1] * 20, "odd": [0, 1, 1, 1] * 10})
    read_own({**LABELS, **settings})
    data = load({**LABELS, **settings}, (len(settings.get("columns", (1, 2))),), (2,))
    parts = (data.train_indices, data.validation_indices, data.test_indices)
    rows = [row for part in parts for row in part.tolist()]
    assert len({*rows}) == len(rows)
    assert sizes is None or tuple(map(len, parts)) == sizes
    pay = people()["pay"]
    groups = [{pay[row] for row in part.tolist()} for part in parts]
    assert sizes or not groups[0] & groups[1]


def test_names_that_begin_alike_have_a_stem():
    assert stem_of(["genre_rock", "genre_pop"]) == "genre"
    assert stem_of(["Class1", "Class2", "Class14"]) == "Class"
    assert stem_of(["car", "cat"]) == ""
    assert stem_of(["is a", "is b"]) == "is"
