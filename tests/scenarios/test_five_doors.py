"""A table or a set of pictures is the same data, or refused alike, by whichever door it comes.

The doors: dropped; a folder chosen; a path of the workspace; a bundle; a project on the command
line.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from app.cli import files
from app.process import pool
from app.services import data_guess, staging
from app.services.file_drop import open_dropped
from app.services.staging import Staged
from core.data import DataError
from core.data.dataset import load
from core.data.metadata import read_own
from core.project import open_project, save_project
from tests.core.bundle.shared import bundled, opened, table_project
from tests.core.data.table_spellings import SPELLINGS

Files = Mapping[str, bytes]
Door = Callable[[Path, Files], Any]
TABLES = (
    "plain", "semicolons", "windows line ends", "utf-16", "windows-1252", "excel's sep line",
    "utf-16 big endian without a mark", "windows-1251", "shift jis", "decimal commas",
    "points and commas", "no header, words only", "lines above", "sum line",
    "row numbers", "dates", "none is a class", "missing words", "units below the names",
)  # fmt: skip
BAD_TABLES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "t.csv is empty. Choose a file that is not empty."),
    "only names": (b"a,b,c\n", "t.csv has 1 row. A table needs more rows."),
    "one column": (
        b"a\n1\n2\n3\n",
        "t.csv has 1 columns. A table needs 2 to 4096: a target, and others to predict it from. "
        "Its first row is 'a': choose the separator on the Data page.",
    ),
    "not text": (
        bytes(range(256)) * 4,
        "t.csv is not text: byte 0 is 0. Save it as CSV or text in UTF-8.",
    ),
    "rows of different lengths": (
        b"a,b,c\n1,2,3\n4,5\n6,7,8,9\n1,2,3\n",
        "Row 3 of t.csv has 2 cells, the first has 3. Correct the row.",
    ),
}


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in this process: that pages have it done by another is tested with the pages."""

    def run(function: Any, *args: Any, timeout_s: float) -> Any:
        try:
            return function(*args)
        except DataError as error:
            raise pool.PoolError(error.message, error.hint) from error

    monkeypatch.setattr(pool, "run", run)


def picture(colour: tuple[int, ...], mode: str = "RGB", size: tuple[int, int] = (7, 5)) -> bytes:
    file = io.BytesIO()
    made = Image.new(mode, size, colour if len(colour) > 1 else colour[0])
    made.save(file, "PNG")
    return file.getvalue()


PETS: Files = {
    f"{kind}/{n}.png": picture((40 * n, value, 9))
    for kind, value in (("cats", 200), ("dogs", 30)) for n in range(4)
}  # fmt: skip
JUNK = {"cats/._1.png": b"x", ".DS_Store": b"x", "cats/.ipynb_checkpoints/1.png": b"x"}
CLEAR = {
    f"{kind}/{n}.png": picture((0, 0, 0, n * 60), "RGBA") for kind in ("a", "b") for n in range(4)
}
DEEP = {f"{k}/{n}.png": picture((9000 * n,), "I;16") for k in ("a", "b") for n in range(1, 5)}
PICTURES: dict[str, tuple[Files, tuple[str, ...], str]] = {
    "plain": (PETS, ("cats", "dogs"), "[4, 4]"),
    "junk of other programs": ({**PETS, **JUNK}, ("cats", "dogs"), "[4, 4]"),
    "train and test": (
        {f"{part}/{name}": c for part in ("train", "test") for name, c in PETS.items()},
        ("cats", "dogs"), "[4, 4]",
    ),
    "clear grounds": (CLEAR, ("a", "b"), "[4, 4]"),
    "16 bits": (DEEP, ("a", "b"), "[4, 4]"),
    "different sizes": (
        {**PETS, "dogs/9.png": picture((1, 2, 3), size=(9, 12))}, ("cats", "dogs"), "[4, 5]",
    ),
    "folders in a class": (
        {**PETS, "dogs/small/1.png": picture((3, 3, 3))}, ("cats", "dogs"), "[4, 5]",
    ),
}  # fmt: skip
WAY_OUT = (
    "there are no classes to distinguish. Make a sub-folder for each class, such"
    " as cats and dogs, move the "
    "pictures there, and choose the folder above them."
)
BAD_PICTURES: dict[str, tuple[Files, str]] = {
    "one class": (
        {f"cats/{n}.png": picture((n, 2, 3)) for n in range(3)},
        f"3 pictures, all in one folder, cats: {WAY_OUT}",
    ),
    "no class": (
        {f"{n}.png": picture((n, 2, 3)) for n in range(3)},
        f"3 pictures, all in one folder, pets: {WAY_OUT}",
    ),
    "none that can be read": (
        {"a/1.png": b"x", "b/1.png": b"y"},
        "pets holds no picture that can be read. 1.png is not a picture (JPEG, PNG, PPM, BMP, GIF, "
        "TIFF or WEBP). Save it as PNG.",
    ),
}


