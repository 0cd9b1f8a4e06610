"""A folder of pictures with masks: its pairs, what the values of its masks mean, and its faults."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from core.common.errors import DataError
from core.data.pictures.folder import (
    DAMAGED_HINT,
    Listing,
    Picture,
    files_below,
    opened,
    size_of,
)
from core.data.pictures.layout import LEARNED, PARTS, is_junk, is_picture
from core.data.pictures.mask_classes import CLASS_FILES, ClassFile, read_class_file
from core.data.pictures.mask_values import (
    INDEXED,
    MOST_CLASSES,
    USUAL_VOID,
    MaskCode,
    check_sizes,
    counted,
    named,
)
from core.data.pictures.masks import Pairs, find_pairs
from core.data.sources.paths import check_file

FEW = 32
"""More values than so many, which no file names, are no classes."""
ALONE_OF, ALONE_SHARE = 8, 0.01
"""From so many masks on, a value that one of them has alone, on less than this share of its pixels,
is no class."""
NAMED = 3
VOID_NAMES = ("void", "ignore", "ignored", "unlabeled", "unlabelled")
NONE = "none"
"""Of `data.ignore`: every value is a class."""
PNG = "Save masks as PNG, drawn without smooth edges, one value for each class"


@dataclass(frozen=True)
class MaskFiles:
    """The pairs of a folder. part: the folder of the training part, "" without parts; class_file:
    what names the classes, "" without one; notes: what is left out, a sentence each."""

    root: Path
    pairs: Pairs
    part: str
    class_file: str
    notes: tuple[str, ...]

    @property
    def used(self) -> tuple[str, ...]:
        """All files that are read."""
        named = (self.class_file,) if self.class_file else ()
        return (*(name for pair in self.pairs.found for name in pair), *named)


@dataclass(frozen=True)
class MaskFacts:
    """What masks hold. code: the values of the classes; classes: their names; pixels: how many each
    class has; void: how many have none; colours: of the classes in the masks, "#rrggbb", () where
    they are numbers without colours; all_names: of the classes and of those that do not count."""

    code: MaskCode
    classes: tuple[str, ...]
    pixels: tuple[int, ...]
    void: int
    colours: tuple[str, ...]
    all_names: tuple[str, ...]

    def layout(self) -> dict[str, Any]:
        """What of it is kept with the facts of the data."""
        return {
            "values": list(self.code.values),
            "by_index": self.code.by_index,
            "pixels": list(self.pixels),
            "void": self.void,
            "colours": list(self.colours),
        }


@dataclass
class _Seen:
    """Values of all masks: pixels of each, in how many masks it is, and the last that has it.

    most: values of one mask, and which; read: how many masks.
    """

    pixels: Counter[int] = field(default_factory=Counter[int])
    masks: Counter[int] = field(default_factory=Counter[int])
    last: dict[int, tuple[str, int, int]] = field(default_factory=dict[int, tuple[str, int, int]])
    most: tuple[int, str] = (0, "")
    read: int = 0

    def add(self, name: str, counts: Mapping[int, int]) -> None:
        whole, self.read = sum(counts.values()), self.read + 1
        for value, count in counts.items():
            self.pixels[value] += count
            self.masks[value] += 1
            self.last[value] = (name, count, whole)
        self.most = max(self.most, (len(counts), name))


def find_masks(root: Path, name: str) -> MaskFiles:
    """The pairs of a folder, by the names of its files. Raises DataError where there are none."""
    if not root.is_dir():
        raise DataError(
            f"{name} is a file, but MaskFolder needs a folder.",
            "Choose the folder that has the folders images and masks.",
        )
    files = [file for file in files_below(root, name) if not is_junk(file)]
    pictures, part, notes = _of_training([file for file in files if is_picture(file)])
    pairs = find_pairs(pictures)
    if pairs is None:
        raise DataError(
            f"{name} has no pictures with masks: {len(pictures):,} pictures.",
            "Put pictures into a folder images and masks of the same names into a folder masks "
            "beside it; or call the mask of street.png street_mask.png.",
        )
    for words, alone in zip(("without a mask", "without their picture"), pairs.alone, strict=True):
        what = "pictures" if words == "without a mask" else "masks"
        notes += [f"Skipped: {len(alone):,} {what} {words}, {_few(alone)}."] if alone else []
    lists = [f for f in files if f.rsplit("/", 1)[-1].lower() in CLASS_FILES]
    class_file = min(lists, key=lambda file: (file.count("/"), file), default="")
    if class_file:
        check_file(root / class_file, f"{name}/{class_file}")
    return MaskFiles(root, pairs, part, class_file, tuple(notes))


def _of_training(names: list[str]) -> tuple[list[str], str, list[str]]:
    """Of folders train and test, or the like, the pictures in train: the split is made here."""
    folders = {part for name in names for part in name.split("/")[:-1]}
    learned = sorted(part for part in folders if part.lower() in LEARNED)
    others = sorted(part for part in folders if part.lower() in PARTS and part not in learned)
    if not learned or not others:
        return names, "", []
    kept = [name for name in names if learned[0] in name.split("/")[:-1]]
    return kept, learned[0], [f"Used: the pictures in {learned[0]}. Skipped: {', '.join(others)}."]


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"such as {', '.join(names[:NAMED])}{more}" if more else ", ".join(names)


def list_masks(root: Path, name: str, classes: tuple[str, ...], code: MaskCode) -> Listing:
    """The pictures of a folder with their masks, as they are now. Raises DataError."""
    files = find_masks(root, name)
    pictures: list[Picture] = []
    for picture, mask in files.pairs.found:
        mine, other = (check_file(root / each, f"{name}/{each}") for each in (picture, mask))
        stamp = f"{other.st_size} {other.st_mtime_ns}"
        pictures.append(Picture(picture, 0, mine.st_size, mine.st_mtime_ns, mask, stamp))
    relist = partial(list_masks, root, name, classes, code)
    return Listing(
        root, classes, tuple(pictures), relist, DAMAGED_HINT, notes=files.notes, masks=code
    )


def stamp_of(files: MaskFiles, listing: Listing) -> str:
    """What changes when a picture, a mask or the file of the classes does."""
    named_by = files.root / files.class_file if files.class_file else None
    text = named_by.read_bytes() if named_by else b""
    return hashlib.sha256(json.dumps([listing.stamp]).encode() + text).hexdigest()


def mask_facts(files: MaskFiles, ignore: str, skip_corrupt: bool) -> MaskFacts:
    """Look through all masks. ignore: the class whose pixels do not count, "" for the usual one.

    Raises DataError for masks that cannot be used, unless they are skipped, and for values that
    are no classes.
    """
    given = read_class_file(files.root / files.class_file) if files.class_file else None
    by_index, palette = _kind_of_values(files)
    by_index = by_index and not (given and given.kind == "colours")
    seen, faults = _seen(files, by_index)
    if faults and (not skip_corrupt or len(faults) == len(files.pairs.found)):
        raise DataError(
            f"{len(faults):,} of {len(files.pairs.found):,} masks cannot be used. "
            f"{faults[0][1].message}",
            faults[0][1].hint or DAMAGED_HINT,
        )
    words = _words_of(given, seen, by_index, files.class_file)
    void = _void(words, ignore, by_index, bool(given))
    kept = {value: word for value, word in words.items() if value not in void}
    if not 2 <= len(kept) <= MOST_CLASSES:
        raise DataError(
            f"The masks have {len(kept)} class{'es' * (len(kept) != 1)}, but a network can "
            f"distinguish 2 to {MOST_CLASSES}.",
            "Check the masks: each class needs a value of its own.",
        )
    code = MaskCode(tuple(kept), by_index)
    return MaskFacts(
        code,
        tuple(kept.values()),
        tuple(seen.pixels[value] for value in kept),
        sum(count for value, count in seen.pixels.items() if value not in kept),
        _colours(code, palette),
        tuple(words.values()),
    )


def _kind_of_values(files: MaskFiles) -> tuple[bool, tuple[int, ...]]:
    """Whether the values of masks are numbers, and the palette that all of them share."""
    palettes: set[tuple[int, ...]] = set()
    for _, mask in files.pairs.found:
        try:
            with opened(files.root / mask) as picture:
                if picture.mode not in INDEXED:
                    return False, ()
                palettes |= {tuple(picture.getpalette() or ())} if picture.mode == "P" else set()
        except DataError:  # named when all masks are read
            continue
    if len(palettes) > 1:  # the same number is another colour in each
        return False, ()
    return True, next(iter(palettes), ())


def _seen(files: MaskFiles, by_index: bool) -> tuple[_Seen, list[tuple[str, DataError]]]:
    """The values of all masks, and the pictures whose mask cannot be used."""
    seen, faults = _Seen(), list[tuple[str, DataError]]()
    for picture, mask in files.pairs.found:
        try:
            with opened(files.root / mask) as found:
                size = size_of(files.root / picture)
                check_sizes(picture, size, mask, found.size)
                seen.add(mask, counted(found, by_index))
        except DataError as error:
            faults.append((picture, error))
    return seen, faults


def _words_of(given: ClassFile | None, seen: _Seen, by_index: bool, file: str) -> dict[int, str]:
    """The name of each value. Raises DataError for values that are no classes."""
    what = "number" if by_index else "colour"
    if given is None:
        _check_few(seen, what, by_index)
        return {value: named(value, by_index) for value in sorted(seen.pixels)}
    if not by_index and given.kind != "colours":
        raise DataError(
            f"{file} names classes without their colours, but the masks have colours.",
            f"Write the colour of each class into {file}, such as “128 64 128 road”.",
        )
    words = dict(zip(given.values, given.names, strict=True))
    usual = {USUAL_VOID} if by_index else set[int]()
    unknown = sorted(set(seen.pixels) - words.keys() - usual)
    if unknown:
        mask, count, _ = seen.last[unknown[0]]
        raise DataError(
            f"{mask} has the {what} {named(unknown[0], by_index)} on {count:,} pixels, which "
            f"{file} does not name.",
            f"Add it to {file}, under the name void where its pixels do not count. {PNG}.",
        )
    return words


def _check_few(seen: _Seen, what: str, by_index: bool) -> None:
    """Raise DataError for masks with smooth edges, or saved as JPEG."""
    if len(seen.pixels) > FEW:
        most, mask = seen.most
        raise DataError(
            f"The masks have {len(seen.pixels):,} {what}s, {mask} alone {most:,}; expected a few, "
            "one for each class.",
            f"{PNG}, not as JPEG. Or list the classes in classes.txt.",
        )
    several = sum(count > 1 for count in seen.masks.values())
    for value in sorted(seen.pixels):
        mask, count, whole = seen.last[value]
        if (
            several
            and seen.masks[value] == 1 < ALONE_OF <= seen.read
            and (count < ALONE_SHARE * whole)
        ):
            raise DataError(
                f"The {what} {named(value, by_index)} is in {mask} alone, on {count:,} of "
                f"{whole:,} pixels.",
                f"{PNG}. Or name this class in classes.txt.",
            )


def _void(words: Mapping[int, str], ignore: str, by_index: bool, known: bool) -> frozenset[int]:
    """The values whose pixels do not count. Raises DataError for a class that is not there."""
    if ignore == NONE:
        return frozenset()
    if ignore:
        found = frozenset(value for value, word in words.items() if word == ignore)
        if not found and not (by_index and ignore == str(USUAL_VOID)):
            raise DataError(
                f"data.ignore is {ignore!r}, but no class of the masks is called so.",
                f"Use one of {', '.join([*words.values()][:12])}, or {NONE}.",
            )
        return found
    if known:
        return frozenset(value for value, word in words.items() if word.lower() in VOID_NAMES)
    others = sorted(value for value in words if value != USUAL_VOID)
    in_order = len(others) > 1 and others == [*range(others[0], others[0] + len(others))]
    usual = by_index and in_order and others[0] in (0, 1) and USUAL_VOID in words
    return frozenset({USUAL_VOID}) if usual else frozenset()


def _colours(code: MaskCode, palette: tuple[int, ...]) -> tuple[str, ...]:
    """The colours of the classes in the masks; () for greys, which are numbers without a colour."""
    if not code.by_index:
        return tuple(f"#{value:06x}" for value in code.values)
    if max(code.values) * 3 + 3 > len(palette):
        return ()
    parts = (palette[3 * value : 3 * value + 3] for value in code.values)
    found = tuple("#" + "".join(f"{part:02x}" for part in each) for each in parts)
    return found if len({*found}) == len(found) else ()
