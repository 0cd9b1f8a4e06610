"""torchvision's data sets whose pictures are files of any size, a declaration each. Reads no data.

All else follows from the declaration: the picker, the download, parts, decoding, the script. Counts
are those of the makers; sizes of downloads are those of the archives, about.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from core.data.builtin import class_names
from core.data.sources.source import Source

Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Part:
    """A part that the makers keep: arguments of torchvision's class, and how many pictures."""

    arguments: Arguments
    samples: int


@dataclass(frozen=True)
class PictureSet:
    """A class of `torchvision.datasets` that opens a file for each picture.

    side: of the square a first network may take, in pixels. folder: where it keeps its files in
    the root it is given; files: what must be there. validation, test: parts apart from the one to
    learn from, where there are. lists: how paths and classes are had of the class, see
    `core.data.facts.picture_listing`. coloured: whether it gives every picture in three colours.
    requires: a package that the class needs beside torchvision.
    """

    name: str
    things: str
    side: int
    classes: tuple[str, ...]
    train: Part
    folder: str
    files: tuple[str, ...]
    download_bytes: int
    about: str
    validation: Part | None = None
    test: Part | None = None
    lists: Literal["loader", "samples", "images", "headers"] = "loader"
    coloured: bool = True
    requires: str = ""
    source: Source = field(init=False)

    def __post_init__(self) -> None:
        validation, test = (part.samples if part else 0 for part in (self.validation, self.test))
        source = Source(
            self.name,
            "torchvision",
            "image",
            self.things,
            (3, self.side, self.side),
            self.train.samples,
            self.classes,
            test,
            self.download_bytes,
            self.about,
            targets=("label", "input"),
            validation=validation,
            by_file=True,
        )
        object.__setattr__(self, "source", source)

    @property
    def parts(self) -> dict[str, Part]:
        """The parts there are, by what a script calls them, in the order of their samples."""
        every = {"data": self.train, "val": self.validation, "test": self.test}
        return {name: part for name, part in every.items() if part}


def _part(samples: int, **arguments: Any) -> Part:
    return Part(arguments, samples)


_ALL = (
    PictureSet(
        "Flowers102",
        "flowers",
        224,
        class_names.FLOWERS,
        _part(1020, split="train"),
        "flowers-102",
        ("jpg", "imagelabels.mat", "setid.mat"),
        345_200_000,
        "Photos of 102 kinds of flower that grow in Britain, of different sizes: few of each for "
        "training, most for testing.",
        _part(1020, split="val"),
        _part(6149, split="test"),
        requires="scipy",
    ),
    PictureSet(
        "OxfordIIITPet",
        "cats and dogs",
        224,
        class_names.PETS,
        _part(3680, split="trainval"),
        "oxford-iiit-pet",
        ("images", "annotations/trainval.txt", "annotations/test.txt"),
        811_100_000,
        "Photos of 37 breeds of cats and dogs, of different sizes.",
        test=_part(3669, split="test"),
        lists="images",
    ),
    PictureSet(
        "Food101",
        "meals",
        224,
        class_names.FOOD,
        _part(75_750, split="train"),
        "food-101",
        ("images", "meta/train.json", "meta/test.json"),
        4_996_300_000,
        "Photos of 101 dishes, at most 512 pixels a side. Some training photos have a wrong "
        "class; the test photos were checked.",
        test=_part(25_250, split="test"),
    ),
    PictureSet(
        "FGVCAircraft",
        "aircraft",
        224,
        class_names.AIRCRAFT,
        _part(3334, split="train"),
        "fgvc-aircraft-2013b",
        ("data/images", "data/variants.txt"),
        2_753_000_000,
        "Photos of 100 variants of aircraft, 100 of each, of different sizes.",
        _part(3333, split="val"),
        _part(3333, split="test"),
    ),
    PictureSet(
        "DTD",
        "textures",
        224,
        class_names.TEXTURES,
        _part(1880, split="train"),
        "dtd",
        ("dtd/images", "dtd/labels"),
        625_200_000,
        "The Describable Textures: 47 patterns, 120 photos of each, of different sizes; the first "
        "of its ten splits.",
        _part(1880, split="val"),
        _part(1880, split="test"),
    ),
    PictureSet(
        "EuroSAT",
        "satellite images",
        64,
        class_names.LAND,
        _part(27_000),
        "eurosat",
        ("2750",),
        94_300_000,
        "Colour images of 64x64 pixels from Sentinel-2: what the land is used for.",
    ),
    PictureSet(
        "GTSRB",
        "traffic signs",
        32,
        class_names.SIGNS,
        _part(26_640, split="train"),
        "gtsrb",
        ("GTSRB/Training", "GTSRB/Final_Test/Images", "GT-final_test.csv"),
        276_600_000,
        "German traffic signs cut out of photos, of different sizes, some classes far more often "
        "than others.",
        test=_part(12_630, split="test"),
        lists="samples",
    ),
    PictureSet(
        "Imagenette",
        "photos",
        160,
        class_names.IMAGENETTE,
        _part(9469, split="train", size="160px"),
        "imagenette2-160",
        ("train", "val"),
        99_000_000,
        "Ten easy classes of ImageNet, the shorter side of each photo 160 pixels.",
        _part(3925, split="val", size="160px"),
    ),
    PictureSet(
        "Caltech101",
        "photos",
        224,
        class_names.OBJECTS,
        _part(8677),
        "caltech101",
        ("101_ObjectCategories",),
        137_400_000,
        "Photos of 101 kinds of object, of different sizes, some kinds far more often than others.",
        lists="headers",
        coloured=False,
        requires="scipy",
    ),
    PictureSet(
        "RenderedSST2",
        "sentences as images",
        448,
        ("negative", "positive"),
        _part(6920, split="train"),
        "rendered-sst2",
        ("train", "valid", "test"),
        131_000_000,
        "Sentences of film reviews, drawn as images of 448x448 pixels, with the class positive or "
        "negative.",
        _part(872, split="val"),
        _part(1821, split="test"),
    ),
)
PICTURE_SETS = {each.name: each for each in _ALL}
