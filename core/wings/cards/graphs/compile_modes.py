"""The modes of torch.compile."""

from math import inf

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.drawing import BlockInfo, Drawing
from core.wings.cards.sentence import compared, faster_or_not, ladder
from core.wings.cards.weights.limits import without_weights

MODES = 3
"""Modes that compile with a C++ compiler."""


def _cost(drawing: Drawing, _part: BlockInfo | None) -> Cost:
    compiling = MODES * (30.0 + 1.0 * len(drawing.parts))
    return Cost(passes=350, copies=6, batches=2, compile_s=compiling, compile_bytes=1_000_000_000)


CARD = Card(
    name="compile-modes",
    topic="Graphs and compilers",
    title="torch.compile's modes side by side",
    why="aot_eager only traces, default writes kernels, reduce-overhead also avoids the cost of "
    "calls, max-autotune tries several kernels: a longer first call for faster steps.",
    question="How many times as many training steps per second does the best of them make as the "
    "network without torch.compile?",
    numbers=(
        Number("gain", "Steps per second of the best, divided by eager", "times", measured=True),
        Number("graphs", "Graphs compiled in the default mode"),
        Number("breaks", "Breaks"),
        Number("after", "Steps after which the default mode has paid off", measured=True),
        Number("difference", "Largest difference of the outputs from eager"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Training steps per second",
            ("names", "rates"),
            "A forward and a backward pass of this batch, after the first call.",
        ),
        CardPicture(
            "table",
            "Modes",
            ("rows",),
            "The first call includes compiling, with an empty cache each time.",
            ("mode", "first call, s", "steps per second", "graphs", "breaks"),
        ),
    ),
    references=(
        ("torch.compile", "https://docs.pytorch.org/docs/stable/generated/torch.compile.html"),
        (
            "torch.compile tutorial",
            "https://docs.pytorch.org/tutorials/intermediate/torch_compile_tutorial.html",
        ),
    ),
    findings=(
        *faster_or_not(
            "gain",
            "The best of them makes this network faster.",
            "None of them gains anything here.",
            "All of them make this network slower here.",
        ),
        *ladder(
            "after",
            (1e4, "The default mode has paid for its first call after {after} steps."),
            (1e9, "The default mode pays off only after {after} steps."),
            (inf, "The default mode does not pay off here."),
        ),
        *compared(
            ("graphs", "breaks"),
            lambda values: values["breaks"] == 0,
            "The network is compiled whole.",
            "It is compiled in {graphs} graphs with {breaks} breaks.",
        ),
    ),
    after="reduce-overhead uses CUDA graphs on a GPU, and on a CPU the same kernels as default.",
    find_problem=without_weights,
    compiler=True,
    headers=True,
    cost=_cost,
    limit_s=600.0,
)
