"""A network as machine code in one file."""

from core.cards.card import Card, Number, Picture, compiled_once

CARD = Card(
    name="aotinductor",
    topic="Graphs and compilers",
    title="A network as machine code in one file",
    why="AOTInductor compiles an exported graph ahead of time: the file holds machine code and "
    "weights, and a program in C++ runs it without Python.",
    asks="How many times as fast as the network in Python is its machine code?",
    numbers=(
        Number("faster", "In Python, by machine code", "times", measured=True),
        Number("weights", "Bytes of the weights", "bytes"),
        Number("size", "Bytes of the file", "bytes", measured=True),
        Number("difference", "Largest difference of the answers"),
    ),
    pictures=(
        Picture(
            "bars",
            "Time of a forward pass",
            ("names", "times"),
            "Milliseconds for this batch, the fastest of nine passes.",
        ),
        Picture(
            "table",
            "What lies in the file",
            ("rows",),
            "A zip archive: the library (.so), the C++ that it was made of, and descriptions.",
            ("file", "bytes"),
        ),
    ),
    reads=(
        ("AOTInductor", "https://docs.pytorch.org/docs/stable/torch.compiler_aot_inductor.html"),
        ("torch.export", "https://docs.pytorch.org/docs/stable/export.html"),
    ),
    after="Called from Python, as here, a tiny network gains nothing, since the call takes as long "
    "as the sums; a program in C++ has no Python to wait for. The file fits this kind of processor "
    "and this version of torch. The Export page writes one, too.",
    targets=False,
    compiler=True,
    cost=compiled_once,
    limit_s=240.0,
)
