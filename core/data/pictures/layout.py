"""Folders of pictures as people have them: with folders around, in parts, or without classes.

One rule for a folder that is dropped, packed in a zip, or chosen in the workspace.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from core.common.errors import DataError
from core.data.pictures.masks import refuse_masks
from core.data.sources.other_files import AS_PICTURES, AS_SOUNDS, READ_SOUNDS, is_packed
from core.data.sources.other_files import PICTURES as OTHER_PICTURES
from core.data.sources.other_files import SOUNDS as OTHER_SOUNDS
from core.data.sources.source import SOUND_FOLDER

EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")
"""Endings of the files that ImageFolder takes for pictures."""
LEARNED = ("train", "training")
PARTS = (*LEARNED, "test", "testing", "val", "valid", "validation")
JUNK = ("__MACOSX", "Thumbs.db", "desktop.ini", "@eaDir", "$RECYCLE.BIN")
LISTS = (".csv", ".tsv", ".txt", ".json", ".xml", ".xlsx", ".mat")
"""Endings of files that may list the classes of pictures."""
SEPARATORS, MOST_PREFIXES, NAMED = "0123456789 ._-()", 50, 4


@dataclass(frozen=True)
class Things:
    """What lies in a folder of classes. source: that reads it; endings: of the files that are
    read; others: of formats that are not, whose way out is the hint."""

    source: str
    one: str
    endings: tuple[str, ...]
    others: tuple[str, ...]
    hint: str

    @property
    def many(self) -> str:
        return f"{self.one}s"

    def is_one(self, name: str) -> bool:
        """Whether a name ends as one that is read."""
        return name.lower().endswith(self.endings)

    def is_other(self, name: str) -> bool:
        """Whether a name ends as one in a format that is not read."""
        return name.lower().endswith(self.others)

    def formats_of(self, names: Iterable[str]) -> str:
        """The endings of those that are not read, such as .gif and .heic."""
        found = {max((e for e in self.others if n.lower().endswith(e)), key=len) for n in names}
        *most, last = sorted(found)
        return f"{', '.join(most)} and {last}" if most else last


PICTURES = Things("ImageFolder", "picture", EXTENSIONS, OTHER_PICTURES, AS_PICTURES)
SOUNDS = Things(SOUND_FOLDER, "sound", READ_SOUNDS, OTHER_SOUNDS, AS_SOUNDS)


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
    return PICTURES.is_one(name)


def lay_out(names: Sequence[str], top: str, things: Things = PICTURES) -> Layout:
    """Find the classes among the paths of the files below a folder, whose name is `top`.

    Raises DataError where there are no classes.
    """
    real = [i for i, name in enumerate(names) if not is_junk(name)]
    paths = [(i, PurePosixPath(names[i]).parts) for i in real if things.is_one(names[i])]
    others = [names[i] for i in real if things.is_other(names[i])]
    if others and not paths:
        raise _no_format(others, top, things)
    notes = _notes_on_skipped(len(real), len(paths), others, things)
    outer, inner = _without_outer(paths)
    part, inner, note = _of_training(inner, things)
    notes += [note] if note else []
    named = (top, *outer)[-1]
    outer += (part,) if part else ()
    classed = [(i, parts) for i, parts in inner if len(parts) > 1]
    classes = sorted({parts[0] for _, parts in classed})
    if len(classes) < 2:
        raise _no_classes([parts[-1] for _, parts in inner], named, classes, names, things)
    if things is PICTURES:
        refuse_masks(["/".join(parts) for _, parts in classed])
    loose = len(inner) - len(classed)
    notes += [f"Skipped: {loose:,} {things.many} that are not in a class folder."] if loose else []
    rows = tuple(i for i, _ in classed)
    return Layout("/".join(outer), tuple(classes), rows, tuple(notes))


def _notes_on_skipped(real: int, found: int, others: Sequence[str], things: Things) -> list[str]:
    notes: list[str] = []
    if others:
        formats, one = things.formats_of(others), f"1 {things.one} in a format"
        what = one if len(others) == 1 else f"{len(others):,} {things.many} in formats"
        notes.append(f"Skipped: {what} that cannot be read ({formats}). {things.hint}")
    if rest := real - found - len(others):
        notes.append(f"Skipped: {rest:,} of {real:,} files, which are not {things.many}.")
    return notes


def _no_format(others: Sequence[str], top: str, things: Things) -> DataError:
    """The error for a folder whose files are all in formats that are not read."""
    outer, _ = _without_outer([(i, PurePosixPath(n).parts) for i, n in enumerate(others)])
    one = f"1 {things.one}, but in a format"
    count = one if len(others) == 1 else f"{len(others):,} {things.many}, but in formats"
    formats = things.formats_of(others)
    return DataError(
        f"{(top, *outer)[-1]} contains {count} that cannot be read ({formats}).", things.hint
    )


Split = list[tuple[int, tuple[str, ...]]]


def _without_outer(split: Split) -> tuple[tuple[str, ...], Split]:
    """Take off the folders that hold everything."""
    outer: tuple[str, ...] = ()
    inner = list(split)
    while inner and all(len(p) > 1 for _, p in inner) and len({p[0] for _, p in inner}) == 1:
        outer += (inner[0][1][0],)
        inner = [(i, parts[1:]) for i, parts in inner]
    return outer, inner


def _of_training(inner: Split, things: Things) -> tuple[str, Split, str]:
    """Of folders train and test, or the like, those in train: the split is made here."""
    firsts = {parts[0] for _, parts in inner if len(parts) > 1}
    learned = sorted(name for name in firsts if name.lower() in LEARNED)
    if not learned or not all(name.lower() in PARTS for name in firsts):
        return "", inner, ""
    kept = [(i, parts[1:]) for i, parts in inner if parts[0] == learned[0]]
    others = ", ".join(sorted(firsts - {learned[0]}))
    note = f"Used: the {things.many} in {learned[0]}. Skipped: {others}." if others else ""
    return learned[0], kept, note


def _no_classes(
    files: Sequence[str],
    top: str,
    classes: Sequence[str],
    beside: Sequence[str],
    kind: Things,
) -> DataError:
    """The error for files without classes. files: their names; beside: all files there."""
    count = len(files)
    packed = [name for name in beside if is_packed(name) and not is_junk(name)]
    if not count and packed:
        return DataError(
            f"{top} contains no {kind.many}, but {packed[0]}, which is compressed.",
            "Unpack it first.",
        )
    if not count:
        return DataError(
            f"{top} contains no {kind.many} ({', '.join(kind.endings[:3])} …).",
            "Choose the folder that has one sub-folder for each class.",
        )
    where = f"all in one folder, {next(iter(classes), top)}" if count > 1 else "on its own"
    things = f"{count:,} {kind.many}" if count > 1 else f"One {kind.one}"
    return DataError(
        f"{things}, {where}: there are no classes to distinguish.",
        _to_classes(files, beside, kind),
    )


def _to_classes(files: Sequence[str], beside: Sequence[str], kind: Things) -> str:
    """What to do with files that lie in one folder."""
    prefixes = _prefixes(files)
    if prefixes:
        each = "each of these classes"
        start = f"Their names begin with {_listed(prefixes)}. Make"
    else:
        each = "each class, such as cats and dogs"
        lists = [n for n in beside if n.lower().endswith(LISTS) and not is_junk(n)]
        file = PurePosixPath(lists[0]).name if len(lists) == 1 else ""
        start = f"If {file} lists the classes: make" if file else "Make"
    return (
        f"{start} a sub-folder for {each}, move the {kind.many} there, and choose the folder "
        "above them."
    )


def _prefixes(files: Sequence[str]) -> list[str]:
    """The words that the names begin with, each of several pictures; [] without such words."""
    words = Counter(PurePosixPath(file).stem.rstrip(SEPARATORS) for file in files)
    several = 2 <= len(words) <= MOST_PREFIXES and min(words.values()) > 1 and "" not in words
    return sorted(words) if several else []


def _listed(words: Sequence[str]) -> str:
    if len(words) > NAMED:
        return f"{', '.join(words[:NAMED])} and {len(words) - NAMED} more"
    return f"{', '.join(words[:-1])} and {words[-1]}"
