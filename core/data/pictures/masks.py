"""Pictures and their masks: which picture has which mask, by folders and names.

Two folders, images and masks, with the same names in both; or NAME.png and NAME_mask.png beside
each other. Training scripts hold `pairs_of` word for word.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from core.common.errors import DataError

PICTURES = frozenset(
    ("images", "image", "imgs", "img", "pictures", "photos", "jpegimages", "inputs", "input")
)
MASKS = frozenset(
    (
        *("masks", "mask", "labels", "label", "annotations", "annotation", "segmentation"),
        *("segmentations", "segmentationclass", "seg", "gt", "ground_truth", "groundtruth"),
        "targets",
    )
)
"""Usual names of the two folders of a segmentation, in lower case."""
ENDING = re.compile(r"[ _.-]*(mask|seg|segmentation|gt|label|groundtruth)s?([ _.-]?\d+)?$")
"""How the name of a mask continues that of its picture."""
SHARE = 1 / 3
"""From this share of masks among the pictures on, a folder holds masks."""
CHOOSE = "Choose it as pictures with masks, source MaskFolder."


@dataclass(frozen=True)
class Pairs:
    """Where masks are. pictures, masks: the folders that hold them, "" where they lie beside each
    other; ending: what the name of a mask adds to that of its picture; found: (picture, mask), in
    the order of their names; alone: pictures without a mask, and masks without a picture."""

    pictures: str
    masks: str
    ending: str
    found: tuple[tuple[str, str], ...]
    alone: tuple[tuple[str, ...], tuple[str, ...]]


def pairs_of(
    names: list[str],
    pictures: str,
    masks: str,
    ending: str,
) -> list[tuple[str, str]]:
    """Each picture with its mask, in the order of their names; "" for one without.

    pictures, masks: the folders that hold them, "" where they lie beside each other.
    ending: what the name of a mask adds to that of its picture.
    """
    found: dict[tuple[bool, str], str] = {}
    for name in sorted(names):
        *folders, file = name.split("/")
        stem = file.rsplit(".", 1)[0]
        is_mask = masks in folders if masks else stem.endswith(ending)
        if is_mask or not pictures or pictures in folders:
            inner = [folder for folder in folders if folder not in (pictures, masks)]
            stem = stem.removesuffix(ending) if is_mask else stem
            found.setdefault((is_mask, "/".join([*inner, stem])), name)
    own = [(key, name) for (is_mask, key), name in found.items() if not is_mask]
    return [(name, found.get((True, key), "")) for key, name in own]


def find_pairs(names: Sequence[str]) -> Pairs | None:
    """Pictures and masks among the paths of pictures; None where there are none."""
    pictures, masks = _folders(names)
    if not masks:
        beside = _masks_beside(names)
        if not beside or len(beside) < SHARE * len(names):
            return None
    else:
        beside = _masks_in(names, pictures, masks)
    if not beside:
        return None
    endings = Counter(_stem(mask)[len(_stem(picture)) :] for mask, picture in beside)
    ending = endings.most_common(1)[0][0]
    every = pairs_of([*names], pictures, masks, ending)
    found = tuple((picture, mask) for picture, mask in every if mask)
    used = {mask for _, mask in found}
    without = tuple(picture for picture, mask in every if not mask)
    unused = tuple(
        name
        for name in names
        if name not in used
        and (masks in name.split("/")[:-1] if masks else _stem(name).endswith(ending))
    )
    return Pairs(pictures, masks, ending, found, (without, unused)) if found else None


def _folders(names: Sequence[str]) -> tuple[str, str]:
    """The folders of pictures and of masks by their usual names; "" and "" without both."""
    seen = Counter(part for name in names for part in name.split("/")[:-1])
    pictures = [part for part in seen if part.lower() in PICTURES]
    masks = [part for part in seen if part.lower() in MASKS]
    if not pictures or not masks:
        return "", ""
    return max(pictures, key=lambda part: seen[part]), max(masks, key=lambda part: seen[part])


def _masks_in(names: Sequence[str], pictures: str, masks: str) -> list[tuple[str, str]]:
    """(mask, picture) of masks in their folder whose names are those of pictures in the other, or
    continue them."""
    seen = {_place(name, pictures): name for name in names if pictures in name.split("/")[:-1]}
    found: list[tuple[str, str]] = []
    for name in (name for name in names if masks in name.split("/")[:-1]):
        inner, stem = _place(name, masks)
        shorter = stem[: len(ENDING.sub("", stem.lower()))]
        picture = seen.get((inner, stem)) or seen.get((inner, shorter))
        found += [(name, picture)] if picture else []
    return found


def _place(name: str, folder: str) -> tuple[tuple[str, ...], str]:
    """The folders of a file without one of them, and its name without its ending."""
    return tuple(part for part in name.split("/")[:-1] if part != folder), _stem(name)


def holds_masks(names: Sequence[str]) -> bool:
    """Whether most masks among pictures are those of others, so that it is a segmentation."""
    found = find_pairs(names)
    return found is not None and len(found.found) >= len(found.alone[1])


def refuse_masks(names: Sequence[str]) -> None:
    """Raise DataError where pictures, as CLASS/.../NAME, are masks of other pictures."""
    classes = sorted({name.split("/", 1)[0] for name in names})
    lower = {kind.lower() for kind in classes}
    if len(classes) == 2 and lower & PICTURES and lower & MASKS and _paired(names, classes):
        raise DataError(
            f"{classes[0]} and {classes[1]} hold pictures with the same names: masks, not classes.",
            CHOOSE,
        )
    masks = _masks_beside(names)
    if masks and len(masks) >= SHARE * len(names):
        mask, picture = masks[0]
        raise DataError(
            f"{len(masks):,} of {len(names):,} pictures are masks of others, such as {mask} of "
            f"{picture}.",
            "Move the masks out of the class folders, or choose the folder as pictures with masks, "
            "source MaskFolder.",
        )


def _paired(names: Sequence[str], classes: Sequence[str]) -> bool:
    """Whether most pictures of one folder have one of the same name in the other."""
    stems = [
        {ENDING.sub("", _stem(n).lower()) for n in names if n.startswith(f"{c}/")} for c in classes
    ]
    return 2 * len(stems[0] & stems[1]) >= min(map(len, stems))


def _masks_beside(names: Sequence[str]) -> list[tuple[str, str]]:
    """Masks that lie beside their picture, (mask, picture)."""
    pictures = {(name.rpartition("/")[0], _stem(name).lower()): name for name in names}
    found: list[tuple[str, str]] = []
    for (folder, stem), name in pictures.items():
        picture = pictures.get((folder, ENDING.sub("", stem)))
        if picture is not None and picture != name:
            found.append((name, picture))
    return found


def _stem(name: str) -> str:
    return PurePosixPath(name).stem
