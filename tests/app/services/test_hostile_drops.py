"""Drops meant to do harm: refused in one sentence; nothing is written outside or left behind."""

import io
import stat
import zipfile
from pathlib import Path

import numpy as np
import pytest

from app.services import staging, uploads
from core.data import DataError
from tests.app.services.test_file_drop import (
    TABLE,
    drop_all,
    here,  # noqa: F401  a fixture that acts here, too
    picture,
    pictures,
    saved,
    zipped,
)
from tests.wing_parts import rows

pytestmark = pytest.mark.usefixtures("workspace")
PAIR = pictures("x/1.png", "y/1.png")


def with_entry(name: str, mode: int = 0, content: bytes = b"x") -> bytes:
    """A zip of two classes, with one entry more."""
    file = io.BytesIO(zipped(PAIR))
    with zipfile.ZipFile(file, "a") as archive:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = mode << 16
        archive.writestr(entry, content)
    return file.getvalue()


def renamed(old: bytes, new: bytes) -> bytes:
    """A zip with a name that zipfile itself would not write."""
    assert len(old) == len(new)
    return with_entry(old.decode()).replace(old, new)


def encrypted() -> bytes:
    content = bytearray(zipped(PAIR))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(mark)
        while at >= 0:
            content[at + place] |= 1
            at = content.find(mark, at + 4)
    return bytes(content)


