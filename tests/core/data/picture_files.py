"""torchvision's sets of picture files with a few random pictures, in the very format of each."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.io import savemat

from core.data.builtin.picture_sets import PICTURE_SETS

MADE = np.random.default_rng(7)
COUNTS = {"data": 9, "val": 6, "test": 6}
"""How many pictures each part has, of three classes in turn (of two, where there are no more)."""


def picture(path: Path, mode: str = "RGB", kind: str | None = None) -> None:
    """A picture of any size, its colours in patches, so that a JPEG keeps some of them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    height, width = MADE.integers(9, 40, 2)
    pixels = MADE.integers(0, 256, (height // 4 + 1, width // 4 + 1, 3)).astype(np.uint8)
    image = Image.fromarray(pixels.repeat(4, 0).repeat(4, 1)).convert(mode)
    image.save(path, kind)


def labels(name: str) -> dict[str, list[int]]:
    """The classes of each part, one after the other."""
    most = min(3, len(PICTURE_SETS[name].classes))
    return {part: [k % most for k in range(COUNTS[part])] for part in PICTURE_SETS[name].parts}


def flowers(home: Path) -> None:
    """Two files of MATLAB say which picture is of which part, and its class from 1."""
    parts, start = labels("Flowers102"), 1
    ids: dict[str, list[int]] = {}
    for part, key in zip(parts, ("trnid", "valid", "tstid"), strict=True):
        ids[key] = list(range(start, start + len(parts[part])))
        start += len(parts[part])
    for number in range(1, start):
        picture(home / f"jpg/image_{number:05d}.jpg")
    every = [label + 1 for part in parts.values() for label in part]
    savemat(home / "imagelabels.mat", {"labels": [every]})
    savemat(home / "setid.mat", {key: [rows] for key, rows in ids.items()})


def pets(home: Path) -> None:
    """Lists of names with class, kind and breed from 1; a PNG is called JPG."""
    names = ("Abyssinian", "american_bulldog", "american_pit_bull_terrier")
    for file, (part, rows) in zip(("trainval", "test"), labels("OxfordIIITPet").items(),
                                  strict=True):  # fmt: skip
        lines = [f"{names[label]}_{part}{k} {label + 1} 1 1" for k, label in enumerate(rows)]
        for k, line in enumerate(lines):
            picture(home / f"images/{line.split()[0]}.jpg", kind="JPEG" if k else "PNG")
        (home / "annotations").mkdir(exist_ok=True)
        (home / f"annotations/{file}.txt").write_text("\n".join(lines))


def food(home: Path) -> None:
    names = PICTURE_SETS["Food101"].classes
    for file, rows in zip(("train", "test"), labels("Food101").values(), strict=True):
        found: dict[str, list[str]] = {names[label]: [] for label in rows}
        for k, label in enumerate(rows):
            found[names[label]].append(f"{names[label]}/{file}{k}")
            picture(home / f"images/{names[label]}/{file}{k}.jpg")
        (home / "meta").mkdir(exist_ok=True)
        (home / f"meta/{file}.json").write_text(json.dumps(found))


def aircraft(home: Path) -> None:
    names = PICTURE_SETS["FGVCAircraft"].classes
    for file, rows in zip(("train", "val", "test"), labels("FGVCAircraft").values(), strict=True):
        for k in range(len(rows)):
            picture(home / f"data/images/{file}{k}.jpg")
        lines = [f"{file}{k} {names[label]}" for k, label in enumerate(rows)]
        (home / f"data/images_variant_{file}.txt").write_text("\n".join(lines))
    (home / "data/variants.txt").write_text("\n".join(names))


def textures(home: Path) -> None:
    names = PICTURE_SETS["DTD"].classes
    for file, rows in zip(("train", "val", "test"), labels("DTD").values(), strict=True):
        lines = [f"{names[label]}/{names[label]}_{file}{k}.jpg" for k, label in enumerate(rows)]
        for line in lines:
            picture(home / "dtd/images" / line)
        (home / "dtd/labels").mkdir(exist_ok=True)
        (home / f"dtd/labels/{file}1.txt").write_text("\n".join(lines))


def land(home: Path) -> None:
    names = PICTURE_SETS["EuroSAT"].classes
    for k, label in enumerate(labels("EuroSAT")["data"]):
        picture(home / f"2750/{names[label]}/{names[label]}_{k}.jpg")


def signs(home: Path) -> None:
    """A folder of PPM for each class to learn from, and a table with the classes of the others."""
    parts = labels("GTSRB")
    for k, label in enumerate(parts["data"]):
        picture(home / f"GTSRB/Training/{label:05d}/{k:05d}.ppm")
    lines = ["Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId"]
    for k, label in enumerate(parts["test"]):
        picture(home / f"GTSRB/Final_Test/Images/{k:05d}.ppm")
        lines.append(f"{k:05d}.ppm;9;9;1;1;8;8;{label}")
    (home / "GT-final_test.csv").write_text("\n".join(lines))


def imagenette(home: Path) -> None:
    names = ("n01440764", "n02102040", "n02979186")
    for folder, rows in zip(("train", "val"), labels("Imagenette").values(), strict=True):
        for k, label in enumerate(rows):
            picture(home / f"{folder}/{names[label]}/{k}.JPEG", "L" if k == 1 else "RGB")


def objects(home: Path) -> None:
    """Numbered pictures, some of them grey, beside a folder that is no class."""
    names = ("Faces", "Faces_easy", "Leopards")
    picture(home / "101_ObjectCategories/BACKGROUND_Google/image_0001.jpg")
    for k, label in enumerate(labels("Caltech101")["data"]):
        place = home / f"101_ObjectCategories/{names[label]}/image_{k // 3 + 1:04d}.jpg"
        picture(place, "L" if k == 2 else "RGB")


def sentences(home: Path) -> None:
    names = PICTURE_SETS["RenderedSST2"].classes
    for folder, rows in zip(("train", "valid", "test"), labels("RenderedSST2").values(),
                            strict=True):  # fmt: skip
        for k, label in enumerate(rows):
            picture(home / f"{folder}/{names[label]}/{k}.png")


WRITERS: dict[str, Callable[[Path], None]] = {
    "Flowers102": flowers, "OxfordIIITPet": pets, "Food101": food, "FGVCAircraft": aircraft,
    "DTD": textures, "EuroSAT": land, "GTSRB": signs, "Imagenette": imagenette,
    "Caltech101": objects, "RenderedSST2": sentences,
}  # fmt: skip


def write(root: Path, name: str) -> Path:
    """Put a small set where a download would have put it; the folder of its files."""
    home = root / PICTURE_SETS[name].folder
    WRITERS[name](home)
    return home
