"""Tables, arrays and pictures as spreadsheets, pandas and microscopes save them: read, or refused.

What is read must be what the file means; else it is refused in words that say what to do.
"""

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from core.data import DataError, load, read_settings
from core.data.facts.metadata import read_own
from core.data.sources.custom_source import CustomSource
from core.data.table.guess import guess_table
from core.data.table.read import Table, read_table
from tests.core.data.own_sets import write_pictures, write_table

pytestmark = pytest.mark.usefixtures("workspace")

FOLDER = {"source": "ImageFolder", "root": "data/shapes"}
ARRAYS = {"source": "NPZ", "file": "data/a.npz", "columns": ["x"], "target_column": "y"}
KINDS = ("a", "b") * 3


def table(workspace: Path, text: str, categories: tuple[str, ...] = ()) -> Table:
    given = CustomSource("CSV", "t.csv", categories=categories)
    return read_table(write_table(workspace / "data/t.csv", text), given)


def lines(*rows: str) -> str:
    return "\n".join(rows) + "\n"


def test_a_comma_for_the_point_makes_numbers(workspace: Path):
    text = lines("size;weight;kind", *(f"{i},5;0,{i}25;{k}" for i, k in enumerate(KINDS)))
    found = table(workspace, text)
    assert [c.words for c in found.columns] == [(), ()]
    assert found.inputs()[:3].tolist() == [[0.5, 0.025], [1.5, 0.125], [2.5, 0.225]]


def test_a_target_with_a_decimal_comma_is_no_class(workspace: Path):
    found = table(workspace, lines("x;y", *(f"{i};{i % 2},5" for i in range(6))))
    assert found.answer.classes == ()
    assert found.answers().tolist() == [0.5, 1.5, 0.5, 1.5, 0.5, 1.5]


@pytest.mark.parametrize(
    ("cell", "number"),
    [("1,000", 1000), ("10%", 10), ("$5.50", 5.5), ("12 000", 12000), ("1'000", 1000)],
)
def test_numbers_that_are_dressed_up_are_no_categories(workspace: Path, cell: str, number: float):
    text = lines("x\tkind", *(f"{cell}\t{kind}" for kind in KINDS))
    assert table(workspace, text).inputs().tolist() == [[number]] * 6
    assert table(workspace, text, categories=("x",)).columns[0].words == (cell,)


@pytest.mark.parametrize(
    ("text", "delimiter", "names"),
    [
        (lines('"price, EUR";"size, m2";kind', "1;2;a", "3;4;b", "5;6;a"), ";",
         ("price, EUR", "size, m2", "kind")),
        (lines("0,5;1,5;a", "2,5;3,5;b", "4,5;5,5;a"), ";", ("column_1", "column_2", "column_3")),
        (lines('note,kind', *(f'"one; {i}\ntwo",{"ab"[i % 2]}' for i in range(200))), ",",
         ("note", "kind")),
        (lines("2019,2020,kind", "1,2,a", "3,4,b", "5,6,a"), ",", ("2019", "2020", "kind")),
        (lines(",x,kind", "0,1,a", "1,2,b", "2,3,a"), ",", ("column_1", "x", "kind")),
        (lines("0,1,2", "1.5,2,7", "3,4,8"), ",", ("0", "1", "2")),
        (lines("5.1,3.5,setosa", "4.9,3.0,setosa", "6.1,2.9,other"), ",",
         ("column_1", "column_2", "column_3")),
        (lines("u1,2,3.5", "u2,4,5.5", "u3,4,6.5"), ",", ("column_1", "column_2", "column_3")),
    ],
    ids=["commas in names", "no names, commas in numbers", "semicolons in quotes", "years",
         "a column without a name", "numbers of an array", "no names", "no names, one word a row"],
)  # fmt: skip
def test_delimiter_and_first_row_are_what_they_are(text, delimiter, names, workspace: Path):
    from core.data.table.cells import read_cells

    read = read_cells(write_table(workspace / "data/t.csv", text), "t.csv")
    assert (read.delimiter, read.names) == (delimiter, names)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (lines("x,kind", "1,a", "2,b", "3,c"), "t.csv, column kind, has 3 different words in 3 "
         "rows, so it is not a category. Choose another target."),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_table_is_named(text: str, message: str, workspace: Path):
    with pytest.raises(DataError) as error:
        table(workspace, text)
    assert str(error.value) == message


