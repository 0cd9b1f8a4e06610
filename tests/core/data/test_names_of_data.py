"""Files of data have names of data: no Python imports one, and no tool takes one for its own."""

import pytest

from core.common.errors import DataError
from core.data.sources.custom_source import read_custom_source

NO_DATA = (
    "pickle.py",
    "data/random.PY",
    "x.pyc",
    "lib.so",
    "Makefile",
    "evil",
    "a.csv.py",
)


@pytest.mark.parametrize("kind", ["CSV", "NPZ", "text"])
@pytest.mark.parametrize("name", NO_DATA)
def test_a_file_that_is_no_data_by_its_ending_is_refused(kind: str, name: str) -> None:
    with pytest.raises(DataError, match="does not have a file ending of") as raised:
        read_custom_source({"source": kind, "file": name})
    assert raised.value.hint.startswith("Rename it to end in .")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x.pth", "x.pth cannot be read directly. Save it as NPZ: numpy.savez(file, x=x, y=y), and "
         "use that file."),
        ("data/a.XLSX", "data/a.XLSX is a spreadsheet. Save it as CSV and use the CSV file."),
        ("a.csv.gz", "a.csv.gz is compressed. Unpack it and use the file inside."),
        ("a.heic", "a.heic is a picture in a format that cannot be read (.heic). Save pictures as "
         "JPEG or PNG, with a sub-folder for each class."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["CSV", "NPZ", "text"])
def test_a_file_of_a_known_format_is_refused_with_the_way_out(
    kind: str, name: str, message: str
) -> None:
    with pytest.raises(DataError) as raised:
        read_custom_source({"source": kind, "file": name})
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("CSV", "data/houses.csv"),
        ("CSV", "Houses.TSV"),
        ("NPZ", "cells.npz"),
        ("text", "poems.txt"),
        ("text", "data/notes.md"),
        ("Dataset", "data/waves.py"),
    ],
)
def test_a_file_of_data_is_taken(kind: str, name: str) -> None:
    found = read_custom_source({"source": kind, "file": name})
    assert found is not None
    assert found.path == name


@pytest.mark.parametrize("name", ["torch.py", "data/pickle.py", "random.py", "conftest.py"])
def test_a_data_set_in_python_has_no_name_by_which_another_module_is_meant(name: str) -> None:
    with pytest.raises(DataError, match="has the name of another Python module"):
        read_custom_source({"source": "Dataset", "file": name})
