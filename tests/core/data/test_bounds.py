"""Small files that would take gigabytes or minutes are refused before they are read."""

import re
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest

from core.data import DataError
from core.data.facts.metadata import read_text
from core.data.pictures.folder import decode, size_of
from core.data.sources import bounds
from core.data.sources.custom_source import read_custom_source
from core.data.table.arrays import list_arrays
from core.data.table.cells import read_cells
from core.data.table.read import read_table


def png(path: Path, width: int, height: int) -> Path:
    """A grey picture of 1 bit a pixel, all black, made a row at a time."""
    packer, row = zlib.compressobj(9), bytes(1 + -(-width // 8))
    rows = max(1, (1 << 20) // len(row))
    data = b"".join(packer.compress(row * min(rows, height - at)) for at in range(0, height, rows))
    parts = ((b"IHDR", struct.pack(">2L5B", width, height, 1, 0, 0, 0, 0)),
             (b"IDAT", data + packer.flush()), (b"IEND", b""))  # fmt: skip
    chunks = (struct.pack(">L", len(d)) + k + d + struct.pack(">L", zlib.crc32(k + d))
              for k, d in parts)  # fmt: skip
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))
    return path


def test_a_table_of_too_many_rows_is_refused_by_their_count(tmp_path: Path):
    file = tmp_path / "long.csv"
    file.write_bytes(b"1,2\n" * 2_000_001)
    with pytest.raises(DataError) as refused:
        read_cells(file, "long.csv")
    assert str(refused.value) == (
        "long.csv has more than 2,000,000 rows. Use fewer rows, or save it as NPZ."
    )


def test_old_line_ends_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bounds, "MOST_ROWS", 9)
    file = tmp_path / "old.csv"
    file.write_bytes(b"1,2\r" * 10)
    with pytest.raises(DataError, match=r"old\.csv has more than 9 rows"):
        bounds.check_table(file, "old.csv")


def test_a_table_of_too_many_cells_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bounds, "MOST_CELLS", 99)
    file = tmp_path / "wide.csv"
    file.write_bytes(b"1;2;3;4\n" * 25)
    with pytest.raises(DataError, match=r"wide\.csv has more than 99 cells"):
        read_cells(file, "wide.csv")


@pytest.mark.parametrize("size", [bounds.LONGEST_LINE + 1, bounds.LONGEST_LINE + (1 << 20)])
def test_a_table_in_one_endless_line_is_refused(tmp_path: Path, size: int):
    file = tmp_path / "line.csv"
    file.write_bytes(b"a,b\n" + b"1," * (size // 2) + b"1")
    with pytest.raises(DataError, match=r"line\.csv has a line of more than 4 MB"):
        read_cells(file, "line.csv")


def test_a_text_without_line_ends_is_still_read(tmp_path: Path):
    file = tmp_path / "one.txt"
    file.write_bytes(b"ab" * 3_000_000)
    assert len(read_text(file, "one.txt")) == 6_000_000


@pytest.mark.parametrize(("width", "height"), [(1, 99_999_999), (99_999_999, 1), (65_536, 2)])
def test_a_picture_with_too_long_a_side_is_refused_by_its_name(
    tmp_path: Path, width: int, height: int
):
    file = png(tmp_path / "long.png", width, min(height, 8))
    head = bytearray(file.read_bytes())
    head[20:24] = struct.pack(">L", height)
    head[29:33] = struct.pack(">L", zlib.crc32(head[12:29]))
    file.write_bytes(head)
    for read in (size_of, lambda path: decode(path, (1, 8, 8))):
        with pytest.raises(DataError) as refused:
            read(file)
        assert refused.value.message == (
            f"long.png has {width} x {height} pixels, and a side has at most 65,535."
        )


def test_a_picture_of_the_longest_side_is_read(tmp_path: Path):
    assert decode(png(tmp_path / "p.png", 65_535, 2), (1, 2, 2)) == bytes(4)


def test_an_array_that_swells_to_hundreds_of_times_its_size_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(bounds, "LARGE_BYTES", 1 << 20)
    file = tmp_path / "zeros.npz"
    np.savez_compressed(file, x=np.zeros((1000, 2000), np.uint8))
    with pytest.raises(DataError, match=r"zeros.npz, x.npy, has 0.0 MB that become 2 MB"):
        list_arrays(file, "zeros.npz")
    monkeypatch.setattr(bounds, "LARGE_BYTES", 2 << 20)
    assert list_arrays(file, "zeros.npz")["x"][0] == (1000, 2000)


def test_an_archive_of_many_names_is_refused_by_its_end_record(tmp_path: Path):
    file = tmp_path / "many.npz"
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(1500):
            archive.writestr(zipfile.ZipInfo(f"{number:0400}.npy"), b"")
    with pytest.raises(DataError, match=r"many\.npz holds more than 1,000 files: their list alone"):
        list_arrays(file, "many.npz")


@pytest.mark.parametrize("cell", ["1e39", "-3.5e38", "1e400"])
def test_a_number_too_large_for_32_bits_is_refused_by_row_and_column(tmp_path: Path, cell: str):
    file = tmp_path / "big.csv"
    file.write_text(f"x,y\n1,2\n3,4\n{cell},6\n", encoding="utf-8")
    given = read_custom_source({"source": "CSV", "file": "big.csv", "target_column": "y"})
    assert given is not None
    message = f"Row 4 of big.csv, column x, is '{re.escape(cell)}', which is beyond"
    with pytest.raises(DataError, match=message):
        read_table(file, given).inputs()


def test_the_largest_number_of_32_bits_is_read(tmp_path: Path):
    file = tmp_path / "big.csv"
    file.write_text("x,y\n1,2\n3,4\n-3.4028234e38,6\n", encoding="utf-8")
    given = read_custom_source({"source": "CSV", "file": "big.csv", "target_column": "y"})
    assert given is not None
    assert np.isfinite(read_table(file, given).inputs().astype(np.float32)).all()
