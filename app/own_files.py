"""Files of the user's own in the workspace: what may be chosen, and what an upload may become."""

import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from core.data import DataError
from core.data.folder import EXTENSIONS
from core.data.paths import LONGEST, check_text, workspace

FOLDER = "data"
ENDINGS = {".csv": "CSV", ".tsv": "CSV", ".npz": "NPZ", ".txt": "text", ".md": "text"}
MOST_FILES, LARGEST_BYTES, SHOWN = 5000, 200 << 20, 200
_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_SKIPPED = frozenset({"runs", "node_modules", "__pycache__"})


@dataclass(frozen=True)
class Choice:
    """Something of the workspace that may be data: the kind of source, and its path."""

    kind: str
    path: str


def choices() -> list[Choice]:
    """Tables, arrays, texts and folders of folders, in the workspace and its folder data."""
    found: list[Choice] = []
    for start in ("", FOLDER):
        folder = workspace() / start
        if folder.is_dir() and not folder.is_symlink():
            found += [c for entry in _entries(folder) if (c := _choice(entry, start))]
    return found[:SHOWN]


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _choice(entry: os.DirEntry[str], start: str) -> Choice | None:
    path = f"{start}/{entry.name}" if start else entry.name
    if entry.is_symlink() or entry.name.startswith(".") or entry.name in _SKIPPED:
        return None
    try:
        check_text(path, "file")
    except DataError:  # a name that a project file may not hold
        return None
    if entry.is_dir():
        inner = [e for e in _entries(Path(entry.path)) if e.is_dir(follow_symlinks=False)]
        classes = len(inner) > 1 and path != FOLDER
        return Choice("ImageFolder", path) if classes and _has_picture(inner) else None
    kind = ENDINGS.get(Path(entry.name).suffix.lower())
    return Choice(kind, path) if kind else None


def _has_picture(folders: Sequence[os.DirEntry[str]]) -> bool:
    """Whether a class folder holds a picture, by the names of its first files."""
    for folder in folders[:3]:
        with os.scandir(folder.path) as entries:
            for _, entry in zip(range(50), entries, strict=False):
                if entry.name.lower().endswith(EXTENSIONS):
                    return True
    return False


def keep(files: Sequence[tuple[str, bytes]]) -> Choice:
    """Put uploaded files, (name with its folders, bytes), into the workspace's folder data.

    One table, arrays or text; or pictures, each in a folder of its class. Nothing is overwritten.
    Raises DataError for names, sizes or kinds that cannot be.
    """
    if len(files) > MOST_FILES or sum(len(data) for _, data in files) > LARGEST_BYTES:
        raise DataError(f"An upload may have {MOST_FILES} files and {LARGEST_BYTES >> 20} MB.",
                        "Copy a larger folder into the workspace yourself.")  # fmt: skip
    if len(files) == 1 and Path(files[0][0]).suffix.lower() in ENDINGS:
        return _keep_one(*files[0])
    placed = {_placed(name): data for name, data in files if _is_picture(name)}
    if len({name.split("/")[1] for name in placed}) < 2:
        raise DataError("The upload is no folder of pictures with a sub-folder for each class.",
                        "Choose such a folder, or one file: CSV, TSV, NPZ or TXT.")  # fmt: skip
    (top,) = {name.split("/")[0] for name in placed}
    data = workspace() / FOLDER
    data.mkdir(parents=True, exist_ok=True)
    target = _free(data, top)
    with tempfile.TemporaryDirectory(prefix=".upload-", dir=data) as place:
        for name, content in placed.items():
            file = Path(place) / "whole" / PurePosixPath(name).relative_to(top)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        shutil.move(Path(place) / "whole", target)
    return Choice("ImageFolder", f"{FOLDER}/{target.name}")


def _keep_one(name: str, data: bytes) -> Choice:
    folder = workspace() / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    target = _free(folder, _clean(PurePosixPath(name).name))
    with target.open("xb") as file:
        file.write(data)
    return Choice(ENDINGS[target.suffix.lower()], f"{FOLDER}/{target.name}")


def _is_picture(name: str) -> bool:
    hidden = any(part.startswith(".") for part in name.split("/"))
    return name.lower().endswith(EXTENSIONS) and not hidden


def _placed(name: str) -> str:
    """FOLDER/CLASS/PICTURE, every part cleaned. Raises DataError for a picture outside a class."""
    parts = [_clean(part) for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if len(parts) < 3 or ".." in name.split("/") or len(name) > LONGEST:
        raise DataError(f"{name[:80]} lies in no sub-folder of the folder.",
                        "Give every class a sub-folder; choose the one above them.")  # fmt: skip
    return "/".join(parts)


def _clean(part: str) -> str:
    return _NAME.sub("_", part).strip("._") or "file"


def _free(folder: Path, name: str) -> Path:
    stem, dot, ending = name.partition(".") if "." in name else (name, "", "")
    names = [name, *(f"{stem}-{number}{dot}{ending}" for number in range(2, 1000))]
    return next(folder / n for n in names if not (folder / n).exists())
