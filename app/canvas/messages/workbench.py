"""Edits of the canvas up to Python, and its answers down: annotations, state, catalogue."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from app.canvas.message_reader import FORGIVING, Key, Length, Read, TypeScript
from app.canvas.messages.drawing import (
    CatalogueJson,
    Count,
    Fix,
    GraphJson,
    Settings,
    Signature,
)

VERSION = 3

Layout: TypeAlias = dict[str, tuple[float, float]]
"""Places of nodes in pixels; a node inside a composite is "Name.node"."""
ActionName: TypeAlias = Literal[
    "train",
    "save",
    "code",
    "review",
    "data",
    "training",
    "remedy",
    "run",
    "part",
    "cards",
    "rename",
    "share",
    "merge",
    "theirs",
    "mine",
]
"""What the canvas can ask of the page."""


class Finding(TypedDict):
    """An error or a warning about a node."""

    node: str
    code: str
    message: str
    hint: str
    fixes: list[Fix]


State: TypeAlias = Literal["ok", "waiting", "error"]


class NodeAnnotation(TypedDict, total=False):
    """What the analysis found out about one node; every key may be left out."""

    state: State
    outputs: dict[str, Signature]
    inferred: Settings
    params: int
    multAdds: int
    bytes: int
    lines: list[int]


class Annotations(TypedDict):
    """What the analysis knows about a drawing."""

    nodes: dict[str, NodeAnnotation]
    errors: list[Finding]
    warnings: list[Finding]
    source: str | None
    className: str
    params: int
    trainable: int
    multAdds: int
    failed: str
    """Why the analysis could not be made at all (time limit, worker lost); "" when it was."""


class AnnotationDelta(TypedDict):
    """What turns the annotations of number `base` into those of this answer."""

    base: int
    nodes: dict[str, NodeAnnotation | None]
    """null: the node is gone. Nodes that only moved in the source are left out."""
    source: tuple[int, int, list[str]] | str | None
    """Lines that stay, lines after them that go, lines in their place; or the whole source."""
    set: Annotated[dict[str, Any], TypeScript("Partial<Annotations>")]


class Fault(TypedDict):
    """A run that met a number that is not finite, and the path of the block where that began."""

    run: str
    node: str
    message: str


class Reveal(TypedDict):
    """A block to select and bring into view."""

    node: str
    n: str
    """Another one for each wish."""


class FirstInput(TypedDict):
    """The Input that receives the data of a project, for a drawing that has none."""

    name: str
    settings: Settings
    about: str
    """The data in words: "iris: 4 columns"."""


class Refusal(TypedDict):
    """Why a revision of the drawing was refused."""

    rev: int
    message: str


class ShareWay(TypedDict):
    """What a project can be shared as, by a wing of this name."""

    name: str
    title: str


class ProjectFile(TypedDict):
    """The project as one file, to be downloaded."""

    name: str
    text: str


class QueryContext(TypedDict):
    """What the canvas needs to ask questions between two edits."""

    token: str
    batch: int
    """The batch size that training would take."""


class DownState(TypedDict):
    """The project as Python has it."""

    v: int
    doc: str
    sid: str
    channel: str
    """Token of the route that answers edits of this session (store/httpChannel.ts)."""
    epoch: int
    seq: int
    ackRev: int
    ackAction: str
    name: str
    about: str
    place: str
    """Where the project is kept, for people; "" while it is a draft only."""
    saved: bool
    """Whether the file at `place` holds exactly this project."""
    ways: list[ShareWay]
    """What else it can be shared as, beside the project file."""
    acts: list[str]
    """Actions that only parts which may be left out carry out, of those that are here."""
    elsewhere: bool
    """Whether another tab changed this project, and the user has yet to choose between them."""
    unkept: bool
    """Whether no draft of this drawing could be written: it is only in the server's memory."""
    graph: GraphJson | None
    layout: Layout | None
    notes: list[Any] | None
    refused: Refusal | None
    catalogue: CatalogueJson | None
    ask: QueryContext
    height: int | None
    fault: Fault | None
    """Where the newest run of this project diverged; null when it did not."""
    input: FirstInput | None
    """The Input for the data; null where none is chosen, or several Inputs receive it."""
    trained: bool
    """Whether a run of this drawing has ended: the canvas then opens with its values."""
    look: Reveal | None
    """A block to select and bring into view, asked for on another page."""


class AnnotationUpdate(TypedDict):
    """The annotations, or what changed of them."""

    told: int
    """Number of the annotations of this answer."""
    annotations: Annotations | None
    changes: AnnotationDelta | None
    """What changed since those that this canvas has."""


class Down(DownState, AnnotationUpdate):
    """The answer to a message of the canvas."""

    annRev: int


@dataclass(frozen=True)
class Action:
    """Something asked for on the toolbar, acting on the drawing it came with."""

    id: Annotated[str, Length(0, 80)]
    name: ActionName
    args: Annotated[Mapping[str, Any], Read(dict), FORGIVING] = field(
        default_factory=dict[str, Any]
    )


@dataclass(frozen=True)
class Up:
    """A snapshot of the drawing, safe to repeat or lose."""

    v: int
    doc: Annotated[str, Length(0, 4000)]
    client: Annotated[str, Length(0, 64)]
    sid: Annotated[str, Length(0, 64)]
    epoch: Count
    rev: Count
    sem_rev: Annotated[Count, Key("semRev")]
    graph: Annotated[GraphJson, Read(dict)] | None
    """null: nothing to say yet, only a request for what is in `need`."""
    layout: Annotated[Layout | None, Read(dict), FORGIVING] = field(default_factory=dict[str, Any])
    notes: Annotated[list[Any] | None, FORGIVING] = None
    """null from a page that knows none, which leaves them as they are."""
    need: Annotated[list[Literal["graph", "catalogue"]], Read(list[Any]), FORGIVING] = field(
        default_factory=list[Any]
    )
    action: Action | None = None
    have: Count = 0
    """Number of the annotations that this canvas holds; 0 for none."""

    @property
    def needs(self) -> set[str]:
        """What the canvas lacks, as far as this version knows it."""
        return {name for name in ("graph", "catalogue") if name in self.need}
