"""An operator built from C++ in place of a block."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import compared, faster_or_not
from core.wings.cards.weights.limits import linears

CARD = Card(
    name="cpp-operator",
    topic="Custom operators and control flow",
    title="An operator built from C++",
    why="A few lines of C++ become an operator of torch: TORCH_LIBRARY declares its schema, "
    "TORCH_LIBRARY_IMPL registers a kernel for a key. A library that is loaded at run time is "
    "enough; torch itself is not built again.",
    question="Three plain loops in C++ replace the matrix product of a Linear. How many times as "
    "long do they take?",
    numbers=(
        Number("slower", "Time of the loops, divided by the Linear's", "times", measured=True),
        Number("kernels", "Kernels registered in C++"),
        Number("nodes", "Nodes of the exported graph"),
        Number("difference", "Difference of the outputs from the Linear's"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Time of the layer",
            ("names", "times"),
            "Milliseconds for this batch, the fastest of nine calls.",
        ),
        CardPicture(
            "table",
            "Kernels in the dispatcher's table",
            ("rows",),
            "Meta only knows shapes, which torch.export needs. PrivateUse1 is the key for a "
            "device of your own, and Autograd the one for a gradient: neither is registered here.",
            ("key", "registered in"),
        ),
    ),
    references=(
        ("C++ operators", "https://docs.pytorch.org/tutorials/advanced/cpp_custom_ops.html"),
        ("torch.library", "https://docs.pytorch.org/docs/stable/library.html"),
    ),
    findings=(
        *faster_or_not(
            "slower",
            "The loops take longer than the library behind a Linear here.",
            "The loops are as fast as the library behind a Linear here.",
            "The loops are faster than the library behind a Linear here.",
        ),
        *compared(
            ("kernels", "nodes"),
            lambda values: values["kernels"] == 2,
            "With kernels for CPU and Meta, the network exports as a graph of {nodes} nodes.",
            "It has {kernels} kernels of its own.",
        ),
    ),
    after="The library uses vector instructions and blocks that fit the cache; each call costs a "
    "little, too. The operator has no gradient yet: torch.library.register_autograd adds one, in "
    "Python, or in C++ for the key Autograd.",
    parts=linears,
    without_part="It needs a Linear block with a weight of its own, and there is none.",
    targets=False,
    compiler=True,
    cost=lambda _drawing, _part: Cost(
        passes=30, copies=3, batches=2, compile_s=60.0, compile_bytes=1_000_000_000
    ),
    limit_s=240.0,
)
