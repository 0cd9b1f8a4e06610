"""Twelve networks as a beginner draws them, each fitted to every embedded data set where it can be.

A shape is the middle of a network; what comes before it (how a sample becomes a vector, a sequence
or a map) and what comes after it (scores) are the data's. None where a shape makes no sense.
"""

from collections.abc import Callable
from typing import Any

Graph = dict[str, Any]
Step = tuple[str, dict[str, Any]]
HIDDEN = 64
TEMPLATES = {
    "iris": "mlp_iris",
    "wine": "mlp_wine",
    "breast_cancer": "mlp_breast_cancer",
    "diabetes": "regression_diabetes",
    "digits": "lenet_digits",
    "digit_pairs": "multilabel_digits",
    "digit_rows": "ctc_digit_rows",
    "letter_names": "rnn_letter_names",
    "dates": "seq2seq_dates",
    "waves": "lstm_waves",
    "python_docs": "lstm_text",
}
"""Embedded data sets, and the template whose figure is to be reached."""
COLUMNS = {"iris": 4, "wine": 13, "breast_cancer": 30, "diabetes": 10}
PICTURES = {"digits": (8, 8), "digit_pairs": (8, 16), "digit_rows": (8, 48)}
SCORES = {"iris": 3, "wine": 3, "breast_cancer": 2, "diabetes": 1, "digits": 10, "digit_pairs": 10,
          "letter_names": 6, "digit_rows": 24 * 11, "dates": 240}  # fmt: skip
PER_STEP = {"waves": 1, "python_docs": 96}
"""Data sets that are told something at each step of a sequence, from what came before it."""


class Drawing:
    """A graph that grows block by block, each wired to the one before."""

    def __init__(self) -> None:
        self.nodes: dict[str, Any] = {}
        self.edges: list[str] = []
        self.last = ""

    def add(self, block: str, port: str = "", **settings: Any) -> str:
        """Add a block after the last; port: which of its inputs, where it has several."""
        name = f"{block.lower()}{sum(n['block'] == block for n in self.nodes.values()) + 1}"
        self.nodes[name] = {"block": block, "settings": settings}
        if self.last:
            self.edges.append(f"{self.last} -> {name}{'.' + port if port else ''}")
        self.last = name
        return name

    def start(self, block: str, **settings: Any) -> str:
        """Add a block that nothing goes into."""
        self.last = ""
        return self.add(block, **settings)

    def graph(self) -> Graph:
        """The drawing with an Output after its last block."""
        self.add("Output")
        return {"nodes": self.nodes, "edges": self.edges}


def _tokens(d: Drawing, name: str) -> None:
    length, known = {"letter_names": (16, 29), "dates": (20, 42), "python_docs": (64, 96)}[name]
    d.start("Input", shape=[length], dtype="int64")
    d.add("Embedding", num_embeddings=known, embedding_dim=32)


def _vector(d: Drawing, name: str) -> None:
    """A sample as one row of numbers; at each step, where something is told at each."""
    if name in COLUMNS:
        d.start("Input", shape=[COLUMNS[name]])
    elif name in PICTURES:
        d.start("Input", shape=[1, *PICTURES[name]])
        d.add("flatten", start_dim=1)
    elif name == "waves":
        d.start("Input", shape=[64, 1])
    else:
        _tokens(d, name)
        if name not in PER_STEP:
            d.add("flatten", start_dim=1)


def _sequence(d: Drawing, name: str) -> None:
    """A sample as (steps, features)."""
    if name in COLUMNS:
        d.start("Input", shape=[COLUMNS[name]])
        d.add("unflatten", dim=1, sizes=[COLUMNS[name], 1])
    elif name in PICTURES:
        d.start("Input", shape=list(PICTURES[name]))
        if name != "digits":
            d.add("transpose", dim0=1, dim1=2)
    else:
        _vector(d, name) if name == "waves" else _tokens(d, name)


def _scores(d: Drawing, name: str) -> Graph:
    """Bring what came out to what the data asks for."""
    d.add("Linear", out_features={**SCORES, **PER_STEP}[name])
    if name == "digit_rows":
        d.add("unflatten", dim=1, sizes=[24, 11])
        d.add("LogSoftmax", dim=2)
    if name == "dates":
        _written(d)
    return d.graph()


def _columns_scored(d: Drawing) -> Graph:
    """A score for a blank and each digit at every column of a row of digits."""
    d.add("Linear", out_features=11)
    d.add("LogSoftmax", dim=2)
    return d.graph()


def _written(d: Drawing) -> None:
    """Put what was read beside what is written so far, and score the next character."""
    read = d.add("unflatten", dim=1, sizes=[10, 24])
    d.start("Input", shape=[10], dtype="int64")
    before = d.add("Embedding", num_embeddings=42, embedding_dim=24)
    d.start("cat", dim=2)
    d.edges += [f"{read} -> {d.last}.tensors.0", f"{before} -> {d.last}.tensors.1"]
    d.add("Linear", out_features=HIDDEN)
    d.add("ReLU")
    d.add("Linear", out_features=41)


def _mlp(name: str, *middle: Step) -> Graph:
    d = Drawing()
    _vector(d, name)
    for block, settings in middle:
        d.add(block, **settings)
    return _scores(d, name)


LINEAR, RELU = ("Linear", {"out_features": HIDDEN}), ("ReLU", dict[str, Any]())
SIGMOID, NORM = ("Sigmoid", dict[str, Any]()), ("BatchNorm1d", dict[str, Any]())


