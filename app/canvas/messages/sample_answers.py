"""Answers to questions about one sample on the canvas."""

from typing import Literal, NotRequired, TypeAlias, TypedDict

from app.canvas.messages.drawing import Signature

Feed: TypeAlias = Literal["sample", "random", "zeros", "ones"]
"""What the Inputs of a part receive: what the whole gives them of a sample, or made numbers."""


class Picture(TypedDict):
    """A value as few numbers; core/insight/one_sample/pictures.py writes it."""

    kind: Literal["number", "words", "bars", "maps", "image", "units", "classes", "surface"]
    values: NotRequired[list[float | str]]
    text: NotRequired[str]
    data: NotRequired[str]
    """Bytes in base64, (count, height, width): 0 to 254 run from low to high, 255 is no number."""
    shape: NotRequired[tuple[int, int, int]]
    of: NotRequired[int]
    """How many maps there are in all."""
    low: NotRequired[float]
    high: NotRequired[float]
    bad: NotRequired[bool]
    ends: NotRequired["Ends"]
    """Of units of the plane: smallest and largest value; low is then -high."""
    shares: NotRequired[str]
    """Of classes on the plane: the probability of each, in bytes as `data`."""
    names: NotRequired[list[str]]
    """Of classes on the plane."""


class Ends(TypedDict):
    """Smallest and largest value."""

    low: float
    high: float


class Score(TypedDict):
    """A class and its probability."""

    name: str
    value: float
    right: bool
    predicted: bool


class Prediction(TypedDict):
    """The prediction in words, and the most probable classes."""

    words: str
    scores: list[Score]
    why: NotRequired[str]
    """Why there is none, where a kind of target has neither words nor scores."""
    error: NotRequired[str]
    """How much too large a number is, in its unit: "+12.5"."""


class Field(TypedDict):
    """A field of a row as a person fills it in."""

    name: str
    places: list[int]
    words: list[str]
    date: NotRequired[str]
    """Of a date: one as the file writes it."""
    fill: NotRequired[list[float]]
    """Of a field that may be left empty: the numbers at its places, as in training."""
    filler: NotRequired[str]
    """The same in words."""


class Ways(TypedDict):
    """How a sample of one's own can be given; "" where it cannot, `why` says so."""

    kind: Literal["", "image", "sound", "table", "series", "text"]
    why: NotRequired[str]
    channels: NotRequired[int]
    """Of an image."""
    length: NotRequired[int]
    cut: NotRequired[Literal["end"]]
    """Of a text: a longer one loses its end; else its start."""
    columns: NotRequired[list[tuple[str, float]]]
    fields: NotRequired[list[Field]]
    """Of a table: what is filled in; words are choices, each with a place of its own in the row."""
    row: NotRequired[list[float]]
    """The numbers of the sample that is shown."""
    cells: NotRequired[list[str]]
    """The same as it stands in the file, one for each field."""
    plane: NotRequired[bool]
    """Whether samples are points of a plane."""


class Samples(TypedDict):
    """The samples as points of the plane."""

    places: list[tuple[float, float]]
    """In the data's own units; those of the training part first."""
    kinds: list[int]
    classes: list[str]
    validation: int
    """How many at the end are validation samples."""
    of: int
    """How many there are in all."""


class Accuracy(TypedDict, total=False):
    """The accuracy on both parts of the data."""

    training: float
    validation: float


class UnitsPicture(Picture):
    """The picture of a block's units."""

    path: str


class Plane(TypedDict):
    """The plane of two columns, and the network's predictions on it."""

    columns: tuple[str, str]
    across: tuple[float, float]
    up: tuple[float, float]
    region: Picture | None
    """What the network answers; null for a drawing that does not come so far."""
    samples: Samples
    accuracy: Accuracy
    units: UnitsPicture | None
    """More units of the block that is chosen."""


class Time(TypedDict):
    """A run over time; app/services/one_sample.py writes it."""

    run: str
    epochs: list[int]
    """Epochs whose weights it kept; `fewer` says why not all, "" where all."""
    fewer: str
    going: bool
    """Whether it trains."""
    best: int | None
    """The epoch of the best weights."""
    epoch: int | None
    """Of the weights that are shown; null for the best."""
    step: int | None
    live: bool
    """Whether what is shown follows it."""


class Moments(TypedDict):
    """Whose weights an answer is of; every answer about a sample says it."""

    weights: str
    """In words."""
    run: str
    runs: list[str]
    """Names of all runs whose weights can be shown, in the order to offer them."""
    rev: int
    time: Time | None


class Looked(Moments):
    """One sample run through the drawing."""

    part: Literal["validation", "training", ""]
    index: int
    count: int
    target: str
    prediction: Prediction
    output: str
    """The Output that the prediction is read from."""
    fault: str
    """Of a drawing with errors: the first block that does not run."""
    blocks: dict[str, Picture]
    began: str
    """Path of the first block whose output has a number that is not finite; "" for none."""
    ways: Ways
    plane: NotRequired[Plane]


class Page(TypedDict):
    """One page of the numbers of a tensor."""

    number: int
    pages: int
    at: list[int]
    """The index of its first number."""
    place: str
    """Where it lies, as an index of Python."""
    rows: list[list[float | str | bool]]


