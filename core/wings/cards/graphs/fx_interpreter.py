"""The network run node by node, and a pass that replaces operations."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.graphs.limits import untraceable
from core.wings.cards.sentence import Sentence, compared

CARD = Card(
    name="fx-interpreter",
    topic="Graphs and compilers",
    title="Run node by node, and change the graph",
    why="fx.Interpreter runs a traced network one node at a time, so code can look at each step; a "
    "pass changes nodes and writes a new forward from them.",
    question="How many nodes of the graph does the interpreter run?",
    numbers=(
        Number("nodes", "Nodes that are run"),
        Number("replaced", "Activations that the pass replaces"),
        Number("difference", "Difference between interpreter and network"),
        Number("moved", "Largest change of the output by the pass"),
        Number("slowest", "Share of the slowest node in the time", "%", measured=True),
    ),
    pictures=(
        CardPicture(
            "table",
            "Each node, as it runs",
            ("rows",),
            "What the node calls, the shape of its result, and its time in this run.",
            ("node", "calls", "shape", "ms"),
        ),
        CardPicture(
            "table",
            "What the pass replaced",
            ("changes",),
            "Each activation, and the function of similar shape that the pass puts there.",
            ("node", "before", "after"),
        ),
    ),
    references=(
        ("torch.fx", "https://docs.pytorch.org/docs/stable/fx.html"),
        (
            "fx.Interpreter",
            "https://docs.pytorch.org/docs/stable/fx.html#torch.fx.Interpreter",
        ),
    ),
    findings=(
        *compared(
            ("replaced", "moved"),
            lambda values: values["replaced"] > 0,
            "Activations that the pass replaces by functions of similar shape: {replaced}. The "
            "output changes by {moved} at most.",
            "The graph has no node that the pass replaces: no ReLU, tanh, sigmoid, SiLU or GELU.",
        ),
        Sentence(
            "In this run {longest} took longest.",
            ("longest",),
            lambda values: bool(values["longest"]),
        ),
    ),
    after="The new forward is text: print(changed.code) shows it. A block that is one module of "
    "torch is one node; what happens inside of it stays hidden.",
    find_problem=untraceable,
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=8, copies=3),
)
