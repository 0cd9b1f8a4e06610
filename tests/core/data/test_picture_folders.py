"""Folders of pictures as people have them: read alike when dropped and when chosen, or refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from core.data import DataError, load
from core.data.facts.metadata import read_own
from core.data.pictures.folder import list_folder
from core.data.pictures.layout import lay_out
from core.samples.upright import seen

FOLDER: dict[str, Any] = {"source": "ImageFolder", "root": "data/pets"}
PETS = ("cats/1.png", "cats/2.png", "dogs/1.png", "dogs/2.png")

LAYOUTS: dict[str, tuple[tuple[str, ...], tuple[str, ...], int]] = {
    "plain": ((), ("cats", "dogs"), 4),
    "notebook checkpoints": ((".ipynb_checkpoints/1.png",), ("cats", "dogs"), 4),
    "checkpoints in a class": (("cats/.ipynb_checkpoints/1.png",), ("cats", "dogs"), 4),
    "a zip made on a Mac": (("__MACOSX/cats/._1.png", "__MACOSX/x.png"), ("cats", "dogs"), 4),
    "forks of a Mac": (("cats/._1.png", "dogs/._2.png"), ("cats", "dogs"), 4),
    "a folder called .DS_Store": ((".DS_Store/1.png",), ("cats", "dogs"), 4),
    "thumbnails of Windows": (("Thumbs.db", "cats/Thumbs.db", "dogs/desktop.ini"),
                              ("cats", "dogs"), 4),
    "thumbnails of a NAS": (("cats/@eaDir/1.png",), ("cats", "dogs"), 4),
    "labels beside": (("labels.csv", "README.md"), ("cats", "dogs"), 4),
    "a folder of notes": (("notes/a.txt",), ("cats", "dogs"), 4),
    "loose pictures": (("cover.png",), ("cats", "dogs"), 4),
    "three classes": (("eels/1.png",), ("cats", "dogs", "eels"), 5),
    "folders in a class": (("cats/more/3.png", "cats-2/1.png"), ("cats", "cats-2", "dogs"), 6),
    "endings in capitals": (("cats/3.PNG",), ("cats", "dogs"), 5),
}  # fmt: skip
WRAPPED: dict[str, tuple[str, tuple[str, ...]]] = {
    "in a folder": ("pets/", ()),
    "in two folders": ("archive/pets/", ()),
    "train alone": ("train/", ()),
    "train and test": ("train/", ("test/cats/9.png", "test/dogs/9.png")),
    "train, valid and test": ("Train/", ("valid/cats/9.png", "Test/dogs/9.png")),
    "in a folder, in parts": ("pets/training/", ("pets/validation/cats/9.png",)),
}


def write(root: Path, names: tuple[str, ...]) -> Path:
    for value, name in enumerate(names):
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if name.lower().endswith(".png"):
            Image.new("RGB", (6, 5), (value * 9, 60, 10)).save(file, "PNG")
        else:
            file.write_text("x")
    return root


@pytest.mark.parametrize(("more", "classes", "count"), LAYOUTS.values(), ids=LAYOUTS.keys())
def test_classes_are_folders_with_pictures(workspace: Path, more, classes, count):
    root = write(workspace / "data/pets", (*PETS, *more))
    listing = list_folder(root, "data/pets")
    assert (listing.classes, len(listing.pictures)) == (classes, count)
    facts = read_own(FOLDER)
    assert facts is not None
    assert facts.source.classes == classes


@pytest.mark.parametrize(("around", "more"), WRAPPED.values(), ids=WRAPPED.keys())
def test_folders_around_the_classes_are_taken_off(workspace: Path, around: str, more):
    root = write(workspace / "data/pets", tuple(around + name for name in PETS) + more)
    listing = list_folder(root, "data/pets")
    assert [p.name for p in listing.pictures] == [around + name for name in PETS]
    assert (listing.classes, listing.inner) == (("cats", "dogs"), around[:-1])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("1.png", "2.png"), "2 pictures, all in one folder, pets: there are no classes to "
                             "distinguish."),
        (("cats/1.png", "cats/2.png"), "2 pictures, all in one folder, cats: there are no classes "
                                       "to distinguish."),
        (("1.png",), "One picture, on its own: there are no classes to distinguish."),
        (("a/x.txt", "b/y.txt"), "pets contains no pictures (.jpg, .jpeg, .png …)."),
    ],
)  # fmt: skip
def test_a_folder_without_classes_is_refused(workspace: Path, names, message: str):
    root = write(workspace / "data/pets", names)
    with pytest.raises(DataError) as error:
        list_folder(root, "data/pets")
    assert error.value.message == message


def test_a_drop_and_a_folder_go_by_the_same_rule(workspace: Path):
    from app.services.file_drop import arrange
    from app.services.staging import Staged

    names = ("pets/train/cats/1.png", "pets/train/dogs/1.png", "pets/train/dogs/._1.png",
             "pets/test/cats/2.png", "__MACOSX/pets/train/cats/1.png")  # fmt: skip
    root = write(workspace / "data/pets", names)
    dropped, notes = arrange([Staged(f"pets/{name}", root / name) for name in names])
    chosen = list_folder(root, "data/pets")
    assert [file.path for file in dropped] == [root / p.name for p in chosen.pictures]
    assert notes == chosen.notes == ("Used: the pictures in train. Skipped: test.",)
    assert lay_out(names, "pets").inner == "pets/train"


BLACK, WHITE, RED = (0, 0, 0), (255, 255, 255), (200, 20, 20)


def drawn(colour: tuple[int, int, int], mode: str) -> Image.Image:
    """A bar of a colour, on a clear ground, in a mode that has one."""
    picture = Image.new("RGBA", (8, 8), (*colour, 0))
    picture.paste((*colour, 255), (2, 0, 4, 8))
    if mode == "P":
        flat = Image.new("P", (8, 8), 1)
        flat.putpalette([*colour, 9, 9, 9])
        flat.paste(0, (2, 0, 4, 8))
        flat.info["transparency"] = 1
        return flat
    return picture.convert(mode)


@pytest.mark.parametrize(
    ("colour", "mode", "ground"),
    [(BLACK, "RGBA", WHITE), (WHITE, "RGBA", BLACK), (RED, "RGBA", WHITE), (BLACK, "LA", WHITE),
     (WHITE, "LA", BLACK), (BLACK, "P", WHITE), (WHITE, "P", BLACK)],
)  # fmt: skip
def test_a_clear_ground_is_white_or_black_under_a_white_drawing(colour, mode: str, ground):
    picture = seen(drawn(colour, mode), 0, 65535)
    assert picture.mode == "RGB"
    assert picture.getpixel((0, 0)) == ground
    if mode != "LA":
        assert picture.getpixel((2, 3)) == colour


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_turned_as_its_exif_says(workspace: Path, orientation: int):
    turned = {1: None, 2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}[orientation]
    upright = Image.new("L", (12, 8), 0)
    upright.paste(255, (1, 1, 4, 3))
    stored = upright if turned is None else upright.transpose(Image.Transpose(turned))
    exif = Image.Exif()
    exif[0x0112] = orientation
    for kind in ("a", "b"):
        (workspace / f"data/pets/{kind}").mkdir(parents=True)
        stored.save(workspace / f"data/pets/{kind}/1.png", exif=exif)
    facts = read_own(FOLDER)
    assert facts is not None
    assert facts.source.shape == (1, 8, 12)
    pixels = load(FOLDER | {"validation": 0.5}, (1, 8, 12), (2,)).inputs[:]
    assert torch.equal(pixels[0, 0] * 255, torch.from_numpy(np.array(upright)).float())


@pytest.mark.parametrize(
    ("colours", "channels"),
    [([(9, 9, 9), (200, 200, 200)], 1), ([(9, 9, 9), (200, 200, 201)], 3), ([7, 80], 1)],
    ids=["three equal channels", "one of them in colour", "one channel"],
)
def test_pictures_without_colour_have_one_channel(workspace: Path, colours, channels: int):
    for kind, colour in zip("ab", colours, strict=True):
        (workspace / f"data/pets/{kind}").mkdir(parents=True)
        mode = "L" if isinstance(colour, int) else "RGB"
        Image.new(mode, (6, 4), colour).save(workspace / f"data/pets/{kind}/1.png")
    facts = read_own(FOLDER)
    assert facts is not None
    assert facts.source.shape == (channels, 4, 6)
