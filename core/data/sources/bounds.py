"""Limits on what a data file of a few bytes may take, checked before it is read.

A file is looked at in parts, or by its head alone; what is too large is refused in a sentence.
"""

import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from core.common.errors import DataError

MOST_ROWS, MOST_CELLS = 2_000_000, 40_000_000
LONGEST_LINE = 4 << 20
CHUNK = 1 << 20
LARGEST_SIDE = 65_535
"""Pixels of one side of a picture: the most that a JPEG can have."""
LARGE_PIXELS = 8_000_000
"""Pixels from which on pictures are decoded one at a time, each of them in tens of megabytes."""
MOST_TIMES, LARGE_BYTES = 200, 256 << 20
"""How many times its compressed size an array of LARGE_BYTES or more may have."""
END_BYTES, MEMBER_BYTES = 22 + 65_535, 46 + 512
"""The most that the end of a zip takes, and what its list takes for a member with a long name."""
_large = threading.Lock()


def check_table(path: Path, name: str) -> None:
    """Refuse a table with too many rows or cells, counted in its bytes. Raises DataError.

    Every row ends a line and every cell but the first follows a delimiter, so a file has no more
    rows than lines, and no more cells than delimiters and lines.
    """
    rows = cells = 0
    for longest, (ends, marks) in _counted(path):
        rows, cells = rows + ends, cells + ends + marks
        if longest > LONGEST_LINE:
            raise DataError(
                f"{name} has a line of more than {LONGEST_LINE >> 20} MB.",
                "Save it again with one row on each line.",
            )
        if rows > MOST_ROWS:
            raise DataError(
                f"{name} has more than {MOST_ROWS:,} rows.", "Use fewer rows, or save it as NPZ."
            )
        if cells > MOST_CELLS:
            raise DataError(
                f"{name} has more than {MOST_CELLS:,} cells.",
                "Use fewer rows or columns, or save it as NPZ.",
            )


def _counted(path: Path) -> Iterator[tuple[int, tuple[int, int]]]:
    """For each part of a file: the longest line so far, and the part's line ends and delimiters.

    Of the delimiters that a table may have, the one that is there most often is counted.
    """
    longest = open_line = 0
    with path.open("rb") as file:
        while part := file.read(CHUNK):
            mark = b"\n" if b"\n" in part else b"\r"
            ends = part.count(mark)
            first, last = part.find(mark), part.rfind(mark)
            longest = max(longest, open_line + (len(part) if first < 0 else first))
            open_line = open_line + len(part) if last < 0 else len(part) - 1 - last
            yield longest, (ends, max(part.count(each) for each in (b",", b";", b"\t", b"|")))


def check_picture(width: int, height: int, most: int, name: str) -> None:
    """Refuse a picture with too many pixels, or too long a side. Raises DataError."""
    if width * height > most:
        raise DataError(
            f"{name} has {width} x {height} pixels.", f"Make it smaller than {most:,} pixels."
        )
    if max(width, height) > LARGEST_SIDE:
        raise DataError(
            f"{name} has {width} x {height} pixels, and a side has at most {LARGEST_SIDE:,}.",
            "Make it smaller.",
        )


@contextmanager
def turn(width: int, height: int) -> Iterator[None]:
    """Wait until no other thread decodes a large picture, where this one is large."""
    with _large if width * height > LARGE_PIXELS else nullcontext():
        yield


def check_directory(path: Path, name: str, most: int) -> None:
    """Refuse a zip whose list of members has more bytes than `most` names take. Raises DataError.

    Its end record says so; zipfile makes an object of each member before it says how many there
    are. What has no end record is left to zipfile.
    """
    length = directory_bytes(path)
    if length > most * MEMBER_BYTES:
        raise DataError(
            f"{name} holds more than {most:,} files: their list alone has {length / 1e6:,.1f} MB.",
            "Use fewer files.",
        )


def directory_bytes(path: Path) -> int:
    """Bytes of a zip's list of members, as stated in its end record; 0 without one."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - END_BYTES))
        end = file.read()
    at = end.rfind(b"PK\5\6")
    if at < 0 or len(end) < at + 16:
        return 0
    return int.from_bytes(end[at + 12 : at + 16], "little")


def check_swollen(member: zipfile.ZipInfo, name: str) -> None:
    """Refuse a member of an archive that becomes far larger than it is. Raises DataError.

    Compressed numbers that mean something stay far below the thousand times that deflate reaches.
    """
    large = member.file_size > LARGE_BYTES
    if large and member.file_size > MOST_TIMES * member.compress_size:
        raise DataError(
            f"{name}, {member.filename}, has {member.compress_size / 1e6:,.1f} MB that become "
            f"{member.file_size / 1e6:,.0f} MB.",
            "Save it with numpy.savez, which does not compress.",
        )
