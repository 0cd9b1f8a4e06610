"""A table or a set of pictures is the same data, or refused alike, by whichever door it comes.

The doors: dropped; a folder chosen; a path of the workspace; a project on the command line; those
of wings. A handful of cases goes through them in each check, all of them in `make test-all`.
"""

import io
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from app.cli import files, main
from app.services import data_guess, staging
from app.services.file_drop import open_dropped
from app.services.staging import Staged
from core.data import DataError, load
from core.data.facts.metadata import read_own
from core.project import save_project
from tests.core.data.picture_sets_as_saved import PLAIN, READ, REFUSED
from tests.core.data.table_exports import EXPORTS, REFUSED_TABLES
from tests.core.data.table_spellings import SPELLINGS
from tests.core.small_runs import table_project
from tests.scenarios.doors import DOORS, Files, placed, read_here, source_of, through_all
from tests.wing_parts import rows

TABLES = {**SPELLINGS, **EXPORTS}
OFTEN = frozenset(
    ("points and commas", "no header, words only", "lines above", "dates", "none is a class",
     "a separator behind each row", "names again among the rows", "windows-1251",
     "junk of other programs", "train and val", "black on a clear ground", "names with spaces",
     "photographs of a phone", "16 bits of a microscope", "one class", "HEIC", "masks beside",
     "an empty file", "empty", "one column", "a spreadsheet", "pickled objects")
)  # fmt: skip
"""What each check runs."""
ONE_CLASS = "The masks have 1 class, but a network can distinguish 2 to 255. "
WITH_MASKS = {
    "masks beside": ONE_CLASS,
    "masks in a palette beside": ONE_CLASS,
    "masks among the pictures": "MaskFolder needs a score for each of 2 classes at each pixel, ",
}
"""What begins the sentence where they are read as masks."""
GUESSING = ("dropped", "folder")


def cases(names: Iterable[str]) -> list[Any]:
    """Cases by name, most of them for `make test-all` only."""
    return [pytest.param(n, marks=() if n in OFTEN else pytest.mark.slow) for n in names]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    read_here(monkeypatch)


