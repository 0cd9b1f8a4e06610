"""A network as machine code in one file."""

from core.wings.cards.card import Card, CardPicture, Number, compiled_once
from core.wings.cards.sentence import faster_or_not

CARD = Card(
    name="aotinductor",
    topic="Graphs and compilers",
    title="A network as machine code in one file",
    why="AOTInductor compiles an exported graph ahead of time: the file holds machine code and "
    "weights, and a program in C++ runs it without Python.",
    question="How many times as fast is the machine code as the network in Python?",
    numbers=(
        Number("faster", "Python time, divided by machine-code time", "times", measured=True),
        Number("weights", "Size of the weights in bytes", "bytes"),
        Number("size", "Size of the file in bytes", "bytes", measured=True),
        Number("difference", "Largest difference between the outputs"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Time of a forward pass",
            ("names", "times"),
            "Milliseconds for this batch, the fastest of nine passes.",
        ),
        CardPicture(
            "table",
            "Contents of the file",
            ("rows",),
            "A zip archive: the library (.so), its C++ source, and metadata.",
            ("file", "bytes"),
        ),
    ),
    references=(
        ("AOTInductor", "https://docs.pytorch.org/docs/stable/torch.compiler_aot_inductor.html"),
        ("torch.export", "https://docs.pytorch.org/docs/stable/export.html"),
    ),
    findings=faster_or_not(
        "faster",
        "The machine code is faster here.",
        "Called from Python, as here, the machine code gains nothing.",
        "Called from Python, as here, the machine code is slower.",
    ),
    after="A call from Python takes time of its own, which a C++ program saves. The file fits "
    "this type of processor and this version of torch. The Export page can write one too.",
    targets=False,
    compiler=True,
    cost=compiled_once,
    limit_s=240.0,
)
