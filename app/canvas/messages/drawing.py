"""The drawing and the catalogue as messages carry them, and edits of the drawing."""

from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from app.canvas.message_reader import Range, Read, TypeScript

Settings: TypeAlias = dict[str, Any]
Count: TypeAlias = Annotated[int, Range(0, 10**9)]


class NodeJson(TypedDict, total=False):
    """A node as the project file writes it; unknown keys are kept."""

    block: str
    settings: Settings
    label: str
    repeat: int
    weights_of: str
    frozen: bool
    """Training leaves its weights as they are."""
    lr_factor: float
    """What the learning rate of its weights is multiplied by."""
    unused: bool
    """Forward does not call it: it is constructed, and its weights are kept."""


class GraphJson(TypedDict):
    """A graph as the project file writes it."""

    nodes: dict[str, NodeJson]
    edges: list[str]
    composites: NotRequired[dict[str, "CompositeJson"]]


class CompositeJson(GraphJson):
    """A composite of the project, or a custom block."""

    settings: NotRequired[Settings]
    python: NotRequired[list[str]]
    """A custom block: the lines of its Python class. It has no blocks and wires of its own."""
    read: NotRequired["ReadOff"]
    """What Python read off these lines; it does so again whenever they come back."""


class PortSpec(TypedDict):
    """A port of a block."""

    name: str
    kind: Literal["tensor", "tensors", "size", "sizes"]
    optional: NotRequired[bool]
    dtype: NotRequired[str]
    rank: NotRequired[list[int]]
    """Numbers of dimensions that fit, batch included; none is any."""
    form: NotRequired[str]
    help: NotRequired[str]


class InferredFrom(TypedDict):
    """Where the size of a setting is read."""

    port: str
    dim: int | None


InferredSetting = TypedDict("InferredSetting", {"from": NotRequired[InferredFrom]})
"""The wire that decides it: the size of dimension `dim` of what comes into `port`.

null is the number of dimensions.
"""


class SettingSpec(InferredSetting):
    """A setting of a block."""

    name: str
    kind: Literal["int", "float", "bool", "choice", "text", "size", "dims"]
    help: str
    default: NotRequired[Any]
    required: NotRequired[bool]
    start: NotRequired[Any]
    low: NotRequired[float | None]
    high: NotRequired[float | None]
    choices: NotRequired[list[str]]
    length: NotRequired[int]
    unit: NotRequired[str]
    optional: NotRequired[bool]
    inferred: NotRequired[bool]
    pattern: NotRequired[str]
    several: NotRequired[bool]
    """A `float` that may be a list of numbers as well, of `length` if that is not 0."""
    since: NotRequired[str]
    """The version of torch that has it first."""
    main: NotRequired[bool]
    """A form shows it at once; the others fold away."""


class ReadOff(TypedDict):
    """Ports and settings of a custom block, as its class has them."""

    summary: str
    inputs: list[PortSpec]
    outputs: list[PortSpec]
    settings: list[SettingSpec]


class BlockSpec(ReadOff):
    """A block of the catalogue."""

    family: str
    formula: NotRequired[str]
    reference: NotRequired[str]
    paper: NotRequired[str]
    shape_in: NotRequired[str]
    shape_out: NotRequired[str]
    keywords: NotRequired[list[str]]
    traits: NotRequired[list[str]]


class FamilySpec(TypedDict):
    """A family of blocks, in the order of the palette."""

    name: str
    title: str
    blocks: list[str]


class BeginnersGroup(TypedDict):
    """A group of the beginner's palette."""

    title: str
    blocks: list[str]


class Suggestion(TypedDict):
    """What a first network is made of, for data of this kind."""

    rank: list[int]
    """Numbers of dimensions, batch included; none is any."""
    dtype: Literal["float", "int", "any"]
    blocks: list[str]


class PartsJson(TypedDict):
    """Composites that are ready to be put into any project."""

    abouts: dict[str, str]
    """What each does, by name."""
    composites: dict[str, CompositeJson]
    """Their definitions, and those of the composites inside of them."""


class CatalogueJson(TypedDict):
    """The catalogue for palette and forms, with the rules for node ids."""

    families: list[FamilySpec]
    beginners: NotRequired[list[BeginnersGroup]]
    """What a beginner's palette shows, by what one wants to do: blocks/catalogue.py."""
    suggested: NotRequired[list[Suggestion]]
    """What stands before them, the first that fits the data: blocks/catalogue.py."""
    parts: NotRequired[PartsJson]
    """What core.project.parts finds."""
    blocks: dict[str, BlockSpec]
    reserved: dict[str, str]
    """Words that no node id may be, each with whose it is: core.graph.names."""
    stems: dict[str, str]
    """Stems of new ids."""
    alone: list[str]
    """Stems that stand alone while free (image, join); all others are numbered from 1."""


class Signature(TypedDict):
    """What leaves an output, as `signature_json` of core/analyse/report.py writes it.

    A tensor's shape, batch ("N") included, and its dtype; or an integer (a size), then with its
    `value`. "?" is a size that the data decides. model/signature.ts writes it in words.
    """

    shape: list[int | str]
    dtype: str
    value: NotRequired[str]


class SetEdit(TypedDict):
    """Change settings of a node; null takes one away."""

    op: Literal["set"]
    node: str
    settings: Settings


class AddEdit(TypedDict):
    """Add a node."""

    op: Literal["add"]
    id: str
    block: str
    settings: NotRequired[Settings]


class RemoveEdit(TypedDict):
    """Remove a node with its wires."""

    op: Literal["remove"]
    node: str


class InsertEdit(TypedDict):
    """Put a node before an input port."""

    op: Literal["insert"]
    id: str
    block: str
    settings: NotRequired[Settings]
    target: str
    port: str


class ConnectEdit(TypedDict):
    """Draw a wire, or take it away."""

    op: Literal["connect", "disconnect"]
    edge: str


class RenameEdit(TypedDict):
    """Give a node another id."""

    op: Literal["rename"]
    node: str
    to: str


class ReplaceEdit(TypedDict):
    """Put another block in the place of a node's."""

    op: Literal["replace"]
    node: str
    block: str
    settings: NotRequired[Settings]


ShareEdit = TypedDict("ShareEdit", {"op": Literal["share"], "node": str, "with": str})


class LearnEdit(TypedDict):
    """Change how a node's weights are trained."""

    op: Literal["learn"]
    node: str
    frozen: NotRequired[bool]
    lr_factor: NotRequired[float]


class RepeatEdit(TypedDict):
    """Repeat a node so many times in a row."""

    op: Literal["repeat"]
    node: str
    times: int


Edit: TypeAlias = (
    SetEdit
    | AddEdit
    | RemoveEdit
    | InsertEdit
    | ConnectEdit
    | RenameEdit
    | ReplaceEdit
    | ShareEdit
    | LearnEdit
    | RepeatEdit
)


class InComposite(TypedDict):
    """The place of an edit."""

    composite: NotRequired[str]


PlacedEdit: TypeAlias = Annotated[Edit, TypeScript("Edit & InComposite"), Read(dict)]
"""An edit, and the composite in whose graph it is to be made; none is the whole network."""


class Fix(TypedDict):
    """An offered fix of a finding."""

    title: str
    edits: list[PlacedEdit]
