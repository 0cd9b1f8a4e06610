"""Own data: read when asked, refused in words, kept in bounds; pictures decoded once."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from core.data import DataError, describe, load, read_settings
from core.data.facts.metadata import listing_of, read_known, read_own, was_read_before
from core.data.pictures.cache import find_cache
from core.data.pictures.decoding import decode_pictures
from core.data.pictures.folder import decode
from core.data.sources.custom_source import read_custom_source
from core.data.sources.paths import check_text, locate
from tests.core.data.own_sets import CLASSES, CSV, write_arrays, write_pictures, write_table

FOLDER = {"source": "ImageFolder", "root": "data/shapes"}
TABLE = {"source": "CSV", "file": "data/iris.csv"}


@pytest.fixture(autouse=True)
def workspace(workspace: Path) -> Path:
    (workspace / "data").mkdir()
    return workspace


@pytest.mark.parametrize(
    "text",
    ["", " ", ".", "..", "../x", "a/../b", "/etc/passwd", "~/x", "C:/x", "C:\\x", "\\\\host\\x",
     "a\\b", "a/b\0c", "a//b", "a/", ".ssh/id", "a/.hidden", "file:///x", "http://host/x", "a\nb",
     "x" * 300, "a/ b", "con|x", 7, None, ["a"]],
)  # fmt: skip
def test_a_path_that_leads_elsewhere_is_refused_by_its_text(text: object):
    with pytest.raises(DataError, match=r"data\.root"):
        check_text(text, "root")


def test_a_link_is_not_followed(workspace: Path):
    write_pictures(workspace / "elsewhere", 2)
    (workspace / "data/link").symlink_to(workspace / "elsewhere")
    with pytest.raises(DataError, match="leads through a link"):
        locate("data/link", "root")
    write_pictures(workspace / "data/shapes", 2)
    (workspace / "data/shapes/circle/x.png").symlink_to("/etc/passwd")
    with pytest.raises(DataError, match=r"data/shapes/circle/x\.png is a link"):
        read_own(FOLDER)
    (workspace / "data/shapes/circle/x.png").unlink()
    os.link(workspace / "elsewhere/circle/0000.png", workspace / "data/shapes/circle/y.png")
    with pytest.raises(DataError, match=r"y\.png is a link"):
        read_own(FOLDER)


def test_nothing_is_read_until_somebody_asks(workspace: Path):
    write_pictures(workspace / "data/shapes", 3)
    opened: list[str] = []
    watching = [True]

    def watch(event: str, given: tuple) -> None:
        if watching[0] and event in ("open", "os.scandir", "os.listdir"):
            opened.append(str(given[0]))

    sys.addaudithook(watch)
    with pytest.raises(DataError) as error:
        describe(FOLDER, (3, 8, 8))
    watching[0] = False
    assert (
        error.value.message == "data/shapes has not been read yet: opening a project does not read"
        " data."
    )
    assert [path for path in opened if "shapes" in path] == []
    assert not was_read_before(read_custom_source(FOLDER))
    read_own(FOLDER)
    assert was_read_before(read_custom_source(FOLDER))
    assert describe(FOLDER, (3, 8, 8)).summary == (
        "9 pictures in 3 classes, resized to 8x8 pixels: 7 training samples, 2 validation samples."
    )


def test_a_folder_that_changed_is_to_be_read_again(workspace: Path):
    write_pictures(workspace / "data/shapes", 3)
    read_own(FOLDER)
    (workspace / "data/shapes/circle/0000.png").unlink()
    with pytest.raises(DataError, match="data/shapes has changed since it was read"):
        describe(FOLDER, (3, 8, 8))


def test_pictures_are_those_of_torchvision(workspace: Path):
    datasets = pytest.importorskip("torchvision.datasets")
    v2 = pytest.importorskip("torchvision.transforms.v2")
    root = write_pictures(workspace / "data/shapes", 3)
    read_own(FOLDER)
    data = load(FOLDER, (3, 8, 10), (3,))
    theirs = datasets.ImageFolder(root, v2.Compose([v2.Resize((8, 10)), v2.PILToTensor()]))
    assert data.classes == tuple(theirs.classes) == CLASSES
    assert data.labels is not None
    assert data.labels.tolist() == theirs.targets
    whole = torch.stack([x for x, _ in theirs]).float().mul(1 / 255)
    assert torch.equal(data.inputs[:], whole)


def test_statistics_come_from_the_training_part_alone(workspace: Path):
    write_pictures(workspace / "data/shapes", 8)
    read_own(FOLDER)
    plain = load(FOLDER, (3, 8, 8), (3,))
    data = load(FOLDER | {"normalize": True}, (3, 8, 8), (3,))
    std, mean = torch.std_mean(plain.inputs[plain.train_indices].double(), (0, 2, 3), correction=0)
    assert data.mean is not None
    assert data.std is not None
    torch.testing.assert_close(data.mean.flatten().double(), mean, rtol=1e-6, atol=0)
    torch.testing.assert_close(data.std.flatten().double(), std, rtol=1e-6, atol=0)


def test_decoding_goes_on_where_it_was_stopped(workspace: Path):
    write_pictures(workspace / "data/shapes", 30)
    read_own(FOLDER)
    given = read_custom_source(FOLDER)
    assert given is not None
    listing, shape = listing_of(given), (3, 6, 6)

    class Stop(Exception):
        pass

    def stop(done: int, total: int, damaged: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        decode_pictures(listing, shape, False, stop)
    assert find_cache(listing, shape) is None
    (part,) = workspace.glob(".layerloom/cache/*/pixels.part")
    part.write_bytes(part.read_bytes()[:-7])  # torn off in mid-picture
    whole = decode_pictures(listing, shape, False)
    pixels = whole.pixels.read_bytes()
    assert pixels == b"".join(decode(listing.root / p.name, shape) for p in listing.pictures)
    assert (workspace / ".layerloom/.gitignore").read_text() == "*\n"


def test_damaged_pictures_are_named_and_refused_or_left_out_as_asked(workspace: Path):
    root = write_pictures(workspace / "data/shapes", 4)
    (root / "circle/0001.png").write_bytes(b"no picture")
    whole = (root / "square/0002.png").read_bytes()
    (root / "square/0002.png").write_bytes(whole[: len(whole) // 2])
    read_own(FOLDER)
    with pytest.raises(DataError) as error:
        load(FOLDER, (3, 8, 8), (3,))
    assert error.value.message == (
        "2 of 12 pictures cannot be read: circle/0001.png, square/0002.png."
        " 0001.png is not a picture (JPEG, PNG, PPM, BMP, GIF, TIFF or WEBP)."
    )
    skip = FOLDER | {"skip_corrupt": True}
    read_own(skip)
    data = load(skip, (3, 8, 8), (3,))
    assert len(data.inputs) == data.info.train_size + data.info.validation_size == 10
    assert describe(skip, (3, 8, 8), (3,)).train_size == data.info.train_size


def test_the_same_pictures_elsewhere_have_the_same_content(workspace: Path):
    for name in ("one", "two"):
        write_pictures(workspace / "data" / name, 2)
    read = [{"source": "ImageFolder", "root": f"data/{name}"} for name in ("one", "two")]
    for data in read:
        read_own(data)
    first, second = (load(data, (3, 8, 8), (3,)).content for data in read)
    assert first == second
    (workspace / "data/two/circle/0000.png").write_bytes(
        (workspace / "data/two/circle/0001.png").read_bytes()
    )
    assert load(read[1], (3, 8, 8), (3,)).content != first


def test_a_table_is_read_with_its_words_and_numbers(workspace: Path):
    write_table(workspace / "data/iris.csv")
    read_own(TABLE)
    source = read_settings(TABLE).source
    assert source.columns == ("petal length", "petal width", "site=hill", "site=lake", "site=moor")
    assert (source.classes, source.samples) == (("setosa", "virginica"), 10)
    data = load(TABLE | {"normalize": False}, (5,), (2,))
    torch.testing.assert_close(data.inputs[3], torch.tensor([1.6, 0.4, 1.0, 0.0, 0.0]))
    number = TABLE | {"target_column": "petal width", "columns": ["petal length"]}
    read_own(number)
    assert read_settings(number).source.classes == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CSV.replace("4.9", ""), "Row 8 of data/iris.csv, column petal length, is empty."),
        (CSV.replace("4.9", "NA"), "Row 8 of data/iris.csv, column petal length, is 'NA', a "
         "missing value."),
        (CSV.replace("4.9", "4,9"), "Row 8 of data/iris.csv, column petal length, is '4,9', "
         "which is not a number."),
        (CSV.replace("4.9;", ""), "Row 8 of data/iris.csv has 3 cells, the first has 4."),
        (CSV.replace("virginica", "setosa"), "data/iris.csv, column species, is 'setosa' in "
         "every row."),
        ("a;b\n1;2\n", "data/iris.csv has 2 rows."),
        (CSV.replace("petal width", "petal length"), "data/iris.csv has two columns called 'petal "
         "length'."),
    ],
)  # fmt: skip
def test_a_bad_table_is_refused_with_row_and_column(workspace: Path, text: str, message: str):
    write_table(workspace / "data/iris.csv", text)
    with pytest.raises(DataError) as error:
        read_own(TABLE)
    assert error.value.message == message


def test_arrays_are_chosen_by_name_and_never_unpickled(workspace: Path):
    import numpy as np

    write_arrays(workspace / "data/cells.npz")
    arrays = {"source": "NPZ", "file": "data/cells.npz", "columns": ["images"],
              "target_column": "labels"}  # fmt: skip
    read_own(arrays)
    source = read_settings(arrays).source
    assert (source.shape, source.classes, source.samples) == ((3, 8, 8), ("0", "7"), 30)
    assert float(load(arrays, (3, 8, 8), (2,)).inputs.max()) <= 1.0
    with pytest.raises(DataError, match=r"has no array 'pixels'.* It has images, labels, heights"):
        read_own(arrays | {"columns": ["pixels"]})
    np.savez(workspace / "data/cells.npz", images=np.array([{}], object), labels=np.zeros(1, int))
    with pytest.raises(DataError, match="array images, holds object, not numbers or words"):
        read_own(arrays)


def test_a_text_is_learned_character_by_character(workspace: Path):
    (workspace / "data/rain.txt").write_text("the rain in spain\n" * 60)
    text = {"source": "text", "file": "data/rain.txt"}
    read_own(text)
    alphabet = read_settings(text).source.alphabet
    assert alphabet == "\n aehinprst"
    from core.data.sources.io_spec import End

    ends = (End("text", (16,), "int64"),), (End("scores", (16, 11)),)
    data = load(text, *ends)
    assert "".join(alphabet[i] for i in data.inputs[0].tolist()) == "the rain in spai"
    assert "".join(alphabet[i] for i in data.targets[0].tolist()) == "he rain in spain"


HOLES = """size;born;age;left;kind
1;2001-02-03;;2020-01-02;a
2;2002-02-03;21;2021-01-02;b
;2003-02-03;22;2022-01-02;a
4;2004-02-03;23;2023-01-02;b
"""


@pytest.mark.parametrize("key", ["fill", "dates"])
def test_a_table_stays_read_in_whatever_order_its_columns_are_listed(workspace: Path, key: str):
    write_table(workspace / "data/holes.csv", HOLES)
    day = {"format": "%Y-%m-%d", "parts": ["year"]}
    table: dict[str, Any] = {"source": "CSV", "file": "data/holes.csv"}
    table |= {"fill": {"size": "mean", "age": "mean"}, "dates": {"left": day, "born": day}}
    read_own(table)
    turned = {**table, key: dict(reversed(table[key].items()))}
    given = read_custom_source(turned)
    assert given is not None
    assert read_known(given).source.samples == 4
