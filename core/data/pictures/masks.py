"""Masks of a segmentation among folders of pictures, which are not classes."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from core.errors import DataError

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
"""From this share of masks among the pictures on, a set is refused."""


def refuse_masks(names: Sequence[str]) -> None:
    """Raise DataError where pictures, as CLASS/.../NAME, are masks of other pictures."""
    classes = sorted({name.split("/", 1)[0] for name in names})
    lower = {kind.lower() for kind in classes}
    if len(classes) == 2 and lower & PICTURES and lower & MASKS and _paired(names, classes):
        raise DataError(
            f"{classes[0]} and {classes[1]} hold pictures with the same names: masks, not classes. "
            "Layerloom does not learn masks from a folder.",
            "Make a sub-folder for each class, and choose the folder above them.",
        )
    masks = _masks_among(names)
    if masks and len(masks) >= SHARE * len(names):
        mask, picture = masks[0]
        raise DataError(
            f"{len(masks):,} of {len(names):,} pictures are masks of others, such as {mask} of "
            f"{picture}.",
            "Move the masks out of the class folders.",
        )


def _paired(names: Sequence[str], classes: Sequence[str]) -> bool:
    """Whether most pictures of one folder have one of the same name in the other."""
    stems = [{ENDING.sub("", _stem(n)) for n in names if n.startswith(f"{c}/")} for c in classes]
    return 2 * len(stems[0] & stems[1]) >= min(map(len, stems))


def _masks_among(names: Sequence[str]) -> list[tuple[str, str]]:
    """Masks that lie beside their picture, (mask, picture)."""
    pictures = {(name.rpartition("/")[0], _stem(name)): name for name in names}
    found: list[tuple[str, str]] = []
    for (folder, stem), name in pictures.items():
        picture = pictures.get((folder, ENDING.sub("", stem)))
        if picture is not None and picture != name:
            found.append((name, picture))
    return found


def _stem(name: str) -> str:
    return PurePosixPath(name).stem.lower()