def as_read(data: Mapping[str, Any]) -> Any:
    """Columns, kinds, classes and the bytes of all tensors, as a network would get them."""
    facts = read_own(data)
    assert facts is not None
    source = facts.source
    found = load(data, source.shape, (len(source.classes) or 1,))
    digest = hashlib.sha256(found.content.encode())
    for column in (*found.all_inputs, *found.all_targets, found.train_indices):
        rows = column if isinstance(column, torch.Tensor) else column[torch.arange(len(column))]
        digest.update(rows.numpy().tobytes())
    kinds = json.dumps(facts.layout.get("columns", facts.layout.get("counts")))
    return (
        source.columns, kinds, source.classes, source.target_name, source.shape, source.samples,
        digest.hexdigest(),
    )  # fmt: skip


def source_of(given: Files) -> dict[str, Any]:
    if "t.csv" in given:
        return {"source": "CSV", "file": "data/t.csv"}
    return {"source": "ImageFolder", "root": "data/pets"}


def placed(workspace: Path, given: Files) -> None:
    folder = workspace / ("data" if "t.csv" in given else "data/pets")
    for name, content in given.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def dropped(names: Files) -> Any:
    with staging.staging() as folder:
        staged: list[Staged] = []
        for number, (name, content) in enumerate(names.items()):
            (folder / str(number)).write_bytes(content)
            staged.append(Staged(name, folder / str(number)))
        found = open_dropped(staged)
    assert found.data is not None
    return found.error or as_read(found.data)


def by_drop(_: Path, given: Files) -> Any:
    """One file: the table, or a zip of the folder."""
    if "t.csv" in given:
        return dropped(given)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in given.items():
            archive.writestr(name, content)
    return dropped({"pets.zip": packed.getvalue()})


def by_folder(_: Path, given: Files) -> Any:
    return dropped({f"pets/{name}": content for name, content in given.items()})


def by_path(workspace: Path, given: Files) -> Any:
    placed(workspace, given)
    return error_or_read(data_guess.guess_and_read(source_of(given)))


def error_or_read(meant: data_guess.GuessResult) -> Any:
    data, _, error = meant
    return error or as_read(data)


def project_of(workspace: Path, given: Files) -> Path:
    """A project in a workspace with the data as the Data page settles it."""
    placed(workspace, given)
    data = data_guess.guess_and_read(source_of(given))[0]
    made = replace(table_project(), data=data)
    file = workspace / "small.loom.json"
    save_project(made, file)
    return file


def by_bundle(workspace: Path, given: Files) -> Any:
    bundle = bundled(project_of(workspace, given), workspace / "runs", data=True).path
    theirs = workspace.with_name(f"{workspace.name}-theirs")
    theirs.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAYERLOOM_WORKSPACE", str(theirs))
        return as_read(open_project(opened(bundle, theirs).project).data)


