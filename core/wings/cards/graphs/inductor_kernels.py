"""Kernels written by a compiler."""

from core.wings.cards.card import Card, CardPicture, Number, compiled_once
from core.wings.cards.sentence import faster_or_not

CARD = Card(
    name="inductor-kernels",
    topic="Graphs and compilers",
    title="Kernels written by a compiler",
    why="torch.compile passes a graph to Inductor, which writes C++ for it: one loop for several "
    "operations, so that intermediate results never go to memory.",
    question="How many calls of kernels and libraries does Inductor make of this network's "
    "operations?",
    numbers=(
        Number("calls", "Calls of kernels and libraries"),
        Number("operations", "Operations in the graph"),
        Number("kernels", "Different kernels written"),
        Number("faster", "Python time, divided by compiled time", "times", measured=True),
        Number("difference", "Largest difference between the outputs"),
    ),
    pictures=(
        CardPicture(
            "table",
            "Every call, with its blocks",
            ("rows",),
            "A kernel is named after the operations in its loop. Convolutions and large matrix "
            "products call libraries. The C++ is in the printed text.",
            ("call", "blocks", "lines of C++"),
        ),
        CardPicture(
            "bars",
            "Time of a forward pass",
            ("names", "times"),
            "Milliseconds for this batch, the fastest of nine passes; without compiling.",
        ),
    ),
    references=(
        (
            "torch.compile tutorial",
            "https://docs.pytorch.org/tutorials/intermediate/torch_compile_tutorial.html",
        ),
        ("Ansel et al. (2024)", "https://docs.pytorch.org/assets/pytorch2-2.pdf"),
    ),
    findings=faster_or_not(
        "faster",
        "Compiling makes this network faster, which pays off where it runs often.",
        "Compiling gains nothing for this network here.",
        "Compiling makes this network slower here.",
    ),
    after="Each call first checks that its kernels still fit, which takes time. Compiling saves "
    "memory traffic and calls, so elementwise blocks (activations, normalisation) gain the most.",
    targets=False,
    compiler=True,
    headers=True,
    cost=compiled_once,
    limit_s=240.0,
)
