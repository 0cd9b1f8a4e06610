"""Files of a stranger: forged, torn or far too large, refused in words and never in a traceback."""

import contextlib
import io
import random
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import EpsImagePlugin, Image

from core.data import DataError, load
from core.data.facts.metadata import read_own
from core.data.pictures.folder import decode, size_of
from core.data.sources.custom_source import CustomSource, read_custom_source
from core.data.table.arrays import read_arrays
from tests.core.data.own_sets import write_arrays, write_pictures

pytestmark = pytest.mark.usefixtures("workspace")

ARRAYS = {"source": "NPZ", "file": "data/cells.npz", "columns": ["images"],
          "target_column": "labels"}  # fmt: skip


def given() -> CustomSource:
    found = read_custom_source(ARRAYS)
    assert found is not None
    return found


def array(shape: tuple[int, ...], data: bytes, dtype: str = "|u1") -> bytes:
    """An .npy whose head says what it likes."""
    head = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data


def archive(file: Path, arrays: dict[str, bytes]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in arrays.items():
            made.writestr(f"{name}.npy", content)
    return file


LABELS = array((4,), bytes([0, 1, 0, 1]))
HUGE_HEAD = b"\x93NUMPY\x02\x00" + struct.pack("<I", 1 << 30) + bytes(64 << 20)


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (array((4, 10**12), bytes(40)), "declares 4,000,000,000,000 bytes but holds"),
        (array((4, -10), bytes(40)), "declares -40 bytes but holds"),
        (HUGE_HEAD, "is not an NPZ file"),
        (b"\x93NUMPY\x01\x00\x10", "is not an NPZ file"),
        (b"no array", "is not an NPZ file"),
        (array((4, 10), bytes(40), "|O"), "array images, holds object, not numbers or words"),
        (array((4, 10), bytes(40), "(" * 200), "is not an NPZ file"),
    ],
    ids=["larger than the file", "negative", "a head of a gigabyte", "torn", "text", "pickled",
         "nonsense type"],
)  # fmt: skip
def test_an_array_that_lies_about_itself_is_refused_before_it_takes_memory(
    workspace: Path, images: bytes, message: str
):
    file = archive(workspace / "data/cells.npz", {"images": images, "labels": LABELS})
    assert file.stat().st_size < 100_000
    tracemalloc.start()
    with pytest.raises(DataError) as error:
        read_own(ARRAYS)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert message in error.value.message
    assert most < 4 << 20