def save(workspace: Path, x: np.ndarray, y: np.ndarray) -> None:
    (workspace / "data").mkdir(exist_ok=True)
    np.savez(workspace / "data/a.npz", x=x, y=y)


X, Y = np.arange(24.0).reshape(6, 4), np.array([0, 1] * 3)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (X, np.array([0.5, 1, np.nan, 2, 3, 4]), "data/a.npz, array y, row 2, holds a value that "
         "does not fit into 32 bits. Correct it, or remove the row."),
        (np.where(X == 9, 1e300, X), Y, "data/a.npz, array x, row 2, holds a value that does not "
                                        "fit into 32 bits. Correct it, or remove the row."),
        (X, Y[:, None], "data/a.npz has x of (6, 4) and y of (6, 1), not samples with one target "
                        "each. Save the targets as y.ravel(), or choose other arrays."),
        (X, np.eye(2)[Y], "data/a.npz has x of (6, 4) and y of (6, 2), not samples with one "
         "target each. Save the targets as y.argmax(1), where a 1 marks the class, or choose other "
                          "arrays."),
    ],
    ids=["NaN among answers", "beyond 32 bits", "a column", "one hot"],
)  # fmt: skip
def test_arrays_that_would_spoil_a_training_are_refused(x, y, message, workspace: Path):
    save(workspace, x=x, y=y)
    with pytest.raises(DataError) as error:
        read_own(ARRAYS)
    assert str(error.value) == message


@pytest.mark.parametrize("dtype", [">f4", ">i2", "f2", "i1", "?", "u2"])
def test_arrays_of_every_kind_of_number_are_read(dtype: str, workspace: Path):
    save(workspace, x=(X % 2).astype(dtype), y=Y.astype(">i4"))
    read_own(ARRAYS)
    data = load(ARRAYS | {"normalize": False}, (4,), (2,))
    assert data.inputs.dtype == torch.float32
    assert data.inputs[0].tolist() == [0.0, 1.0, 0.0, 1.0]
    assert read_settings(ARRAYS).source.classes == ("0", "1")


def test_pictures_of_16_bits_are_scaled_by_the_range_of_their_set(workspace: Path):
    root = write_pictures(workspace / "data/shapes", 2)
    deep = np.linspace(0, 4095, 320).reshape(16, 20).astype(np.uint16)
    Image.fromarray(deep).save(root / "circle/0000.png")
    facts = read_own(FOLDER)
    assert facts is not None
    assert facts.source.about == (
        "Pictures of data/shapes, a sub-folder for each class. Their values from 0 to 4095 become "
        "black to white."
    )
    pixels = load(FOLDER, (1, 16, 20), (3,)).inputs[:]
    wanted = torch.from_numpy(deep.astype(np.int32)) * 255 // 4095
    assert (pixels[0, 0] * 255 - wanted).abs().max() <= 1
    assert pixels[0].max() == 1.0


def test_dates_written_in_two_ways_are_left_out_by_their_rows(workspace: Path):
    text = lines("day,a,y", "2023-05-01,4,1", "01.06.2023,5,2", "2023-05-03,9,3", "04.06.2023,1,5")
    guess = guess_table(write_table(workspace / "data/t.csv", text), "data/t.csv")
    assert guess.data == {"source": "CSV", "file": "data/t.csv", "columns": ["a"]}
    assert guess.left_out == (
        "day has dates written in different ways: '01.06.2023' in row 3 and '2023-05-01' in row 2",
    )
