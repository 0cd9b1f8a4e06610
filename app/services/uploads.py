"""Copy uploaded files into the workspace, under names that are valid in a project."""

import os
import tempfile
import threading
import unicodedata
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path, PurePosixPath

from app.services.file_choices import ENDINGS, FOLDER, Choice, kind_of
from core.data import DataError
from core.data.pictures.layout import PICTURES, SOUNDS, Things, is_junk
from core.data.sources.paths import LONGEST, workspace
from core.data.table.text_folder import is_text
from core.runs import quota

MOST_FILES, LARGEST_BYTES = 20_000, 1 << 30
LONGEST_NAME = 180  # bytes, of the 255 that file systems take
LONGEST_INNER = 255
NOT_KEPT = frozenset('<>|?*":\\/')
"""Characters that a path in a project may not hold."""
JOINERS = "\u200c\u200d"
_placing = threading.Lock()  # two tabs never find the same free name
Content = bytes | Path
"""What a file holds: its bytes, or a file of ours in the workspace, which is moved."""


def keep(files: Sequence[tuple[str, Content]]) -> Choice:
    """Put uploaded files, (name with its folders, content), into the workspace's folder data.

    One table, arrays or text; or pictures, sounds or texts, each in a folder of its class.
    Nothing is overwritten.
    Raises DataError for names, sizes or kinds that cannot be, or when the disk refuses.
    """
    if len(files) > MOST_FILES or sum(_size(content) for _, content in files) > LARGEST_BYTES:
        raise too_much()
    if len(files) == 1 and _ending(files[0][0]) in ENDINGS:
        name = _file_name(parts_of(files[0][0])[-1])
        path = _put(name, {"": files[0][1]})
        return Choice(kind_of(name, workspace() / path), path)
    if things := things_of([name for name, _ in files]):
        top, members = _members(files, lambda name: things.is_one(name) and not _is_hidden(name))
        return Choice(things.source, _put(top, members))
    top, members = _members(files, is_text_file)
    return Choice("TextFolder", _put(top, members))


def keep_masks(top: str, files: Mapping[str, Content]) -> Choice:
    """Put pictures with masks, by their path below the folder `top`, into the folder data."""
    if len(files) > MOST_FILES or sum(map(_size, files.values())) > LARGEST_BYTES:
        raise too_much()
    members: dict[str, Content] = {}
    for name, content in files.items():
        members[_unused("/".join(map(_kept, parts_of(name))), members)] = content
    return Choice("MaskFolder", _put(_clean(top), members))


def too_much() -> DataError:
    """The error for more files or bytes than one upload may have."""
    limits = f"{MOST_FILES:,} files and {LARGEST_BYTES >> 20:,} MB"
    return DataError(
        f"An upload can have at most {limits}.", "Copy a larger folder into the workspace yourself."
    )


def _size(content: Content) -> int:
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def _put(name: str, contents: Mapping[str, Content]) -> str:
    """Write files by their path below `name`, "" for `name` itself, whole or not at all."""
    folder = workspace() / FOLDER
    if folder.is_symlink():
        raise DataError(f"The folder {FOLDER} is a link.", "Make it a folder of the workspace.")
    words, hint = quota.files_refusal(workspace(), sum(map(_size, contents.values())))
    if words:
        raise DataError(words, hint)
    with refusals():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".upload-", dir=folder) as temporary:
            whole = Path(temporary) / "whole"
            for inner, content in contents.items():
                file = whole / inner if inner else whole
                file.parent.mkdir(parents=True, exist_ok=True)
                if isinstance(content, bytes):
                    file.write_bytes(content)
                else:
                    content.rename(file)
            with _placing:
                target = free(folder, name)
                whole.rename(target)
    return f"{FOLDER}/{target.name}"


@contextmanager
def refusals() -> Generator[None]:
    """What the disk refuses, in words."""
    try:
        yield
    except OSError as error:
        message = f"The upload could not be saved: {error.strerror or error}."
        hint = "Free some space, or copy it into the workspace yourself."
        raise DataError(message, hint) from error


