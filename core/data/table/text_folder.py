"""A folder of texts, a sub-folder for each class: which files, and what stands in them.

Training scripts hold `text_files` and `file_text` word for word.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.common.errors import DataError
from core.data.sources.bounds import MOST_ROWS
from core.data.sources.paths import check_file
from core.data.table.structure import LARGEST_BYTES

ENDING = ".txt"
HIDDEN = (".", "__MACOSX")
"""How names begin that no person gave."""


@dataclass(frozen=True)
class TextFolder:
    """Texts of a folder, and the class of each. left_out: files without a text. names: paths of
    the files in the folder."""

    classes: tuple[str, ...]
    found: tuple[tuple[str, int], ...]
    left_out: int
    names: tuple[str, ...]

    def texts(self) -> list[str]:
        """The text of each file."""
        return [text for text, _ in self.found]

    def answers(self) -> NDArray[np.int64]:
        """The class of each text, (S,)."""
        return np.array([label for _, label in self.found], np.int64)

    def keys(self) -> list[str]:
        """A folder has nothing that decides the part of a text."""
        return []


def read_text_folder(root: Path, name: str) -> TextFolder:
    """Read all texts. Raises DataError for links, one class, or too much."""
    classes = tuple(path.name for path in class_folders(root, name))
    files = text_files(str(root), list(classes))
    _check_sizes(files, name)
    read = [(file_text(path).strip(), label, f"{path.parent.name}/{path.name}")
            for path, label in files]  # fmt: skip
    kept = [each for each in read if each[0]]
    found = tuple((text, label) for text, label, _ in kept)
    return TextFolder(classes, found, len(read) - len(found), tuple(name for *_, name in kept))


def class_folders(root: Path, name: str) -> list[Path]:
    """The sub-folders that hold texts, by name. Raises DataError for fewer than two."""
    if not root.is_dir():
        raise DataError(
            f"{name} is a file, but TextFolder needs a folder.",
            "Choose the folder that has one sub-folder for each class.",
        )
    inner = [path for path in sorted(root.iterdir()) if not path.name.startswith(HIDDEN)]
    found = [path for path in inner if path.is_dir() and not path.is_symlink()]
    found = [path for path in found if any(is_text(each.name) for each in path.iterdir())]
    if len(found) < 2:
        raise DataError(
            f"{name} needs two or more folders with {ENDING} files but has {len(found)}.",
            f"Give each class a folder in it, such as {name}/spam, with one text in each file.",
        )
    return found


def has_texts(root: Path) -> bool:
    """Whether a folder has a sub-folder of texts for each of two or more classes."""
    try:
        return len(class_folders(root, root.name)) > 1
    except (DataError, OSError):
        return False


def is_text(name: str) -> bool:
    """Whether a name ends as that of a text, and is not hidden."""
    return name.lower().endswith(ENDING) and not name.startswith(HIDDEN)


def text_files(folder: str, classes: list[str]) -> list[tuple[Path, int]]:
    """The .txt files in the folders of classes by name, each with the number of its class."""
    found: list[tuple[Path, int]] = []
    for label, name in enumerate(classes):
        inside = sorted(Path(folder, name).iterdir(), key=lambda path: path.name)
        named = [path for path in inside if path.suffix.lower() == ".txt"]
        found += [(path, label) for path in named if not path.name.startswith(".")]
    return found


def file_text(path: Path) -> str:
    """A text in UTF-8, or else as Windows wrote it."""
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _check_sizes(files: list[tuple[Path, int]], name: str) -> None:
    """Refuse links, and more than memory should hold. Raises DataError."""
    if len(files) > MOST_ROWS:
        raise DataError(f"{name} has {len(files):,} texts.", f"Use at most {MOST_ROWS:,}.")
    size = 0
    for path, _ in files:
        size += check_file(path, f"{name}/{path.parent.name}/{path.name}").st_size
    if size > LARGEST_BYTES:
        raise DataError(
            f"The texts of {name} have {size / 1e6:,.0f} MB, more than {LARGEST_BYTES >> 20}.",
            "Use fewer or shorter texts.",
        )
