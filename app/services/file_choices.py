"""Data files in the workspace that the user can choose."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.data import DataError
from core.data.custom import dataset_file
from core.data.pictures.layout import EXTENSIONS, PICTURES, SOUNDS, Things, is_junk
from core.data.pictures.masks import holds_masks
from core.data.sources.custom_source import CustomSource
from core.data.sources.paths import check_text, workspace
from core.data.table.text import is_table
from core.data.table.text_folder import has_texts

FOLDER = "data"
ENDINGS = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".tab": "CSV",
    ".data": "CSV",
    ".dat": "CSV",
    ".npz": "NPZ",
    ".txt": "text",
    ".md": "text",
}
SHOWN = 200
DEEPEST, LOOKED_AT, NAMES = 2, 3, 100
"""How deep folders of classes may lie, and how many folders are entered on each level."""
_SKIPPED = frozenset({"runs", "node_modules", "__pycache__"})


@dataclass(frozen=True)
class Choice:
    """Something of the workspace that may be data: the kind of source, and its path."""

    kind: str
    path: str


def choices() -> list[Choice]:
    """Tables, arrays, texts and folders of folders, in the workspace and its folder data."""
    listed: list[Choice] = []
    for start in ("", FOLDER):
        folder = workspace() / start
        if folder.is_dir() and not folder.is_symlink():
            listed += [c for entry in _entries(folder) if (c := _choice(entry, start))]
    return listed[:SHOWN]


def kind_of(name: str, path: Path) -> str:
    """The kind of source of a file by its name, "" for none; what is called .txt may be a table."""
    ending = Path(name).suffix.lower()
    if ending == ".txt" and is_table(path):
        return "CSV"
    return ENDINGS.get(ending, "")


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
        kind = kind_of_folder(Path(entry.path)) if path != FOLDER else ""
        return Choice(kind, path) if kind else None
    kind = kind_of(entry.name, Path(entry.path))
    if entry.name.endswith(dataset_file.ENDING) and _has_dataset(path):
        kind = dataset_file.KIND
    return Choice(kind, path) if kind else None


def kind_of_folder(folder: Path) -> str:
    """The kind of source of a folder by the names in it, "" for none."""
    if holds_masks(_some_pictures(folder, DEEPEST + 1)):
        return "MaskFolder"
    for things in (PICTURES, SOUNDS):
        if _has_classes(folder, DEEPEST, things):
            return things.source
    return "TextFolder" if has_texts(folder) else ""


def _some_pictures(folder: Path, deepest: int) -> list[str]:
    """Paths of the first pictures of a folder, and of some folders in it."""
    entries = [entry for entry in _entries(folder) if not is_junk(entry.name)]
    files = [e.name for e in entries if e.name.lower().endswith(EXTENSIONS)][:NAMES]
    inner = [e for e in entries if e.is_dir(follow_symlinks=False)] if deepest else []
    return files + [
        f"{entry.name}/{name}"
        for entry in inner[: 2 * LOOKED_AT]
        for name in _some_pictures(Path(entry.path), deepest - 1)
    ]


def _has_dataset(path: str) -> bool:
    """Whether a Python file has a class that is a Dataset by its syntax."""
    try:
        text = dataset_file.read_file(CustomSource(dataset_file.KIND, path))
    except DataError:  # none that can be chosen
        return False
    return bool(dataset_file.classes_in(text)) and not dataset_file.faults(text)


def _has_classes(folder: Path, deepest: int, things: Things) -> bool:
    """Whether a folder has folders of such files, in itself or below folders around them."""
    inner = [e for e in _entries(folder) if e.is_dir(follow_symlinks=False) and not is_junk(e.name)]
    if len(inner) > 1 and _has_one(inner, things):
        return True
    few = inner[:LOOKED_AT] if deepest else []
    return any(_has_classes(Path(each.path), deepest - 1, things) for each in few)


def _has_one(folders: Sequence[os.DirEntry[str]], things: Things) -> bool:
    """Whether a class folder holds such a file, by the names of its first ones."""
    for folder in folders[:3]:
        with os.scandir(folder.path) as entries:
            for _, entry in zip(range(50), entries, strict=False):
                if things.is_one(entry.name):
                    return True
    return False
