"""Kernels that a compiler writes."""

from core.cards.card import Card, Number, Picture, compiled_once

CARD = Card(
    name="inductor-kernels",
    topic="Graphs and compilers",
    title="Kernels that a compiler writes",
    why="torch.compile hands a graph to Inductor, which writes C++ for it: one loop for several "
    "operations, so that what lies between them never goes to memory.",
    asks="Into how many calls of kernels and libraries does Inductor turn the operations of this "
    "network?",
    numbers=(
        Number("calls", "Calls of kernels and libraries"),
        Number("operations", "Operations before"),
        Number("kernels", "Different kernels that were written"),
        Number("faster", "In Python, by compiled", "times", measured=True),
        Number("difference", "Largest difference of the answers"),
    ),
    pictures=(
        Picture(
            "table",
            "Every call, with the blocks whose work it does",
            ("rows",),
            "A kernel bears the names of the operations that it does in one loop. Convolutions and"
            " large products of matrices stay with libraries. The C++ is in what it printed.",
            ("call", "blocks", "lines of C++"),
        ),
        Picture(
            "bars",
            "Time of a forward pass",
            ("names", "times"),
            "Milliseconds for this batch, the fastest of nine passes; compiling is not in it.",
        ),
    ),
    reads=(
        (
            "torch.compile tutorial",
            "https://docs.pytorch.org/tutorials/intermediate/torch_compile_tutorial.html",
        ),
        ("Ansel et al. (2024)", "https://docs.pytorch.org/assets/pytorch2-2.pdf"),
    ),
    after="What is saved is memory traffic and calls, so blocks that work on each number alone "
    "(activations, normalisations) gain the most. A tiny network may get slower: each call first "
    "checks that its kernels still fit. Compiling pays for a network that runs often.",
    targets=False,
    compiler=True,
    headers=True,
    cost=compiled_once,
    limit_s=240.0,
)
