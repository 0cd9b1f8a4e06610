"""Folders of pictures as people have them: with folders around, in parts, or without classes."""

from collections.abc import Sequence

from app.services import uploads
from app.services.staging import Staged
from core.data import DataError

LEARNED = ("train", "training")
PARTS = (*LEARNED, "test", "testing", "val", "valid", "validation")
Parted = tuple[tuple[str, ...], Staged]


def arrange(files: Sequence[Staged]) -> tuple[list[Staged], tuple[str, ...]]:
    """Pictures as FOLDER/CLASS/... and what was left out, in sentences.

    Raises DataError where there are no classes.
    """
    found = [(tuple(uploads.parts_of(f.name)), f) for f in files if uploads.is_picture(f.name)]
    rest = len(files) - len(found)
    notes = [f"Left out, being no pictures: {rest:,} of {len(files):,} files."] if rest else []
    top, inner = _without_outer("pictures", found)
    top, inner, part = _of_training(top, inner)
    notes += [part] if part else []
    classed = [(parts, file) for parts, file in inner if len(parts) > 1]
    classes = {parts[0] for parts, _ in classed}
    if len(classes) < 2:
        raise _no_classes(len(found), top, classes)
    loose = len(inner) - len(classed)
    notes += [f"Left out, lying in the folder of no class: {loose:,} pictures."] if loose else []
    return [Staged("/".join((top, *parts)), file.path) for parts, file in classed], tuple(notes)


def _without_outer(top: str, found: Sequence[Parted]) -> tuple[str, list[Parted]]:
    """Take off the folders that hold everything, and return the name of the innermost of them."""
    inner = list(found)
    while all(len(parts) > 1 for parts, _ in inner) and len({parts[0] for parts, _ in inner}) == 1:
        top = inner[0][0][0]
        inner = [(parts[1:], file) for parts, file in inner]
    return top, inner


def _of_training(top: str, inner: list[Parted]) -> tuple[str, list[Parted], str]:
    """Of folders train and test, or the like, those in train: the split is made here."""
    firsts = {parts[0] for parts, _ in inner if len(parts) > 1}
    learned = [name for name in firsts if name.lower() in LEARNED]
    if not learned or not all(name.lower() in PARTS for name in firsts):
        return top, inner, ""
    kept = [(parts[1:], file) for parts, file in inner if parts[0] == learned[0]]
    others = ", ".join(sorted(firsts - {learned[0]}))
    note = f"Taken: the pictures of {learned[0]}. Left out: {others}." if others else ""
    return top, kept, note


def _no_classes(count: int, top: str, classes: set[str]) -> DataError:
    where = f"all in one folder, {next(iter(classes), top)}" if count > 1 else "on its own"
    things = f"{count:,} pictures" if count > 1 else "One picture"
    return DataError(f"{things}, {where}: no classes to tell apart.",
                     "Make a sub-folder for each class, such as cats and dogs, put the pictures "
                     "there, and drop the folder above them.")  # fmt: skip
