"""What is dropped: recognised, kept in the workspace and read as it is most likely meant."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from app import wing
from app.process import pool
from app.services import drop_store, staging
from app.services.file_drop import DropResult, can_be, listed, open_dropped
from app.services.staging import Staged
from core.data import DataError, load
from core.data.facts.metadata import read_known
from core.data.sources.custom_source import read_custom_source
from core.data.sources.paths import locate

pytestmark = pytest.mark.usefixtures("workspace")
ROWS = [f"{2 * i},{i / 4},{'oak' if i % 3 else 'elm'}" for i in range(30)]
TABLE = "\n".join(["width,height,tree", *ROWS]) + "\n"
FOUND = ("30 rows. tree is the target: 2 classes (elm, oak).",)


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch):
    """Work in this process: that pages have it done by another is tested with the pages."""

    def run(function, *args, timeout_s):
        try:
            return function(*args)
        except DataError as error:
            raise pool.PoolError(error.message, error.hint) from error

    monkeypatch.setattr(pool, "run", run)


def drop_all(files: list[tuple[str, bytes]]) -> DropResult:
    with staging.staging() as folder:
        staged: list[Staged] = []
        for number, (name, content) in enumerate(files):
            (folder / str(number)).write_bytes(content)
            staged.append(Staged(name, folder / str(number)))
        return open_dropped(staged)


def picture(value: int = 0) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (9, 7), (value, 60, 10)).save(file, "PNG")
    return file.getvalue()


def pictures(*names: str) -> list[tuple[str, bytes]]:
    return [(name, picture(i)) for i, name in enumerate(names)]


def zipped(files: list[tuple[str, bytes]]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return file.getvalue()


def saved(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "decided", "more"),
    [
        (TABLE.encode(), {}, ()),
        (TABLE.encode("utf-8-sig"), {}, ()),
        (TABLE.replace(",", ";").encode(), {"separator": ";"}, ()),
        (TABLE.replace(",", ";").replace(".", ",").encode(), {"separator": ";", "decimal": ","},
         ("Commas are decimal separators.",)),
        (TABLE.replace(",", "\t").encode(), {"separator": "\t"}, ()),
        (("sep=;\n" + TABLE.replace(",", ";")).encode(), {"separator": ";"}, ()),
        (TABLE.replace("\n", "\r\n").encode(), {}, ()),
        (TABLE.encode("utf-16"), {}, ("It was UTF-16 and was saved as UTF-8.",)),
    ],
    ids=["commas", "mark", "semicolons", "decimal commas", "tabs", "Excel", "Windows", "UTF-16"],
)  # fmt: skip
def test_a_table_is_read_however_it_was_saved(
    content: bytes, decided: dict[str, str], more: tuple[str, ...]
):
    opened = drop_all([("trees.csv", content)])
    data = {"source": "CSV", "file": "data/trees.csv", **decided}
    assert opened == DropResult("data", data, (*FOUND, *more))
    found = load(opened.data, (2,), (2,), 0)
    assert tuple(found.inputs.shape) == (30, 2)


def test_letters_of_windows_stay_what_they_are():
    opened = drop_all([("trees.csv", TABLE.replace("elm", "Tännchen").encode("cp1252"))])
    assert opened.notes == (
        "30 rows. tree is the target: 2 classes (Tännchen, oak).",
        "It was Windows-1252 and was saved as UTF-8.",
    )
    assert opened.data is not None
    assert "Tännchen" in locate(opened.data["file"], "file").read_text("utf-8")


def test_a_table_that_needs_more_is_kept_and_says_what():
    opened = drop_all([("t.csv", b"a,label\n1,x\n2,\n3,y\n4,x\n")])
    assert opened.data == {"source": "CSV", "file": "data/t.csv", "fill": {"label": "drop"}}
    assert opened.error == ""
    assert opened.notes == (
        "3 rows. label is the target: 2 classes (x, y).",
        "label: 1 value missing, the first in row 3; these rows are skipped.",
    )


CLASSED = pictures("pets/cats/1.png", "pets/cats/2.png", "pets/dogs/1.png", "pets/dogs/2.png")
PETS = "4 pictures. Each folder is a class: 2 classes (cats, dogs)."


@pytest.mark.parametrize(
    ("files", "more"),
    [
        (CLASSED, ()),
        ([("pets.zip", zipped(CLASSED))], ()),
        ([("pets.zip", zipped([(n.partition("/")[2], c) for n, c in CLASSED]))], ()),
        ([("archive.zip", zipped([("one/" + n, c) for n, c in CLASSED]
                                 + [("__MACOSX/._1.png", b"x")]))], ()),
        ([(n.replace("pets/", "pets/train/"), c) for n, c in CLASSED]
         + pictures("pets/test/cats/9.png", "pets/test/dogs/9.png"),
         ("Used: the pictures in train. Skipped: test.",)),
        ([*CLASSED, ("pets/labels.txt", b"x"), *pictures("pets/cover.png")],
         ("Skipped: 1 of 6 files, which are not pictures.",
          "Skipped: 1 pictures that are not in a class folder.")),
    ],
    ids=["a folder", "a zip", "no outer folder", "two outer folders", "train and test", "loose"],
)  # fmt: skip
def test_pictures_come_by_class_whatever_lies_around_them(files, more):
    opened = drop_all(files)
    root = opened.data and opened.data["root"]
    assert root in ("data/pets", "data/train")
    assert (opened.page, opened.error, opened.notes) == ("data", "", (PETS, *more))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["cats/1.png", "cats/2.png"], "2 pictures, all in one folder, cats: there are no classes "
                                       "to distinguish."),
        (["1.png", "2.png"], "2 pictures, all in one folder, pictures: there are no classes to "
                             "distinguish."),
        (["1.png"], "One picture, on its own: there are no classes to distinguish."),
    ],
)  # fmt: skip
def test_pictures_without_classes_say_what_is_missing(names: list[str], message: str):
    with pytest.raises(DataError) as error:
        drop_all(pictures(*names))
    assert str(error.value) == (
        f"{message} Make a sub-folder for each class, such as cats and dogs, move the pictures "
        "there, and choose the folder above them."
    )


def test_arrays_and_texts_are_read_too():
    x, y = np.zeros((6, 8, 8), np.uint8), np.arange(6) % 2
    opened = drop_all([("cells.npz", saved(y=y, x=x))])
    assert opened.data == {"source": "NPZ", "file": "data/cells.npz", "target_column": "y"}
    assert opened.notes == ("6 pictures. y is the target: 2 classes (0, 1).",)
    opened = drop_all([("poems.txt", b"to be or not to be " * 100)])
    assert opened.data == {"source": "text", "file": "data/poems.txt"}
    assert opened.notes == ("1,900 characters, 7 different. The network learns to predict each "
                           "from the ones before it.",)  # fmt: skip


def test_of_several_tables_in_a_zip_that_of_training_is_taken():
    table, rest = ("train.csv", TABLE.encode()), [("test.csv", b"x"), ("read.me", b"x")]
    opened = drop_all([("titanic.zip", zipped([table, *rest]))])
    assert opened.data == {"source": "CSV", "file": "data/train.csv"}
    assert opened.notes[-1] == "Left out: test.csv, read.me."
    with pytest.raises(DataError, match=r"2 files could be the data: a\.csv, b\.csv"):
        drop_all([("a.csv", TABLE.encode()), ("b.csv", TABLE.encode())])


def test_a_project_opens(workspace: Path):
    text = (Path(__file__).parents[3] / "projects/mlp_iris.loom.json").read_bytes()
    opened = drop_all([("mlp.loom.json", text)])
    assert opened.page == "build"
    assert opened.begin is not None
    assert opened.begin().project.name == "MLP on iris"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.xlsx", "a.xlsx is a spreadsheet. Save it as CSV and use the CSV file."),
        ("a.pkl", "a.pkl cannot be read directly. Save it as NPZ: numpy.savez(file, x=x, "
         "y=y), and use that file."),
        ("a.exe", f"a.exe cannot be opened here. {can_be()}"),
    ],
)  # fmt: skip
def test_what_is_none_of_these_says_what_can_be_dropped(workspace: Path, name: str, message: str):
    with pytest.raises(DataError) as error:
        drop_all([(name, b"x")])
    assert str(error.value) == message
    assert [p for p in workspace.rglob("*") if p.is_file() and p.name != ".gitignore"] == []


def test_what_a_drop_became_is_taken_once_and_with_its_token_only():
    name = drop_store.keep("token", opened := DropResult("data"))
    assert drop_store.take("another", name) is None
    assert drop_store.take("token", name) is opened
    assert drop_store.take("token", name) is None
    assert drop_store.take("token", None) is None


def test_the_zip_in_a_zip_is_unpacked_whatever_text_lies_beside_it():
    inner = zipped([(name.removeprefix("pets/"), content) for name, content in CLASSED])
    files = [("data/shapes.zip", inner), ("data/README.txt", b"about these shapes " * 100)]
    opened = drop_all([("all.zip", zipped(files))])
    assert opened.data == {"source": "ImageFolder", "root": "data/shapes"}
    assert opened.notes[0] == PETS


@pytest.mark.parametrize(
    ("beside", "named"),
    [
        ("shapes.tar.gz", "shapes.tar.gz is compressed."),
        ("set/rows.7z", "rows.7z is compressed."),
        ("rows.xlsx", "rows.xlsx is a spreadsheet."),
        ("rows.parquet", "rows.parquet cannot be read directly."),
    ],
)
def test_a_description_is_not_the_data_where_a_file_beside_it_cannot_be_read(beside, named):
    files = [(beside, b"\x1f\x8b and so on"), ("README.txt", b"about these shapes " * 100)]
    with pytest.raises(DataError) as caught:
        drop_all([("all.zip", zipped(files))])
    assert caught.value.message == named


def test_a_text_is_the_data_though_something_small_lies_beside_it():
    files = [("poems.txt", b"a text of some words " * 100), ("old.tar.gz", b"\x1f\x8b")]
    assert drop_all([("all.zip", zipped(files))]).data == {
        "source": "text",
        "file": "data/poems.txt",
    }


def test_a_table_with_a_cell_that_is_no_number_keeps_its_reason_and_is_kept():
    opened = drop_all([("t.csv", b"a,b,y\n1,2,1\n3,4x,2\n5,6,4\n7,8,3\n")])
    assert opened.data == {"source": "CSV", "file": "data/t.csv", "columns": ["a"]}
    assert opened.notes[1] == "Left out: b is '4x' in row 3, which is not a number."


def test_the_same_pictures_are_said_to_be_the_same(workspace: Path):
    same = picture(9)
    opened = drop_all([(f"pets/{kind}/{i}.png", same) for kind in ("a", "b") for i in range(3)])
    facts = read_known(read_custom_source(opened.data))
    assert facts.source.about.endswith("All pictures look the same.")


def test_a_folder_of_texts_and_a_table_of_texts_are_read_with_their_classes():
    names = ["mails/ham/1.txt", "mails/ham/2.txt", "mails/spam/1.txt", "mails/spam/2.txt"]
    texts = [b"see you", b"are you home", b"win cash", b"cash now"]
    files = list(zip(names, texts, strict=True))
    found = drop_all(files)
    assert (found.data, found.error) == ({"source": "TextFolder", "root": "data/mails"}, "")
    packed = drop_all([("m.zip", zipped(files))])
    assert packed.data == {"source": "TextFolder", "root": "data/mails-2"}
    rows = "".join(f"{'ab'[i % 2]},the mail number {i}\n" for i in range(9))
    table = drop_all([("m.csv", f"label,text\n{rows}".encode())])
    assert table.data == {"source": "TextCSV", "file": "data/m.csv", "target_column": "label"}


def test_a_kind_that_a_part_brings_is_listed_only_where_that_part_is_here(monkeypatch):
    brought = [part.LISTED for _, part in wing.parts("drop")]
    assert set(brought) < set(listed())
    monkeypatch.setattr(wing, "parts", lambda _: iter(()))
    assert [name for name, _ in listed()] == ["Text", "Arrays", "Table", "Project", "Sounds",
                                              "Pictures"]  # fmt: skip
    assert "bundle" not in can_be()
    assert "onnx" not in can_be()