@pytest.mark.parametrize("name", cases(TABLES))
def test_a_table_is_the_same_data_by_every_door(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    case = TABLES[name]
    found = through_all(tmp_path, monkeypatch, {"t.csv": case.content})
    assert found["path"][0] == case.features
    assert found["path"][2] == case.classes
    assert found == dict.fromkeys(DOORS, found["path"])


@pytest.mark.parametrize("name", cases(REFUSED_TABLES))
def test_a_table_is_refused_by_the_same_sentence_at_every_door(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    given, sentence = REFUSED_TABLES[name]
    found = through_all(tmp_path, monkeypatch, given)
    assert found == dict.fromkeys(DOORS, sentence)


@pytest.mark.parametrize("name", cases(READ))
def test_pictures_are_the_same_data_by_every_door(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    case = READ[name]
    found = through_all(tmp_path, monkeypatch, case.files)
    assert found["path"][1:3] == (case.counts, case.classes)
    assert found["path"][4] == (case.channels, *case.shape[1:])
    assert found == dict.fromkeys(DOORS, found["path"])


@pytest.mark.parametrize("name", cases(n for n in REFUSED if n not in WITH_MASKS))
def test_pictures_are_refused_by_the_same_sentence_at_every_door(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    given, sentence = REFUSED[name]
    assert through_all(tmp_path, monkeypatch, given) == dict.fromkeys(DOORS, sentence)


@pytest.mark.parametrize("name", cases(WITH_MASKS))
def test_masks_are_no_classes_and_where_the_kind_is_guessed_they_are_read_as_masks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    given, sentence = REFUSED[name]
    found = through_all(tmp_path, monkeypatch, given)
    (guessed,) = {found.pop(door) for door in GUESSING}
    assert guessed.startswith(WITH_MASKS[name])
    assert found == dict.fromkeys(set(DOORS) - set(GUESSING), sentence)


@pytest.mark.parametrize("name", cases(READ))
def test_a_picture_has_the_colour_that_a_viewer_shows(workspace: Path, name: str) -> None:
    case = READ[name]
    placed(workspace, case.files)
    data = source_of(case.files)
    notes = data_guess.guess_and_read(data)[1]
    facts = read_own(data)
    assert facts is not None
    first = sum(facts.layout["counts"][:-1])
    pixels = load(data, case.shape, (len(case.classes),)).inputs[:][first]
    row, column = min(1, case.shape[1] - 1), min(1, case.shape[2] - 1)
    seen = (pixels[:, row, column] * 255).round()
    assert (seen - torch.tensor(case.pixel)).abs().max() <= case.within
    assert case.words in " ".join((*notes, facts.source.about))


@pytest.mark.gate
@pytest.mark.parametrize("given", [REFUSED_TABLES["one column"], REFUSED["masks beside"]])
def test_a_command_ends_with_the_sentence(
    workspace: Path, capsys: pytest.CaptureFixture[str], given: tuple[Files, str]
) -> None:
    placed(workspace, given[0])
    save_project(replace(table_project(), data=source_of(given[0])), workspace / "s.loom.json")
    assert main(["code", str(workspace / "s.loom.json"), "--as", "script"]) == 1
    printed = capsys.readouterr().err.replace("data/", "")
    assert " ".join(printed.replace("hint: ", "").split()).endswith(given[1])


def test_there_are_forty_tables_and_thirty_sets_of_pictures() -> None:
    assert len(TABLES) + len(REFUSED_TABLES) >= 80
    assert len(READ) + len(REFUSED) >= 50


def test_a_link_out_of_the_folder_is_refused_wherever_it_may_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser follows links before it sends anything, so a chosen folder holds none."""
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    placed(tmp_path, PLAIN)
    (tmp_path / "data/pets/a/9.png").symlink_to("/etc/passwd")
    data = source_of(PLAIN)
    sentence = "data/pets/a/9.png is a link or not a regular file. Copy the file itself here."
    assert data_guess.guess_and_read(data)[2] == sentence
    monkeypatch.setenv("LAYERLOOM_BESIDE", "")
    with pytest.raises(DataError) as refused:
        files.read_data(replace(table_project(), data=data), tmp_path / "small.loom.json")
    assert str(refused.value) == sentence
    link = zipfile.ZipInfo("pets/a/9.png")
    link.external_attr = 0o120777 << 16
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    (tmp_path / "pets.zip").write_bytes(packed.getvalue())
    with pytest.raises(DataError) as refused:
        open_dropped([Staged("pets.zip", tmp_path / "pets.zip")])
    assert str(refused.value) == (
        "pets.zip holds 'pets/a/9.png', which is a link. Nothing was unpacked."
    )


def test_names_that_are_one_on_some_systems_are_refused_where_they_are_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {**PLAIN, "a/X.png": PLAIN["a/0.png"], "a/x.png": PLAIN["b/0.png"]}
    found = through_all(tmp_path, monkeypatch, given)
    words = "differ only in upper and lower case. Rename one of them"
    for door, sentence in rows("data_doors", "SAID_OF_ONE_NAME").items():
        assert found.pop(door) == sentence
    assert found.pop("dropped") == (
        f"pets.zip holds 'a/X.png' and 'a/x.png', which {words} and make the zip again."
    )
    assert found["path"][1] == "[5, 3]"
    assert found == dict.fromkeys(found, found["path"])


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("sheet.txt", "a\tb\tc\n1\t2\t3.5\n4\t5\t6.5\n7\t9\t9.5\n", "CSV"),
        ("saved.txt", "1.0 2.0 3.5\n4.0 5.0 6.5\n7.0 9.0 9.5\n", "CSV"),
        ("iris.data", "5.1,a\n4.9,b\n6.3,a\n5.8,b\n", "CSV"),
        ("points.dat", "1;2;3,5\n4;5;6,5\n7;9;9,5\n", "CSV"),
        ("poem.txt", "The sea, the sand, the sun.\nOne boat, two birds, no wind.\n" * 30, "text"),
    ],
)
def test_a_text_file_is_a_table_where_its_lines_are_rows(
    workspace: Path, name: str, content: str, kind: str
) -> None:
    from app.services.file_choices import Choice, choices

    with staging.staging() as folder:
        (folder / "0").write_text(content)
        opened = open_dropped([Staged(name, folder / "0")])
    assert (opened.data or {})["source"] == kind
    assert choices() == [Choice(kind, f"data/{name}")]


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
