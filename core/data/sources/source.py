"""A data set's metadata, known without reading it."""

from dataclasses import dataclass
from typing import Literal

from blocks.spec import Setting

Shape = tuple[int, ...]
PICTURE_FOLDERS = ("ImageFolder", "MaskFolder")
"""Sources that are folders of pictures of the user's own."""
SOUND_FOLDER = "SoundFolder"
FILE_FOLDERS = (*PICTURE_FOLDERS, SOUND_FOLDER)
"""Sources whose samples are files in folders: their names may decide the split."""


@dataclass(frozen=True)
class Source:
    """One data set. `samples` are those to learn from; its makers keep `test` and, of some sets,
    `validation` apart.

    targets: what may be asked of a network, the usual first. alphabet: the characters of a text;
    its tokens are their places. answer: length of the text that is to be answered. columns: names
    of a table's columns. windows: whether a sample is cut from one long text, as long as the Input.
    longest: of a sample's sequence of classes, 0 where it has none. made: what can be set of data
    that a formula makes, `data.made` of a project. patience: how many times the steps that others
    of its kind need it takes to learn it. by_file: whether each sample is a picture in a file
    of its own, of any size; `shape` is then one that a first network may take. cut_by: what a token
    of texts with a class each is, "" of other data; lower: whether they are in small letters.
    most_tokens: how many their vocabulary may have; vocabulary: its tokens by their numbers, which
    the training part decides, so that it is () until the data is loaded. ahead: how many values
    after a window are predicted, 0 where samples are no windows of a table. step: of these, the
    usual time between two rows in days, 0 where there are no dates.
    """

    name: str
    package: Literal["scikit-learn", "torchvision", "Python", "files"]
    kind: Literal["image", "table", "text", "series", "wave"]
    things: str
    shape: Shape
    samples: int
    classes: tuple[str, ...] = ()
    test: int = 0
    download_bytes: int = 0
    about: str = ""
    target_name: str = "class"
    targets: tuple[str, ...] = ("label",)
    alphabet: str = ""
    answer: int = 0
    columns: tuple[str, ...] = ()
    windows: bool = False
    longest: int = 0
    made: tuple[Setting, ...] = ()
    patience: float = 1.0
    validation: int = 0
    by_file: bool = False
    cut_by: str = ""
    lower: bool = False
    most_tokens: int = 0
    vocabulary: tuple[str, ...] = ()
    ahead: int = 0
    step: float = 0.0

    @property
    def total(self) -> int:
        """How many samples there are in all parts."""
        return self.samples + self.validation + self.test

    @property
    def masked(self) -> bool:
        """Whether each picture has a mask of classes, rather than one class."""
        return self.name == "MaskFolder"

    @property
    def heard(self) -> bool:
        """Whether its samples are sounds, as waves or spectrograms."""
        return self.name == SOUND_FOLDER

    @property
    def measured(self) -> bool:
        """Whether its numbers have units of their own: they are standardised unless it is off."""
        return self.kind == "table" or self.ahead > 0

    @property
    def embedded(self) -> bool:
        """Whether it is inside an installed package, so that nothing is ever downloaded."""
        return self.package != "torchvision"

    @property
    def decoded(self) -> bool:
        """Whether samples are brought to the size of the Input as they are read."""
        return self.by_file or self.name in PICTURE_FOLDERS

    @property
    def tokens(self) -> int:
        """How many tokens an Input may receive: the characters, and one more as a mark."""
        return self.most_tokens or len(self.alphabet) + 1
