"""What a way to look at a network is: `layerloom look` has those of the modules beside this one.

No torch here, nor when those modules are imported: it is imported by what calculates.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.common.network_ref import NetworkRef

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class LookRequest:
    """A way and its options.

    sample: in the validation part. block: a node path, "" for all or the usual one. score_name: a
    class or the like. position: of a token or step. batch: of a profile, 0 for the run's own.
    check: whether the sanity check is made, too. tsne: whether an embedding is t-SNE's. other: a
    network to be compared with. channel: of a block, to be excited. format: of a film, "webp" or
    "gif".
    """

    what: str
    sample: int = 0
    block: str = ""
    score_name: str = ""
    position: int = -1
    batch: int = 0
    check: bool = False
    tsne: bool = False
    other: NetworkRef | None = None
    channel: int = 0
    format: str = "webp"


@dataclass(frozen=True)
class LookResult:
    """A result. document: plain values for JSON. arrays: for NPZ. lines: for people.

    picture: a PNG, b"" for none. text: another file to export (a trace), "" for none. film: an
    animated WebP or GIF, b"" for none. table: rows for the page "Look inside"; a cell of bytes is a
    PNG. heading: a sentence above it.
    """

    document: Mapping[str, Any]
    lines: tuple[str, ...]
    arrays: "Mapping[str, NDArray[Any]]" = field(default_factory=lambda: {})
    picture: bytes = b""
    text: str = ""
    film: bytes = b""
    table: tuple[Mapping[str, Any], ...] = ()
    heading: str = ""


@dataclass(frozen=True)
class View:
    """A way to look: a picture, as `layerloom look` and the page "Look inside" have it.

    about: in a few words. calculate: in a process that may import torch; raises with a message and
    a hint. sample: whether it is about one sample. title: of the section of "Look inside" that
    shows picture and table, else lines; "" where none does, or one of its own does. way: its name
    among others of that section, "" where it has the section alone. order: where it is listed, the
    smallest first. endings: of files that it is written to. all_epochs: whether it
    shows every kept epoch, so that none is chosen.
    """

    name: str
    about: str
    calculate: Callable[[NetworkRef, LookRequest], LookResult]
    sample: bool = True
    title: str = ""
    way: str = ""
    order: int = 100
    endings: tuple[str, ...] = (".json", ".npz", ".png")
    all_epochs: bool = False