def by_command(workspace: Path, given: Files) -> Any:
    file = project_of(workspace, given)
    elsewhere = workspace.with_name(f"{workspace.name}-elsewhere")
    elsewhere.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAYERLOOM_WORKSPACE", str(elsewhere))
        patch.setenv("LAYERLOOM_BESIDE", "")
        project = open_project(file)
        files.read_data(project, file)
        return as_read(project.data)


DOORS: dict[str, Door] = {
    "dropped": by_drop, "folder": by_folder, "path": by_path, "bundle": by_bundle,
    "command line": by_command,
}  # fmt: skip


def through_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: Files) -> dict[str, Any]:
    """What became of it by each door, each with a workspace of its own."""
    found: dict[str, Any] = {}
    for name, door in DOORS.items():
        workspace = tmp_path / name
        workspace.mkdir()
        monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(workspace))
        monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
        try:
            found[name] = door(workspace, given)
        except DataError as error:
            found[name] = str(error)
        if isinstance(found[name], str):  # what is refused before it is kept lies in no folder yet
            found[name] = found[name].replace("data/", "")
    return found


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_the_same_data_by_every_door(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    case = SPELLINGS[name]
    found = through_all(tmp_path, monkeypatch, {"t.csv": case.content})
    assert found["path"][0] == case.features
    assert found["path"][2] == case.classes
    assert found == dict.fromkeys(DOORS, found["path"])


@pytest.mark.parametrize("name", BAD_TABLES)
def test_a_table_is_refused_by_the_same_sentence_at_every_door(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    content, sentence = BAD_TABLES[name]
    found = through_all(tmp_path, monkeypatch, {"t.csv": content})
    assert found == dict.fromkeys(DOORS, sentence)


@pytest.mark.parametrize(("given", "classes", "counts"), PICTURES.values(), ids=PICTURES.keys())
def test_pictures_are_the_same_data_by_every_door(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: Files, classes: tuple[str, ...],
    counts: str,
) -> None:  # fmt: skip
    found = through_all(tmp_path, monkeypatch, given)
    assert (found["path"][2], found["path"][1]) == (classes, counts)
    assert found == dict.fromkeys(DOORS, found["path"])


@pytest.mark.parametrize("name", BAD_PICTURES)
def test_pictures_are_refused_by_the_same_sentence_at_every_door(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    given, sentence = BAD_PICTURES[name]
    assert through_all(tmp_path, monkeypatch, given) == dict.fromkeys(DOORS, sentence)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1251", "shift_jis"])
def test_a_text_has_the_same_letters_dropped_and_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    words = "長さ 高さ。\n" if encoding == "shift_jis" else "Длина и высота.\n"
    content = (words * 200).encode(encoding)
    (tmp_path / "chosen.txt").write_bytes(content)
    with staging.staging() as folder:
        (folder / "0").write_bytes(content)
        opened_text = open_dropped([Staged("dropped.txt", folder / "0")])
    assert opened_text.error == ""
    for file in ("chosen.txt", "data/dropped.txt"):
        facts = read_own({"source": "text", "file": file})
        assert facts is not None
        assert facts.source.alphabet == "".join(sorted(set(words)))


def test_a_project_that_lists_no_columns_is_warned_of_row_numbers_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("LAYERLOOM_BESIDE", "")
    placed(tmp_path, {"t.csv": SPELLINGS["row numbers"].content})
    given = source_of({"t.csv": b""})
    files.read_data(replace(table_project(), data=given), tmp_path / "small.loom.json")
    assert capsys.readouterr().err == (
        "warning: sample only numbers the rows, but the network uses every column. List "
        "the other columns in data.columns, as the Data page does.\n"
    )
    listed = {**given, "columns": ["sample", "width"]}
    files.read_data(replace(table_project(), data=listed), tmp_path / "small.loom.json")
    assert capsys.readouterr().err == ""
