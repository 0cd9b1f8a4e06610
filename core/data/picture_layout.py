"""Folders of pictures as people have them: with folders around, in parts, or without classes.

One rule for a folder that is dropped, packed in a zip, or chosen in the workspace.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from core.errors import DataError

EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")
"""Endings of the files that ImageFolder takes for pictures."""
LEARNED = ("train", "training")
PARTS = (*LEARNED, "test", "testing", "val", "valid", "validation")
JUNK = ("__MACOSX", "Thumbs.db", "desktop.ini", "@eaDir", "$RECYCLE.BIN")


@dataclass(frozen=True)
class Layout:
    """Where the classes of a folder are. inner: the folder that holds them, below the one that was
    named, "" for that itself; classes: their names in order; notes: what is left out, a sentence
    each; rows: the places of the pictures among the names that were given."""

    inner: str
    classes: tuple[str, ...]
    rows: tuple[int, ...]
    notes: tuple[str, ...] = ()


def is_junk(name: str) -> bool:
    """Whether a file is hidden, or one that systems put into every folder."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return any(part in JUNK or (part.startswith(".") and part != "..") for part in parts)


def is_picture(name: str) -> bool:
    """Whether a name ends as that of a picture."""
    return name.lower().endswith(EXTENSIONS)


def lay_out(names: Sequence[str], top: str) -> Layout:
    """Find the classes among the paths of the files below a folder, whose name is `top`.

    Raises DataError where there are no classes.
    """
    real = [i for i, name in enumerate(names) if not is_junk(name)]
    paths = [(i, PurePosixPath(names[i]).parts) for i in real if is_picture(names[i])]
    rest = len(real) - len(paths)
    notes = [f"Skipped: {rest:,} of {len(real):,} files, which are not pictures."] if rest else []
    outer, inner = _without_outer(paths)
    part, inner, note = _of_training(inner)
    notes += [note] if note else []
    named = (top, *outer)[-1]
    outer += (part,) if part else ()
    classed = [(i, parts) for i, parts in inner if len(parts) > 1]
    classes = sorted({parts[0] for _, parts in classed})
    if len(classes) < 2:
        raise _no_classes(len(paths), named, classes)
    loose = len(inner) - len(classed)
    notes += [f"Skipped: {loose:,} pictures that are not in a class folder."] if loose else []
    rows = tuple(i for i, _ in classed)
    return Layout("/".join(outer), tuple(classes), rows, tuple(notes))


Split = list[tuple[int, tuple[str, ...]]]


def _without_outer(split: Split) -> tuple[tuple[str, ...], Split]:
    """Take off the folders that hold everything."""
    outer: tuple[str, ...] = ()
    inner = list(split)
    while inner and all(len(p) > 1 for _, p in inner) and len({p[0] for _, p in inner}) == 1:
        outer += (inner[0][1][0],)
        inner = [(i, parts[1:]) for i, parts in inner]
    return outer, inner


def _of_training(inner: Split) -> tuple[str, Split, str]:
    """Of folders train and test, or the like, those in train: the split is made here."""
    firsts = {parts[0] for _, parts in inner if len(parts) > 1}
    learned = sorted(name for name in firsts if name.lower() in LEARNED)
    if not learned or not all(name.lower() in PARTS for name in firsts):
        return "", inner, ""
    kept = [(i, parts[1:]) for i, parts in inner if parts[0] == learned[0]]
    others = ", ".join(sorted(firsts - {learned[0]}))
    note = f"Used: the pictures in {learned[0]}. Skipped: {others}." if others else ""
    return learned[0], kept, note


def _no_classes(count: int, top: str, classes: Sequence[str]) -> DataError:
    if not count:
        return DataError(
            f"{top} contains no pictures ({', '.join(EXTENSIONS[:3])} …).",
            "Choose the folder that has one sub-folder for each class.",
        )
    where = f"all in one folder, {next(iter(classes), top)}" if count > 1 else "on its own"
    things = f"{count:,} pictures" if count > 1 else "One picture"
    return DataError(
        f"{things}, {where}: there are no classes to distinguish.",
        "Make a sub-folder for each class, such as cats and dogs, move the pictures "
        "there, and choose the folder above them.",
    )
