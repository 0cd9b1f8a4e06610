"""An operator with kernels of one's own, in place of a block."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import compared
from core.wings.cards.weights.limits import linears

CARD = Card(
    name="operator-kernels",
    topic="Custom operators and control flow",
    title="Kernels of your own, in place of a Linear",
    why="An operator is a schema with a kernel for each key: one calculates on the CPU, one "
    "(meta, also called fake) only knows shapes, one is the gradient. Each tool asks for another.",
    question="The operator has a kernel for the CPU only. How many of four tools work with the "
    "network: a forward pass, shapes on meta, torch.export, a gradient?",
    numbers=(
        Number("alone", "Tools that work with a CPU kernel"),
        Number("shaped", "With a meta kernel, too"),
        Number("complete", "With a gradient, too"),
        Number("passed", "Tests of opcheck passed, of 4"),
        Number("difference", "Difference of the outputs from the Linear's"),
    ),
    pictures=(
        CardPicture(
            "table",
            "What each tool finds out",
            ("rows",),
            "The sum of the outputs, the count of output numbers on the meta device, the nodes "
            "of the exported graph, and the largest gradient of the weight.",
            ("tool", "CPU kernel", "and meta kernel", "and gradient"),
        ),
    ),
    references=(
        ("torch.library", "https://docs.pytorch.org/docs/stable/library.html"),
        (
            "PyTorch custom operators",
            "https://docs.pytorch.org/tutorials/advanced/custom_ops_landing_page.html",
        ),
    ),
    findings=(
        *compared(
            ("alone", "shaped"),
            lambda values: values["shaped"] > values["alone"],
            "The meta kernel lets {shaped} tools work instead of {alone}.",
            "The meta kernel changes nothing here: {shaped} tools work.",
        ),
        *compared(
            ("complete", "passed"),
            lambda values: values["complete"] == 4 and values["passed"] == 4,
            "With all three every tool works, and opcheck passes its {passed} tests.",
            "With all three {complete} of 4 tools work, and opcheck passes {passed} of 4 tests.",
        ),
    ),
    after="The kernel of the CPU may be anything that computes, here NumPy: torch looks at its "
    "result only. In C++ the same registrations are TORCH_LIBRARY and TORCH_LIBRARY_IMPL.",
    parts=linears,
    without_part="It needs a Linear block with a weight of its own, and there is none.",
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=20, copies=5, batches=2),
)