def test_arrays_over_the_limit_are_refused_by_what_they_say(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("core.data.table.arrays.LARGEST_BYTES", 1 << 20)
    images = array((4, 1 << 19), bytes(1 << 21))
    file = archive(workspace / "data/cells.npz", {"images": images, "labels": LABELS})
    assert file.stat().st_size < 10_000
    with pytest.raises(DataError, match=r"array images, has 0\.0 GB, more than 0"):
        read_own(ARRAYS)
    many = {f"a{n}": LABELS for n in range(1001)}
    archive(workspace / "data/cells.npz", many)
    with pytest.raises(DataError, match="it has 1001 arrays, more than 1000"):
        read_own(ARRAYS)


def test_an_encrypted_archive_is_refused(workspace: Path):
    file = write_arrays(workspace / "data/cells.npz")
    whole = bytearray(file.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = whole.find(mark)
        while start >= 0:
            whole[start + place] |= 1
            start = whole.find(mark, start + 1)
    file.write_bytes(whole)
    with pytest.raises(DataError, match="encrypted"):
        read_own(ARRAYS)


def damaged(whole: bytes, rng: random.Random) -> bytes:
    """Some bytes changed, or the end torn off."""
    found = bytearray(whole)
    for _ in range(rng.randint(1, 8)):
        found[rng.randrange(len(found))] = rng.randrange(256)
    return bytes(found[: rng.randrange(len(found))] if rng.random() < 0.3 else found)


def outcomes(read: Callable[[bytes], object], whole: bytes, count: int) -> list[str]:
    """Read damaged bytes; anything but a value or a DataError fails the test."""
    rng, messages = random.Random(0), list[str]()
    for _ in range(count):
        try:
            read(damaged(whole, rng))
        except DataError as error:
            messages.append(error.message)
    return messages


@pytest.mark.parametrize("compressed", [False, True])
def test_damaged_archives_are_read_or_refused_in_words(workspace: Path, compressed: bool):
    file = write_arrays(workspace / "data/cells.npz")
    if compressed:
        with np.load(file) as arrays:
            np.savez_compressed(file, **dict(arrays))

    def read(content: bytes) -> None:
        file.write_bytes(content)
        read_arrays(file, given())

    messages = outcomes(read, file.read_bytes(), 150)
    assert len(messages) > 100
    assert all("\n" not in message for message in messages)


@pytest.mark.filterwarnings("ignore::UserWarning")  # Pillow's, of damaged TIFF tags
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "BMP", "PPM", "TIFF", "WEBP"])
def test_damaged_pictures_are_read_or_refused_in_words(workspace: Path, kind: str):
    content = io.BytesIO()
    pixels = np.random.default_rng(0).integers(0, 255, (24, 20, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(content, kind)
    file = workspace / f"x.{kind.lower()}"

    def read(damaged: bytes) -> None:
        file.write_bytes(damaged)
        assert len(decode(file, (3, 8, 8))) == 192

    messages = outcomes(read, content.getvalue(), 120)
    assert messages
    assert all(message.startswith(file.name) for message in messages)


@pytest.mark.parametrize("ending", ["png", "jpg", "tiff"])
def test_a_picture_that_is_a_program_is_never_run(
    workspace: Path, ending: str, monkeypatch: pytest.MonkeyPatch
):
    run: list[str] = []
    monkeypatch.setattr(EpsImagePlugin, "Ghostscript", lambda *_: run.append("gs"))
    file = workspace / f"x.{ending}"
    Image.new("RGB", (8, 8)).save(file, "EPS")
    with contextlib.suppress(Exception):
        Image.open(file).convert("RGB")
    assert run == ["gs"]  # what Pillow does with it, left alone
    for read in (size_of, lambda file: decode(file, (3, 8, 8))):
        with pytest.raises(DataError) as error:
            read(file)
        assert error.value.message == (
            f"x.{ending} is not a picture (JPEG, PNG, PPM, BMP, GIF, TIFF or WEBP)."
        )
    assert run == ["gs"]


@pytest.mark.parametrize("kind", sorted({"EPS", "PDF", "SGI", "TGA", "PCX", "MSP", "ICO"}))
def test_kinds_that_are_not_listed_are_refused(workspace: Path, kind: str):
    Image.new("1" if kind == "MSP" else "RGB", (16, 16)).save(workspace / "x.png", kind)
    with pytest.raises(DataError, match="is not a picture"):
        decode(workspace / "x.png", (3, 8, 8))


def picture_that_says(width: int, height: int) -> bytes:
    """The head of a PNG of any size, with nothing behind it."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + head
    return (b"\x89PNG\r\n\x1a\n" + struct.pack(">I", len(head)) + chunk
            + struct.pack(">I", zlib.crc32(chunk)) + struct.pack(">I", 0) + b"IDAT")  # fmt: skip


@pytest.mark.parametrize(
    ("width", "height", "message"),
    [(60_000, 60_000, "x.png has more than 100,000,000 pixels."),
     (11_000, 10_000, "x.png has 11000 x 10000 pixels.")],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_a_picture_of_too_many_pixels_is_never_decoded(
    workspace: Path, width: int, height: int, message: str
):
    (workspace / "x.png").write_bytes(picture_that_says(width, height))
    for read in (size_of, lambda file: decode(file, (3, 8, 8))):
        with pytest.raises(DataError) as error:
            read(workspace / "x.png")
        assert error.value.message == message


def test_one_bomb_among_pictures_is_named_and_the_rest_can_be_learned_from(workspace: Path):
    root = write_pictures(workspace / "data/shapes", 4)
    (root / "circle/0000.png").write_bytes(picture_that_says(60_000, 60_000))
    folder = {"source": "ImageFolder", "root": "data/shapes"}
    read_own(folder)
    with pytest.raises(DataError, match=r"1 of 12 pictures cannot be read: circle/0000\.png\."):
        load(folder, (3, 8, 8), (3,))
    skip = folder | {"skip_corrupt": True}
    read_own(skip)
    assert load(skip, (3, 8, 8), (3,)).left_out == ("circle/0000.png",)