def _members(
    files: Sequence[tuple[str, Content]], belongs: Callable[[str], bool]
) -> tuple[str, dict[str, Content]]:
    """The name of an uploaded folder, and its pictures or texts by their path in it."""
    members: dict[str, Content] = {}
    tops, classes = set[str](), dict[str, str]()
    for name, content in files:
        if not belongs(name):
            continue
        top, subfolder, *inner = _in_a_class(name)
        tops.add(top)
        kind = _kept(subfolder)
        if classes.setdefault(kind, subfolder) != subfolder:
            raise DataError(
                f"The folders {classes[kind]!r} and {subfolder!r} would both be named "
                f"{kind!r} here.",
                "Rename one of them.",
            )
        inside = "/".join([kind, *map(_kept, inner)])
        members[_unused(inside, members)] = content
    if len(classes) < 2 or len(tops) > 1:
        raise DataError(
            "The upload is not a folder of pictures with a sub-folder for each class.",
            "Choose such a folder, or one file: CSV, TSV, NPZ or TXT.",
        )
    return _clean(tops.pop()), members


def _in_a_class(name: str) -> list[str]:
    """The parts FOLDER, CLASS, ... PICTURE of a name. Raises DataError for one without a class."""
    parts = parts_of(name)
    if len(name) > LONGEST:
        raise DataError(
            f"{name[:40]}…{name[-40:]} has a path of {len(name)} characters, more than {LONGEST}.",
            "Rename it or its folders.",
        )
    if len(parts) < 3 or ".." in parts:
        raise DataError(
            f"{name[:80]} is not in a sub-folder of the folder.",
            "Give every class a sub-folder and choose the one above them.",
        )
    return parts


def parts_of(name: str) -> list[str]:
    """The folders and the file that a name from anywhere names, [""] for nothing."""
    return [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")] or [""]


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def is_picture(name: str) -> bool:
    """Whether a file is called as pictures are, and neither it nor a folder of it is hidden."""
    return PICTURES.is_one(name) and not _is_hidden(name)


def things_of(names: Sequence[str]) -> Things | None:
    """Pictures or sounds, of which there are more, also in formats that are not read; None without
    any."""
    seen = [name for name in names if not _is_hidden(name)]
    known = [sum(map(each.is_one, seen)) for each in (PICTURES, SOUNDS)]
    if not any(known):
        known = [sum(map(each.is_other, seen)) for each in (PICTURES, SOUNDS)]
    return None if not any(known) else SOUNDS if known[1] > known[0] else PICTURES


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") and part != ".." for part in parts_of(name))


def is_text_file(name: str) -> bool:
    """Whether a file is called as texts are, and neither it nor a folder of it is hidden."""
    return is_text(parts_of(name)[-1]) and not is_junk(name)


def _file_name(part: str) -> str:
    path = PurePosixPath(part)
    return _clean(path.stem) + path.suffix


def _clean(part: str) -> str:
    """A name that a project may hold: letters and digits of any script, ".", "_" and "-"."""
    text = unicodedata.normalize("NFC", part)
    safe = "".join(c if _is_plain(c) else " " for c in text)
    short = "_".join(safe.split()).encode()[:LONGEST_NAME].decode(errors="ignore")
    return short.strip("._") or "file"


def _kept(part: str) -> str:
    """The name of a folder or picture inside a set, as it came: classes have it, and it decides
    their order. What a project may not hold is replaced."""
    safe = "".join("_" if _is_odd(c) else c for c in part).strip().lstrip(".")
    path = PurePosixPath(safe or "file")
    room = LONGEST_INNER - len(path.suffix.encode())
    return path.stem.encode()[:room].decode(errors="ignore") + path.suffix


def _is_odd(character: str) -> bool:
    hidden = unicodedata.category(character).startswith("C") and character not in JOINERS
    return hidden or character in NOT_KEPT


def _is_plain(character: str) -> bool:
    mark = unicodedata.category(character).startswith("M")  # vowel signs and accents of a script
    return character.isalnum() or mark or character in "._-"


def _unused(path: str, taken: Mapping[str, Content]) -> str:
    """A path that is not taken: two names may be alike once cleaned."""
    stem, dot, ending = path.rpartition(".")
    paths = chain([path], (f"{stem}-{number}{dot}{ending}" for number in count(2)))
    return next(p for p in paths if p not in taken)


def free(folder: Path, name: str) -> Path:
    """The first of NAME, NAME-2, NAME-3, ... that is not there."""
    stem, ending = (name, "") if not (suffix := _known(name)) else (name[: -len(suffix)], suffix)
    names = chain([name], (f"{stem}-{number}{ending}" for number in count(2)))
    return next(folder / n for n in names if not os.path.lexists(folder / n))


def _known(name: str) -> str:
    suffix = PurePosixPath(name).suffix
    return suffix if suffix.lower() in ENDINGS else ""
