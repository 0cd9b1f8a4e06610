"""Dropped files before they are recognised: in a folder of ours, under our names.

Names that came along stay text. What a zip holds is brought out beside it within strict limits;
nothing of it can lead anywhere else, as it is written under numbers. Text becomes UTF-8 here, which
is all that is read from then on.
"""

import shutil
import stat
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.services.uploads import parts_of, refusals
from app.services.zip_files import BROKEN
from core.data import DataError
from core.data.pictures.layout import is_junk
from core.data.sources import bounds
from core.data.sources.paths import LONGEST, cache_folder, differing_in_case
from core.data.table.encoding import UTF8, encoding_of, title_of

LARGEST_UNPACKED, MOST_ENTRIES = 2 << 30, 50_000
OLD_S = 24 * 3600.0
"""What lies here for so long was left by a server that was killed."""
CHUNK = 1 << 20
_SEPARATOR = "sep="


@dataclass(frozen=True)
class Staged:
    """A file of a drop: its name with its folders as it came, and where it lies now."""

    name: str
    path: Path


@contextmanager
def staging() -> Generator[Path]:
    """A folder for a drop inside the workspace, which goes when it is over. Raises DataError."""
    folder = cache_folder().parent / "dropped"
    if folder.is_symlink() or folder.parent.is_symlink():
        raise DataError(f"The folder {folder} is a link.", "Make it a folder of the workspace.")
    with refusals():
        folder.mkdir(parents=True, exist_ok=True)
        (folder.parent / ".gitignore").write_text("*\n", encoding="utf-8")
        _clear(folder)
        home = tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True)
    with home as path:
        yield Path(path)


def _clear(folder: Path) -> None:
    for entry in folder.iterdir():
        if time.time() - entry.lstat().st_mtime > OLD_S:
            shutil.rmtree(entry, ignore_errors=True)  # another tab may be clearing it, too


def unpack(archive: Staged) -> list[Staged]:
    """Bring out the files of a zip, beside it. Raises DataError, in words, for what is forged."""
    title = parts_of(archive.name)[-1]
    bounds.check_directory(archive.path, title, MOST_ENTRIES)
    try:
        with zipfile.ZipFile(archive.path) as opened, refusals():
            entries = _checked(title, opened.infolist())
            return [_bring(opened, e, archive.path, n) for n, e in enumerate(entries)]
    except BROKEN as error:
        raise DataError(
            f"{title} is damaged or not a zip: {error}.", "Make the zip again."
        ) from error


def _checked(title: str, entries: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """The files of a zip without what systems add. Raises DataError before any is unpacked."""
    total = sum(entry.file_size for entry in entries)
    if len(entries) > MOST_ENTRIES:
        raise DataError(
            f"{title} holds {len(entries):,} files, more than {MOST_ENTRIES:,}.",
            "Copy the folder into the workspace yourself.",
        )
    if total > LARGEST_UNPACKED:
        raise DataError(
            f"{title} would unpack to {total / 1e9:,.1f} GB, more than {LARGEST_UNPACKED >> 30}.",
            "Use fewer files.",
        )
    for entry in entries:
        if why := _forged(entry):
            raise DataError(
                f"{title} holds {entry.filename[:80]!r}, which {why}.", "Nothing was unpacked."
            )
    files = [entry for entry in entries if not entry.is_dir() and not is_junk(entry.filename)]
    _refuse_twice(title, [entry.filename for entry in files])
    if not files:
        raise DataError(
            f"{title} contains no files.", "Drop the folder itself, or make the zip again."
        )
    return files


def _refuse_twice(title: str, names: list[str]) -> None:
    """Raise DataError for a name that comes again, or that is another one in lower case."""
    if pair := differing_in_case(names):
        raise DataError(
            f"{title} holds {pair[0][:80]!r} and {pair[1][:80]!r}, which differ only in upper and "
            "lower case.",
            "Rename one of them and make the zip again.",
        )
    if twice := next((name for name, count in Counter(names).items() if count > 1), ""):
        raise DataError(f"{title} holds {twice[:80]!r} twice.", "Make the zip again.")


def _forged(entry: zipfile.ZipInfo) -> str:
    """What keeps an entry of a zip from being unpacked, "" for nothing."""
    parts = entry.orig_filename.replace("\\", "/").split("/")
    if "\0" in entry.orig_filename:
        return "has a NUL character in its name"
    if ".." in parts or parts[0] == "" or ":" in parts[0]:
        return "points outside its folder"
    if len(entry.filename) > LONGEST:
        return f"has a name of {len(entry.filename)} characters"
    if stat.S_ISLNK(mode := entry.external_attr >> 16):
        return "is a link"
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is not a regular file"
    return "is encrypted" if entry.flag_bits & 1 else ""


def _bring(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, beside: Path, number: int) -> Staged:
    """Unpack one file; zipfile gives no more bytes of it than were counted before."""
    target = beside.with_name(f"{beside.name}-{number}")
    with archive.open(entry) as packed, target.open("xb") as file:
        shutil.copyfileobj(packed, file, 1 << 20)
    return Staged(entry.filename, target)


def as_utf8(path: Path, title: str) -> str:
    """Rewrite a text file in UTF-8 and without Excel's line `sep=;`; what it was, "" for that.

    Raises DataError for what is not text.
    """
    encoding = encoding_of(path, title)
    with path.open(encoding=encoding, errors="replace") as file:
        headed = file.read(len(_SEPARATOR)).lower() == _SEPARATOR
    if encoding == UTF8 and not headed:
        return ""
    _rewrite(path, encoding, headed, title)
    return "" if encoding == UTF8 else title_of(encoding)


def _rewrite(path: Path, encoding: str, headed: bool, title: str) -> None:
    target = path.with_name(f"{path.name}-utf8")
    try:
        with (
            path.open(encoding=encoding, newline="") as old,
            target.open("x", encoding="utf-8", newline="") as new,
        ):
            if headed:
                old.readline(CHUNK)
            while piece := old.read(CHUNK):
                new.write(piece)
    except UnicodeError as error:
        message = f"{title} is not valid {title_of(encoding)} text."
        raise DataError(message, "Save it as UTF-8.") from error
    target.replace(path)
