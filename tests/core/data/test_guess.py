"""What a table or arrays most likely mean: target, classes or a number, and what is left out."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.data import DataError
from core.data.table.guess import guess_arrays, guess_table, with_other_target
from tests.core.data.own_sets import write_table

N = range(12)


def table(tmp_path: Path, *rows: str, target: str = ""):
    return guess_table(write_table(tmp_path / "t.csv", "\n".join(rows) + "\n"), "t.csv", target)


@pytest.mark.parametrize(
    ("names", "target"),
    [
        ("a,b,c", {}),
        ("Target,b,c", {"target_column": "Target"}),
        ("a,label,c", {"target_column": "label"}),
        ("class,b,c", {"target_column": "class"}),
        ("y,b,c", {"target_column": "y"}),
        ("y,label,c", {"target_column": "label"}),
    ],
)
def test_the_target_is_the_column_that_says_so_or_else_the_last(tmp_path, names, target):
    found = table(tmp_path, names, *(f"{i}.5,{-i}.25,{i * i}.5" for i in N))
    assert found.data == {"source": "CSV", "file": "t.csv", **target}
    assert found.left_out == ()


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        ([i % 2 for i in N], True),
        ([i % 3 for i in N], False),
        ([i % 2 + 0.5 for i in N], False),
        (list(N), False),
    ],
    ids=["two, of course", "three, each too seldom", "no whole numbers", "all different"],
)
def test_whole_numbers_are_classes_where_they_are_few_and_each_comes_often(
    tmp_path, values, classes
):
    found = table(tmp_path, "a,b", *(f"{i}.5,{v}" for i, v in zip(N, values, strict=True)))
    assert found.data.get("categories") == (["b"] if classes else None)


def test_what_cannot_be_learned_from_is_left_out_with_its_reason(tmp_path):
    rows = [f"{i + 1},n{i},{i if i != 4 else ''},x,{i}%,{i}.5,{'ab'[i % 2]}" for i in N]
    found = table(tmp_path, "PassengerId,name,age,site,rate,fare,kind", *rows)
    assert found.data["columns"] == ["age", "rate", "fare"]
    assert found.data["fill"] == {"age": "mean"}
    assert found.left_out == (
        "PassengerId numbers the rows",
        "name has 12 different words",
        "site is 'x' in every row",
    )
    assert found.notes == (
        "rate: '0%' is read as 0.",
        "age: 1 of 12 values missing, the first in row 6; they are filled with the"
        " mean of the training samples.",
    )


def test_the_index_that_pandas_saves_is_no_column_to_learn_from(tmp_path):
    found = table(tmp_path, ",x,kind", *(f"{i},{i}.5,{'ab'[i % 2]}" for i in N))
    assert found.data["columns"] == ["x"]
    assert found.left_out == ("column_1 numbers the rows",)


def test_the_number_of_a_row_stays_where_there_is_nothing_else(tmp_path):
    found = table(tmp_path, "id,y", *(f"{i},{i * i}.5" for i in N))
    assert "columns" not in found.data


def test_a_target_that_is_chosen_stays_and_the_last_column_tells_it(tmp_path):
    found = table(tmp_path, "a,b,c", *(f"{i % 2},{i}.5,{i}.25" for i in N), target="a")
    assert found.data == {"source": "CSV", "file": "t.csv", "target_column": "a",
                          "categories": ["a"]}  # fmt: skip


@pytest.mark.parametrize(
    ("arrays", "data"),
    [
        ({"x": (6, 4), "y": (6,)}, {}),
        ({"y": (6,), "x": (6, 4)}, {"target_column": "y"}),
        ({"x_train": (6, 4), "y_train": (6,), "x_test": (2, 4), "y_test": (2,)},
         {"target_column": "y_train"}),
        ({"ids": (6,), "labels": (6,), "images": (6, 8, 8)},
         {"target_column": "labels", "columns": ["images"]}),
    ],
)  # fmt: skip
def test_arrays_are_recognised_by_their_names_and_sizes(tmp_path, arrays, data):
    held: dict[str, Any] = {name: np.zeros(shape) for name, shape in arrays.items()}
    np.savez(tmp_path / "a.npz", **held)
    found = guess_arrays(tmp_path / "a.npz", "a.npz")
    assert found.data == {"source": "NPZ", "file": "a.npz", **data}


def test_what_is_no_table_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"t\.csv has 1 columns\. A table needs 2"):
        table(tmp_path, "a", "1", "2", "3")


ROWS = ["id,size,kind,place,price", *(f"{i},{i}.5,{i % 2},{'abc'[i % 3]},{i * i}.5" for i in N)]


def other(tmp_path: Path, target: str, **data: object) -> dict[str, object]:
    """The table of ROWS, for which `data` is said, with another target."""
    file = write_table(tmp_path / "t.csv", "\n".join(ROWS) + "\n")
    settings = {"source": "CSV", "file": "t.csv", **data}
    return with_other_target(file, settings, target)


def test_another_target_is_taken_as_a_class_or_as_a_number_as_it_is_most_likely_meant(tmp_path):
    first = table(tmp_path, *ROWS).data
    assert first == {"source": "CSV", "file": "t.csv", "columns": ["size", "kind", "place"]}
    kind = other(tmp_path, "kind", columns=["size", "kind", "place"])
    assert kind == {
        "source": "CSV", "file": "t.csv", "target_column": "kind",
        "columns": ["size", "place", "price"], "categories": ["kind"],
    }  # fmt: skip
    settings = {n: v for n, v in kind.items() if n not in ("source", "file")}
    assert other(tmp_path, "price", **settings) == first


def test_what_a_student_chose_stays_with_another_target(tmp_path):
    found = other(tmp_path, "kind", columns=["size", "kind"], categories=["size"], limit=10)
    assert found == {
        "source": "CSV", "file": "t.csv", "target_column": "kind", "columns": ["size"],
        "categories": ["size", "kind"], "limit": 10,
    }  # fmt: skip
    number = other(tmp_path, "price", target_column="kind", columns=["size", "place", "price"])
    assert "categories" not in number


def test_categories_that_differ_in_case_alone_are_named(tmp_path):
    rows = [f"{i}.5,{('Pro', 'pro', 'basic')[i % 3]},{('yes', 'no')[i % 2]}" for i in N]
    assert table(tmp_path, "size,plan,stays", *rows).notes == (
        "plan: 'Pro' and 'pro' are different categories, as upper and lower case differ.",
    )
    rows = [f"{i}.5,{('yes', 'no', 'Yes')[i % 3]}" for i in N]
    assert table(tmp_path, "size,stays", *rows).notes == (
        "stays: 'Yes' and 'yes' are different categories, as upper and lower case differ.",
    )
