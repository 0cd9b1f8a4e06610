"""An expression over the drawing's tensors."""

from collections.abc import Callable

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import Sentence, Values, compared


def _said(text: str, holds: Callable[[Values], bool]) -> Sentence:
    return Sentence(text, ("count", "distinct", "stored", "owners"), holds)


def _some(holds: Callable[[Values], bool]) -> Callable[[Values], bool]:
    """The condition, for a result that holds any number."""
    return lambda values: values["count"] > 0 and holds(values)


MEMORY = (
    _said("The result is empty: it reads no number.", lambda values: values["count"] == 0),
    _said(
        "The result reads the memory of {owners}: writing into the one changes the other.",
        _some(lambda values: values["owners"] != ""),
    ),
    _said(
        "The result has memory of its own: writing into it changes no tensor of the network.",
        _some(lambda values: values["owners"] == ""),
    ),
    _said(
        "Its {count} values are read from {distinct} places: a stride of 0, or windows that "
        "overlap, read one place several times.",
        _some(lambda values: values["distinct"] < values["count"]),
    ),
    _said(
        "It reads {distinct} of the {stored} numbers in that memory.",
        _some(lambda values: values["distinct"] < values["stored"]),
    ),
    *compared(
        ("count", "numpy_shares"),
        _some(lambda values: values["numpy_shares"] == "yes"),
        "NumPy's array of it reads the same memory.",
    ),
)

CARD = Card(
    name="tensor-bench",
    topic="Tensors",
    title="Tensor bench",
    why="Type an expression over the batch x, the network's output and its weights, and see what "
    "the result is and whose memory it reads.",
    question="How many numbers does the result of the expression have?",
    expression="x.flatten(1)[:, ::2]",
    numbers=(
        Number("count", "Numbers in the result"),
        Number("held", "Storage that it reads from", "bytes"),
    ),
    pictures=(
        CardPicture(
            "table",
            "The result",
            ("rows",),
            "The result in torch's own words; strides and offset count numbers, not bytes.",
            ("property", "value"),
        ),
        CardPicture(
            "heat",
            "Its first values",
            ("corner",),
            "The first eight rows and columns, with all dimensions but the last in one.",
        ),
    ),
    references=(
        ("Tensor views", "https://docs.pytorch.org/docs/stable/tensor_view.html"),
        ("torch.Tensor", "https://docs.pytorch.org/docs/stable/tensors.html"),
        (
            "Tensor.numpy",
            "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html",
        ),
    ),
    findings=MEMORY,
    after="Slicing, transposing and expanding change strides and offset only. Indexing with a "
    "list or a mask, gather, comparisons and arithmetic write a new tensor.",
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=2, copies=3, batches=3),
)
