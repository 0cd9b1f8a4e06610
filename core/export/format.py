"""What an export format is: its declaration, what it is for, what it needs. Imports no torch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.export.result import ExportedFile


@dataclass(frozen=True)
class FormatGroup:
    """What formats are for: a heading, and a sentence that helps to choose."""

    title: str
    about: str


GROUPS = {
    "python": FormatGroup("In Python", "Source code, training scripts and files for PyTorch."),
    "anywhere": FormatGroup(
        "In any language",
        "One file with network and weights, for ONNX Runtime and similar runtimes on any system.",
    ),
    "device": FormatGroup(
        "In a browser, on a phone",
        "Runs on the user's device, without a server and without Python.",
    ),
    "server": FormatGroup("On a server", "Serves predictions to other programs over a network."),
    "cpp": FormatGroup("In C++", "Runs the network inside a C++ program."),
    "beside": FormatGroup(
        "Documentation", "What others should know about a network that they receive."
    ),
    "figure": FormatGroup("As a figure", "The drawing, for reports and slides."),
}
"""In the order in which they are shown; one without a format here is not."""


@dataclass(frozen=True)
class Need:
    """words: what it is, with its article. install: how to come by it. here: whether it is."""

    words: str
    install: str
    here: Callable[[], bool]


Maker = Callable[..., "ExportedFile"]


@dataclass(frozen=True)
class Format:
    """One export format: file ending, and its description for a student.

    first: whether most people want it, so that it is shown before all others. maker: makes it of a
    subject, and of the style of a figure; its module is imported when it is called. weights:
    whether the file carries the learned weights. deprecated: upstream's word on it. compared:
    whether it computes, so that it is compared. converts: whether it has the network in another
    form than its own Python, which then takes batches of every size. figure: whether it is a
    picture of the drawing, with a look to choose. dark: whether it may have a dark background.
    suffix: of its file name, to distinguish files with the same ending. group: a key of GROUPS.
    needs: tools besides Layerloom's packages. trains: whether it holds the training, so that it
    needs data. limit_s: how long a page waits. takes_files: whether people give it files of their
    own. by_name: whether it calls operators of the project's custom Python by their names, and does
    not hold them. after: of a wing's, the one in its group behind which it is listed, "" for the
    front. experimental: what no test runs, in a sentence.
    """

    name: str
    title: str
    ending: str
    media_type: str
    about: str
    maker: Maker
    first: bool = False
    weights: bool = True
    deprecated: str = ""
    compared: bool = True
    converts: bool = True
    figure: bool = False
    dark: bool = False
    suffix: str = ""
    group: str = "python"
    needs: tuple[Need, ...] = ()
    trains: bool = False
    limit_s: float = 180.0
    takes_files: bool = False
    by_name: bool = False
    after: str = ""
    experimental: str = ""