def regularised_mlp(name: str) -> Graph | None:
    """Batch normalisation wants its features in the middle: not where there are steps."""
    drop = ("Dropout", {"p": 0.2})
    middle = (LINEAR, NORM, RELU, drop)
    return None if name in PER_STEP else _mlp(name, *middle, *middle)


def _convolve(d: Drawing, name: str, channels: int, norm: bool = False) -> None:
    """A convolution that keeps the size, and looks back only where the next is told."""
    size = "2d" if name in PICTURES else "1d"
    if name in PER_STEP:
        d.add("ZeroPad1d", padding=[4, 0])
        d.add("Conv1d", out_channels=channels, kernel_size=5)
    else:
        d.add(f"Conv{size}", out_channels=channels, kernel_size=3, padding=1)
    if norm:
        d.add(f"BatchNorm{size}")


def _map(d: Drawing, name: str) -> None:
    """A sample as channels over places."""
    if name in PICTURES:
        d.start("Input", shape=[1, *PICTURES[name]])
        return
    _sequence(d, name)
    d.add("transpose", dim0=1, dim1=2)


def _from_map(d: Drawing, name: str) -> Graph:
    if name in PER_STEP:
        d.add("transpose", dim0=1, dim1=2)
        return _scores(d, name)
    if name == "digit_rows":
        d.add("MaxPool2d", kernel_size=2)
        d.add("flatten", start_dim=1, end_dim=2)
        d.add("transpose", dim0=1, dim1=2)
        return _columns_scored(d)
    d.add("MaxPool2d" if name in PICTURES else "MaxPool1d", kernel_size=2)
    d.add("flatten", start_dim=1)
    return _scores(d, name)


def cnn(name: str, norm: bool = False) -> Graph:
    """Two convolutions and a pooling."""
    d = Drawing()
    _map(d, name)
    for channels in (16, 32):
        _convolve(d, name, channels, norm)
        d.add("ReLU")
    return _from_map(d, name)


def residual_cnn(name: str) -> Graph:
    """A convolution, then two more that the first goes around."""
    d = Drawing()
    _map(d, name)
    _convolve(d, name, 16)
    around = d.add("ReLU")
    _convolve(d, name, 16)
    d.add("ReLU")
    _convolve(d, name, 16)
    d.add("add", port="input")
    d.edges.append(f"{around} -> {d.last}.other")
    d.add("ReLU")
    return _from_map(d, name)


def recurrent(name: str, block: str) -> Graph:
    """One recurrent layer, and a Linear of its last state, or of each."""
    d = Drawing()
    _sequence(d, name)
    d.add(block, port="input", hidden_size=HIDDEN, batch_first=True)
    if name == "digit_rows":
        return _columns_scored(d)
    if name not in PER_STEP:
        d.add("select", dim=1, index=-1)
    return _scores(d, name)


def transformer(name: str) -> Graph:
    """Places added, one encoder layer, then a Linear of all steps, or of each."""
    d = Drawing()
    _sequence(d, name)
    d.add("Linear", out_features=32)
    length = {"letter_names": 16, "dates": 20, "python_docs": 64, "waves": 64}.get(name, 0)
    length = length or COLUMNS.get(name, PICTURES.get(name, (0, 0))[0 if name == "digits" else -1])
    _placed(d, length)
    tokens = d.last
    mask = _not_ahead(d, length) if name in PER_STEP else ""
    d.last = tokens
    d.add("TransformerEncoderLayer", port="src", nhead=4, dim_feedforward=64, batch_first=True)
    if name == "digit_rows":
        return _columns_scored(d)
    if mask:
        d.edges.append(f"{mask} -> {d.last}.src_mask")
    else:
        d.add("flatten", start_dim=1)
    return _scores(d, name)


def _placed(d: Drawing, length: int) -> None:
    what = d.last
    where = d.start("Parameter", shape=[1, length, 32], init="normal", std=0.5)
    d.last = what
    d.add("add", port="input")
    d.edges.append(f"{where} -> {d.last}.other")


def _not_ahead(d: Drawing, length: int) -> str:
    d.start("Buffer", shape=[length, length], init="constant", value=-1e9)
    return d.add("triu", diagonal=1)


def bag(name: str) -> Graph | None:
    """A vector for each step and their mean: not of columns, which are no steps."""
    if name in COLUMNS or name in PER_STEP or name == "digit_rows":
        return None
    d = Drawing()
    _sequence(d, name)
    d.add("Linear", out_features=HIDDEN)
    d.add("ReLU")
    d.add("mean", dim=[1])
    return _scores(d, name)


SHAPES: dict[str, Callable[[str], Graph | None]] = {
    "linear": lambda name: _mlp(name),
    "one hidden layer": lambda name: _mlp(name, LINEAR, RELU),
    "deep MLP": lambda name: _mlp(name, *[LINEAR, RELU] * 5),
    "sigmoid MLP": lambda name: _mlp(name, *[LINEAR, SIGMOID] * 2),
    "MLP, norm and dropout": regularised_mlp,
    "CNN": cnn,
    "CNN, residual": residual_cnn,
    "CNN, batch norm": lambda name: cnn(name, norm=True),
    "LSTM": lambda name: recurrent(name, "LSTM"),
    "GRU": lambda name: recurrent(name, "GRU"),
    "transformer": transformer,
    "embedding and mean": bag,
}
