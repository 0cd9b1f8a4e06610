"""What a block is: one declaration from which palette, form, help, file format and source derive.

A declaration says which torch statement to write and what that statement needs. It never says
which shape comes out: the analysis runs the statement and looks (no torch is imported here).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Value = bool | int | float | str | None | tuple["Value", ...]
Settings = Mapping[str, Any]
Span = tuple[float, float]
"""The least and the largest number that results can be."""
"""All settings of a block by name: given ones, torch's defaults, and those the wire decided."""
Inputs = Mapping[str, Any]
"""Port name to Signature; to a tuple of Signature for a list port; connected ports only."""


class Required:
    """The type of REQUIRED."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED: Any = Required()
"""Default of a setting for which torch has none."""

Kind = Literal["int", "float", "bool", "choice", "text", "size", "dims"]


@dataclass(frozen=True)
class Infer:
    """A setting read off a wire: the size of dimension `dim` (batch is 0) of port `port`.

    dim None: how many dimensions there are.
    """

    port: str
    dim: int | None


@dataclass(frozen=True)
class Setting:
    """One argument of the torch statement, under torch's own name.

    kind: `int`, `float`, `bool`; `choice` (one of `choices`); `text` (must match `pattern`);
    `size` (one integer, or a list of exactly `length` of them, of any length if `length` is 0);
    `dims` (a list of integers of any length). A `size` may also take one of `choices` (Conv2d's
    padding: "same"). `optional` admits None; `holes` admits None inside a list (AdaptiveAvgPool2d).
    `default` is torch's own, or REQUIRED; `start` is what a block fresh from the palette gets.
    `positional` settings are written without their name, in the order of declaration.
    `call` settings of a module belong to its forward and are written in the call, not in the
    constructor (MultiheadAttention's need_weights).
    A `float` may also take one of `choices` ("inf"), or where there may be `several` a list of
    numbers (pos_weight of a training, one for each label). `bare` text is written without quotes,
    behind this prefix or as this function writes it: a dtype as torch.float32, a checked index as
    it stands, a list of numbers as a tensor.
    A port of the same name may stand in for a setting (see Port).
    `chooses`: it decides which template is written, and is no argument of torch's.
    `since`: the first torch that has it, such as "2.12", where the oldest that runs has not.
    `title`: what a form calls it, with its unit; "": its name with spaces, and the unit behind it.
    `group`: the heading under which a form lists it; "": the form has a place of its own for it.
    `main`: a form of a block shows it at once, as it does those without a default and the numbers
    that a block fresh from the palette begins with; the others fold away.
    """

    name: str
    kind: Kind
    help: str
    default: Any = REQUIRED
    start: Any = None
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    pattern: str = ""
    length: int = 0
    unit: str = ""
    optional: bool = False
    holes: bool = False
    several: bool = False
    positional: bool = False
    call: bool = False
    infer: Infer | None = None
    bare: str | Callable[[str], str] | None = None
    chooses: bool = False
    since: str = ""
    title: str = ""
    group: str = ""
    main: bool = False


PortKind = Literal["tensor", "tensors", "size", "sizes"]


@dataclass(frozen=True)
class Port:
    """A named input or output. `rank` (batch included) and `dtype` are checked for the student.

    kind: `tensor`; `tensors`, a list port whose wires are `name.0`, `name.1`, ... (of an output:
    as many as the analysis sees); `size`, an integer; `sizes`, integers for single places of the
    setting of the same name: `shape.1` stands in for its second number.
    A `tensor` or `size` port with the name of a setting may stay open where the setting is given;
    a wire wins over the number.
    rank: the numbers of dimensions accepted, () for any. dtype: `float`, `int`, `any`.
    form: the shape in letters, for messages, such as "(N, C, H, W)".
    number: an integer may come in on a wire as well as a tensor.
    unknown: dimensions of an output whose size only the data decide.
    count: how many pieces a list output always has, 0 where that depends.
    """

    name: str
    kind: PortKind = "tensor"
    rank: tuple[int, ...] = ()
    dtype: Literal["float", "int", "any"] = "any"
    form: str = ""
    optional: bool = False
    help: str = ""
    number: bool = False
    unknown: tuple[int, ...] = ()
    count: int = 0

    @property
    def listed(self) -> bool:
        """Whether its wires are numbered: `name.0`, `name.1`, ..."""
        return self.kind in ("tensors", "sizes")


@dataclass(frozen=True)
class Fix:
    """An offered change. Edits speak of "this node"; the analysis makes them absolute.

    Edits: {"op": "set", "settings": {name: value}} on this node (None removes the setting);
    {"op": "insert", "port": p, "block": b, "settings": {...}} puts a new block on the wire into
    port p; {"op": "disconnect", "port": p}; {"op": "replace", "block": b, "settings": {...}};
    {"op": "input", "port": p, "settings": {...}} sets settings of the Input node feeding port p;
    {"op": "same", "port": p, "as": q} wires to port p what goes into port q; {"op": "rewire",
    "port": p}, alone in its fix, stands for wires of the right kind from elsewhere.
    """

    title: str
    edits: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Problem:
    """A fault, without the node's id in front: "has a 5x5 kernel but receives ..."."""

    code: str
    message: str
    hint: str
    fixes: tuple[Fix, ...] = ()


Check = Callable[[Settings, Inputs], Iterable[Problem]]


TRAITS = {
    "end": "Is an end of a graph, where data enters or leaves.",
    "stored": "Gives a tensor that the network keeps, without computing.",
    "elementwise": "Computes every value from the one value at the same position, by the same "
    "function at all positions.",
    "identity": "Passes on its input unchanged.",
    "per_channel": "Computes every value, in evaluation, from the one value at the same position, "
    "by numbers of its channel.",
    "reshapes": "Gives the same values in the same order another shape.",
    "views": "May return a view of its input in another shape instead of a copy.",
    "flattens": "Joins dimensions, from start_dim to end_dim, into one.",
    "dropout": "Drops values at random in training and passes all on in evaluation.",
    "batch_statistics": "Normalises by statistics of the batch in training, by running ones in "
    "evaluation.",
    "learns": "Has parameters of its own.",
    "weighted": "Mixes values by weights, its own, those of a wire or those of attention: a layer "
    "of a network.",
    "dense": "Makes each of out_features values a weighted sum of all in_features values.",
    "convolves": "Makes out_channels channels by sliding learned filters over all positions.",
    "transposed": "Makes an input larger: each position fills a window, by learned filters.",
    "pools": "Makes one value of each window, each channel by itself.",
    "saturating": "Is an activation whose slope is below a twentieth at -5 and at 5.",
    "sigmoid": "Squeezes every value between 0 and 1.",
    "softmax": "Gives probabilities that sum to 1, or their logarithms.",
    "probabilities": "Gives probabilities that sum to 1.",
    "rectifier": "Gives exactly 0 for every negative value, so that a unit may fall silent.",
    "hidden": "Is an activation that usually stands between layers.",
    "feed_forward": "Holds two dense layers, linear1 and linear2, of dim_feedforward values.",
    "transformer": "Holds whole layers of a Transformer, their normalisation among them.",
    "in_place": "Works in place inside, where torch.func.vmap cannot follow.",
    "uncounted": "Multiplies, but torch's counter of operations has no formula for it.",
    "fresh": "Fills a new tensor, which may be written into without a copy.",
    "adds": "Adds two values, as the end of a skip connection does.",
    "multiplies": "Multiplies two values, as a gate does.",
    "averages": "Averages over dimensions that its setting dim names.",
    "regroups": "Joins or splits positions without mixing the values at them.",
    "selects": "Takes one position of a dimension.",
}
"""What a block may be, beside its family: each trait, and what a block with it does."""

NETWORKS = ("Transformer", "LSTM", "GRU", "RNN", "Attention network", "CNN", "MLP")
"""What networks are called by their blocks; of several the first."""


@dataclass(frozen=True)
class Block:
    """A kind of layer or operation.

    init: name of the torch class to construct ("nn.Conv2d"), "" for a plain expression.
    built: the constructor's text where it is more than a call of `init` with the settings, as in
    "nn.Parameter(torch.zeros({*shape}))"; {*name} writes a list without its parentheses.
    forward: the expression, with {port} for a wire and {setting} for a setting's literal;
    {settings} stands for ", name=value" of every setting that differs from torch's default; a
    list port becomes its wires joined by ", ". For a module the settings go to the constructor and
    the default forward is a call with the connected ports: "{module}(first, name=second)",
    with the `call` settings that differ from torch's default behind them.
    A function of the settings and the connected ports may choose between templates.
    after: a statement that follows where one expression is not enough, with {output} for the
    result: "{output}[:, 0] = {value}".
    writes: torch names and tensor methods in templates that a function chooses ("torch.add",
    "new_zeros"): only what is declared here or stands in a plain template may be executed.
    returns: how the outputs are nested in the value, such as "{output}, ({h_n}, {c_n})"; a
    function of the settings where they decide it.
    shape_in, shape_out: the documentation of the shapes, for people, not for machines.
    real: torch's meta device gives a wrong shape, so the analysis runs small real tensors.
    since: the first torch that has it, such as "2.14", where the oldest that runs has not.
    code: Python of the class that `init` names, where a project brings its own; "" for torch's.
    traits: what other code needs to know of it, see TRAITS.
    span: between which numbers its results lie, whatever comes in; a function of the settings where
    they decide it, None for any number.
    domain: what the numbers it receives need to be where not every number will do, such as
    "needs numbers above 0".
    depth: as how many layers with weights, one after the other, it counts.
    network: what a network with it is called, one of NETWORKS.
    stem: how its nodes are called, "bn" for bn1, bn2; "" for what the family or the name says.
    """

    name: str
    family: str
    summary: str
    inputs: tuple[Port, ...] = (Port("input"),)
    outputs: tuple[Port, ...] = (Port("output"),)
    settings: tuple[Setting, ...] = ()
    init: str = ""
    built: str | Callable[[Settings], str] = ""
    forward: str | Callable[[Settings, frozenset[str]], str] = ""
    after: Callable[[Settings, frozenset[str]], str] | None = None
    returns: str | Callable[[Settings], str] = "{output}"
    writes: tuple[str, ...] = ()
    shape_in: str = ""
    shape_out: str = ""
    formula: str = ""
    reference: str = ""
    paper: str = ""
    checks: tuple[Check, ...] = ()
    warnings: tuple[Check, ...] = ()  # legal in torch, yet rarely meant
    keywords: tuple[str, ...] = ()  # further words the palette search finds it by
    was: tuple[str, ...] = ()  # names in older files
    real: bool = False
    since: str = ""
    code: str = ""
    traits: frozenset[str] = frozenset()
    span: Span | Callable[[Settings], Span | None] | None = None
    domain: str = ""
    depth: int = 1
    network: str = ""
    stem: str = ""

    def setting(self, name: str) -> Setting | None:
        """Find a setting by name."""
        return next((s for s in self.settings if s.name == name), None)

    def input(self, name: str) -> Port | None:
        """Find an input port by name; `tensors.1` belongs to `tensors`."""
        head, _, index = name.partition(".")
        port = next((p for p in self.inputs if p.name == head), None)
        return port if port and bool(index) == port.listed else None

    def results(self, settings: Settings) -> Span | None:
        """The least and the largest number of its results with these settings; None for any."""
        if not callable(self.span):
            return self.span
        return self.span({**self.defaults, **settings})

    @property
    def defaults(self) -> dict[str, Any]:
        """Torch's own defaults, of the settings that have one."""
        return {s.name: s.default for s in self.settings if s.default is not REQUIRED}

    @property
    def start(self) -> dict[str, Any]:
        """Settings of a block fresh from the palette."""
        return {s.name: s.start for s in self.settings if s.start is not None}


CATALOGUE: dict[str, Block] = {}


def add(*blocks: Block) -> None:
    """Enter blocks into the catalogue. Raises ValueError for a name already taken."""
    for block in blocks:
        if block.name in CATALOGUE:
            raise ValueError(f"block {block.name} is declared twice")
        CATALOGUE[block.name] = block