def bomb() -> bytes:
    """Entries that say they hold more than may be unpacked, though each is small here."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("x/1.png", "y/1.png", "y/2.png"):
            archive.writestr(name, bytes(1 << 20))
    return file.getvalue()


def lying() -> bytes:
    """A zip whose table of contents says that less is in an entry than is."""
    content = bytearray(zipped([("x/1.png", bytes(9000)), ("y/1.png", picture())]))
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = content.find(mark)
        content[at + place : at + place + 4] = (10).to_bytes(4, "little")
    return bytes(content)


def twice() -> bytes:
    """A zip with one name twice."""
    return zipped([("x/1.png", b"a"), ("y/1.png", b"b")]).replace(b"y/1.png", b"x/1.png")


def torn(content: bytes, at: int) -> bytes:
    return content[:at]


OBJECTS = saved(x=np.array([{"a": 1}, None], dtype=object))
HOSTILE = {
    "slip": (("a.zip", with_entry("../../evil.png")), "points outside its folder"),
    "slip inside": (("a.zip", with_entry("x/../../../evil.png")), "points outside its folder"),
    "absolute": (("a.zip", with_entry("/etc/evil.png")), "points outside its folder"),
    "backslashes": (("a.zip", with_entry("..\\..\\evil.png")), "points outside its folder"),
    "drive": (("a.zip", with_entry("C:/evil.png")), "points outside its folder"),
    "stream": (("a.zip", with_entry("x:evil/1.png")), "points outside its folder"),
    "link": (("a.zip", with_entry("x/l.png", stat.S_IFLNK | 0o777, b"/etc/passwd")), "is a link"),
    "device": (("a.zip", with_entry("x/d.png", stat.S_IFCHR | 0o666)), "is not a regular file"),
    "pipe": (("a.zip", with_entry("x/p.png", stat.S_IFIFO | 0o666)), "is not a regular file"),
    "NUL": (
        ("a.zip", renamed(b"x/evil.png.txt", b"x/evil.png\0txt")),
        "has a NUL character in its name",
    ),
    "long name": (("a.zip", with_entry("x/" + "n" * 300 + ".png")), "a name of 306 characters"),
    "twice": (("a.zip", twice()), "holds 'x/1.png' twice"),
    "case": (
        ("a.zip", zipped([("x/1.png", b"a"), ("X/1.PNG", b"b")])),
        "a.zip holds 'x/1.png' and 'X/1.PNG', which differ only in upper and lower case.",
    ),
    "encrypted": (("a.zip", encrypted()), "is encrypted"),
    "bomb": (("a.zip", bomb()), "would unpack to"),
    "lying": (("a.zip", lying()), "is damaged or not a zip"),
    "torn": (("a.zip", torn(zipped(PAIR), 60)), "is damaged or not a zip"),
    "no zip": (("a.zip", b"MZ\x90 program"), "is damaged or not a zip"),
    "empty zip": (("a.zip", zipped([])), "contains no files"),
    "only folders": (("a.zip", zipped([("x/", b"")])), "contains no files"),
    "zip in a zip in a zip": (
        ("a.zip", zipped([("b.zip", zipped([("c.zip", zipped(PAIR))]))])),
        "b.zip in a.zip contains another zip",
    ),
    "two zips in a zip": (
        ("a.zip", zipped([("b.zip", zipped(PAIR)), ("c.zip", zipped(PAIR))])),
        "a.zip holds 2 zips: b.zip, c.zip",
    ),
    "program": (("a.csv.exe", b"MZ"), "cannot be opened here"),
    "empty": (("a.csv", b""), "a.csv is empty"),
    "binary": (("a.csv", b"\x7fELF\0\0\0\1" * 50), "a.csv is not text: byte 4 is 0"),
    "one column": (("a.csv", b"x\n1\n2\n3\n"), "has 1 columns"),
    "one cell": (("a.csv", b'a,b\n1,"' + b"x" * 200_000 + b'"\n2,3\n3,4\n'), "is not a table"),
    "same names": (("a.csv", b"a,a\n1,2\n3,4\n5,6\n"), "two columns called 'a'"),
    "pickled": (("a.npz", OBJECTS), "holds only pickled objects, which are never read"),
    "no arrays": (("a.npz", zipped([("a.txt", b"x")])), "holds no arrays"),
    "no NPZ": (("a.npz", b"not at all"), "is not an NPZ file"),
    "bad project": (("a.loom.json", b'{"layerloom": 1, "evil": 1}'), 'needs a "graph"'),
    "no project": (("a.loom.json", b"\xff\xfe"), "is not UTF-8 text"),
    "deep": (("a.loom.json", b"[" * 100_000), "a.loom.json"),
    **rows("drops", "HOSTILE"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_is_refused_in_a_sentence_and_nothing_of_it_stays(
    name: str, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(staging, "LARGEST_UNPACKED", 2 << 20)
    file, message = HOSTILE[name]
    with pytest.raises(DataError) as error:
        drop_all([file])
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert [p for p in tmp_path.rglob("*") if p.is_file() and p.name != ".gitignore"] == []


def test_there_are_thirty_of_them():
    assert len(HOSTILE) >= 30


def test_names_from_elsewhere_stay_inside(workspace: Path):
    opened = drop_all([("../../..\\evil\0.csv", TABLE.encode())])
    assert opened.data == {"source": "CSV", "file": "data/evil.csv"}
    assert [p.name for p in (workspace / "data").iterdir()] == ["evil.csv"]
    with pytest.raises(DataError, match=r"\.\./x/1\.png is not in a sub-folder"):
        drop_all([(f"../../{name}", content) for name, content in [*PAIR, ("1.png", b"x")]])
    assert sorted(path.name for path in workspace.parent.iterdir()) == ["home", "runs", "workspace"]


def test_too_many_entries_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(staging, "MOST_ENTRIES", 3)
    with pytest.raises(DataError, match=r"a\.zip holds 4 files, more than 3"):
        drop_all([("a.zip", zipped([(f"{n}.png", b"") for n in range(4)]))])


def test_a_folder_for_drops_that_is_a_link_is_not_written_through(workspace: Path, tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (workspace / ".layerloom").symlink_to(elsewhere)
    with pytest.raises(DataError, match="is a link"):
        drop_all([("a.csv", TABLE.encode())])
    assert list(elsewhere.iterdir()) == []
    assert uploads.MOST_FILES == 20_000