class Facts(TypedDict):
    """Facts on a tensor; null where no finite number is."""

    shape: list[int]
    dtype: str
    device: str
    count: int
    finite: int
    min: float | None
    mean: float | None
    max: float | None
    std: float | None
    zeros: int
    nan: int
    inf: int
    histogram: list[int]
    page: Page


class Autograd(TypedDict):
    """How autograd sees a tensor."""

    requires_grad: bool
    is_leaf: bool
    grad_fn: str


class Hook(TypedDict):
    """How a value was caught, in a sentence, and lines of Python that do the same."""

    sentence: str
    code: str


class Probed(Moments):
    """The value and the gradient on a wire."""

    hook: NotRequired[Hook | None]

    number: NotRequired[int]
    """A whole number (a size) has nothing else."""
    value: NotRequired[Facts]
    autograd: NotRequired[Autograd | None]
    gradient: NotRequired[Facts | None]
    why: str
    """Why there is no gradient."""
    loss: NotRequired[float | None]


class NumpyText(Moments):
    """A tensor as a text that NumPy reads."""

    text: str


class Magnitudes(TypedDict):
    """The mean absolute value on wires, by the path and the port that they leave.

    Null for whole numbers; core/insight/one_sample/magnitudes.py writes it.
    """

    forward: dict[str, dict[str, float | None]]
    """Of values."""
    backward: dict[str, dict[str, float | None]]
    """Of gradients; {} where there is no loss."""


class Measured(Magnitudes, Moments):
    """How large values and gradients are on wires, and of which weights."""


class StepEvent(TypedDict):
    """One event of a training step; core/insight/one_sample/step_through.py writes them."""

    kind: Literal["forward", "loss", "backward", "update"]
    path: str
    port: NotRequired[str]
    loss: NotRequired[float]
    losses: NotRequired[list[float]]
    """Of a loss: its terms."""
    name: NotRequired[str]
    """Of an update: the parameter."""
    shape: NotRequired[list[int]]
    before: NotRequired[list[float]]
    """Of an update: its first numbers; `after` it, and their gradient, `grad`."""
    after: NotRequired[list[float]]
    grad: NotRequired[list[float]]
    gradient: NotRequired[float]
    """Of an update, as `change` and `weight`: the norm over the whole parameter."""
    change: NotRequired[float]
    weight: NotRequired[float]


class Saved(TypedDict):
    """A tensor kept for the backward pass; core/insight/one_sample/autograd_graph.py writes it."""

    name: str
    shape: list[int]
    dtype: str
    bytes: int
    """What it adds: 0 for a weight, and for what another node keeps already."""
    weight: str
    same: int
    """The place of the node that keeps it already, -1 for none."""


class GraphNode(TypedDict):
    """A node of the autograd graph."""

    name: str
    block: str
    """Path of the block that made it; "" for the loss."""
    parameter: str
    shape: list[int]
    saved: list[Saved]
    bytes: int


class AutogradGraph(TypedDict):
    """Nodes in the order of the backward pass; edges by places of nodes."""

    nodes: list[GraphNode]
    edges: list[tuple[int, int]]
    bytes: int


class Stepped(Moments):
    """One training step."""

    events: list[StepEvent]
    optimizer: str
    graph: AutogradGraph
    magnitudes: Magnitudes


class Remedy(TypedDict):
    """Settings that may help a block."""

    title: str
    changes: dict[str, float | str | bool | None]
    """Settings as Python's `--set` takes them."""


class Mark(TypedDict):
    """What is sick about a block; core/insight/over_time/marks.py writes it."""

    path: str
    kind: str
    words: str
    text: str
    remedies: list[Remedy]


class Vitals(TypedDict):
    """Measures of a block; null where one does not apply."""

    block: str
    dead: float | None
    units: int | None
    """How many units it has."""
    saturated: float | None
    spread: float | None
    differs: float | None
    gradient: float | None
    weight: float | None
    update: float | None
    update_ratio: float | None


class Health(TypedDict):
    """How blocks of a run do: marks with what helps, and the measures they are read from."""

    marks: list[Mark]
    vitals: dict[str, Vitals]
    samples: int
    """How many validation samples they are measured on."""
    step: int | None
    """The step of the run that gradients and updates are of; null for none."""


class HealthOfRun(Health, Moments):
    """The health of blocks, and which run's they are."""


class Film(Moments):
    """A film in the format that was chosen."""

    data: str
    """Bytes in base64."""
    type: str
    frames: int


class PartEnd(Signature):
    """An Input or Output of a part."""

    node: str


class PartBlock(TypedDict):
    """A block of a part, and its value."""

    node: str
    block: str
    params: int
    ms: float | None
    shape: list[int]
    dtype: str
    picture: Picture | None
    min: float | None
    mean: float | None
    max: float | None
    std: float | None


class Calculated(Moments):
    """core/insight/part/api.py writes it."""

    name: str
    feed: Feed
    entries: list[PartEnd]
    leaves: list[PartEnd]
    blocks: list[PartBlock]
    params: int
    mult_adds: int
    ms: float
    equal: bool | None
    """Whether the outputs equal those of the whole network; null for made numbers."""
    along: list[str]
    """Blocks that came along because the chosen ones need them."""
