"""A network in 8 bits, by each of torch's engines."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.graphs.limits import untraceable
from core.wings.cards.sentence import compared
from core.wings.cards.weights.limits import without_own_weights

CARD = Card(
    name="quantised-network",
    topic="Weights",
    title="Where 8 bits begin and end",
    why="A converted network calculates in 8 bits only between a quantize and a dequantize. torch "
    "puts these around the layers for which one of its engines has integer kernels.",
    question="How many times does the converted network change values to 8 bits?",
    numbers=(
        Number("quants", "Changes to 8 bits"),
        Number("dequants", "Changes back to 32 bits"),
        Number("difference", "Largest difference of the outputs, by the engine in use"),
        Number("runs", "Engines on this machine"),
    ),
    pictures=(
        CardPicture(
            "table",
            "Each engine",
            ("rows",),
            "Time of a batch, the fastest in half a second, and largest difference from 32 bits. "
            "x86 and onednn are for PCs and servers, qnnpack is for phones.",
            ("engine", "time", "difference"),
        ),
        CardPicture(
            "table",
            "The converted network, in order of execution",
            ("calls",),
            "Layers behind a quantize take 8 bits until the next dequantize.",
            ("name", "call"),
        ),
    ),
    references=(
        (
            "FX graph mode quantization",
            "https://docs.pytorch.org/tutorials/prototype/fx_graph_mode_ptq_static.html",
        ),
        ("QNNPACK", "https://github.com/pytorch/QNNPACK"),
    ),
    findings=(
        *compared(
            ("quants", "dequants"),
            lambda values: values["quants"] > 1,
            "Some layers have no kernel for 8 bits here, so values go back to 32 bits and again "
            "to 8 on the way.",
            "Values change to 8 bits once at the most.",
        ),
    ),
    after="An engine is a library of kernels. For x86 and fbgemm, outputs take 7 of the 8 "
    "bits, so that sums in 16 bits do not overflow: engines do not agree to the last bit.",
    find_problem=lambda drawing: untraceable(drawing) or without_own_weights(drawing),
    targets=False,
    cost=lambda drawing, part: Cost(passes=60, copies=8, batches=4),
)
