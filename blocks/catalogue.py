"""The catalogue as plain JSON values, for the palette and the command line."""

from typing import Any, cast

from blocks.spec import CATALOGUE, REQUIRED, Block, Port, Setting

FAMILIES = {
    "ends": "Input and output",
    "linear": "Linear",
    "convolution": "Convolution",
    "normalisation": "Normalisation",
    "activation": "Activation",
    "pooling": "Pooling",
    "dropout": "Dropout",
    "recurrent": "Recurrent",
    "attention": "Attention",
    "embedding": "Embedding",
    "shape": "Shape",
    "padding": "Padding",
    "indexing": "Indexing and sizes",
    "arithmetic": "Arithmetic",
    "reduction": "Reduction",
    "comparison": "Comparison and masks",
    "values": "Parameters and constants",
    "loss": "Loss",
}
"""Families by name, in the order of the palette."""

BEGINNERS = {
    "Input, output": ("Input", "Output"),
    "Images": ("Conv2d", "MaxPool2d", "AdaptiveAvgPool2d"),
    "Features": ("Linear", "Flatten"),
    "Activations": ("ReLU", "GELU", "Tanh", "Sigmoid", "Softmax"),
    "Normalisation, dropout": ("BatchNorm2d", "BatchNorm1d", "LayerNorm", "Dropout"),
    "Sequences": (
        "Embedding",
        "PositionEmbedding",
        "LSTM",
        "GRU",
        "Conv1d",
        "TransformerEncoderLayer",
    ),
    "Joining, reshaping": ("add", "cat", "mul", "reshape", "mean"),
}
"""The blocks of a beginner's palette by purpose; the best of each come first."""

SUGGESTED: tuple[tuple[tuple[int, ...], str, tuple[str, ...]], ...] = (
    ((4,), "float", ("Conv2d", "ReLU", "MaxPool2d", "Flatten", "Linear")),
    ((3,), "float", ("LSTM", "Conv1d", "ReLU", "Linear")),
    ((2,), "int", ("Embedding", "LSTM", "TransformerEncoderLayer", "Linear")),
    ((), "any", ("Linear", "ReLU", "Dropout")),
)
"""What a first network is made of, by what its Input gives: the number of dimensions, batch
included (none is any), and the dtype as `Port` has it. The first that fits holds."""


def catalogue_json() -> dict[str, Any]:
    """Describe every block: families in order, and all a form, palette or help page needs."""
    families = [
        {
            "name": family,
            "title": title,
            "blocks": [b.name for b in CATALOGUE.values() if b.family == family],
        }
        for family, title in FAMILIES.items()
    ]
    order = [name for family in families for name in family["blocks"]]
    return {"families": families, "blocks": {name: block_json(CATALOGUE[name]) for name in order}}


def beginners_json() -> list[dict[str, Any]]:
    """The palette for beginners: {"title", "blocks"} of each group, in order."""
    return [{"title": title, "blocks": list(blocks)} for title, blocks in BEGINNERS.items()]


def suggested_json() -> list[dict[str, Any]]:
    """What to suggest for data of which kind, the first that fits: {"rank", "dtype", "blocks"}."""
    return [
        {"rank": list(rank), "dtype": dtype, "blocks": list(blocks)}
        for rank, dtype, blocks in SUGGESTED
    ]


def block_json(block: Block) -> dict[str, Any]:
    """Describe one block: its ports, its settings and the text of its help page."""
    return {
        "family": block.family,
        "summary": block.summary,
        "inputs": [_port(port) for port in block.inputs],
        "outputs": [_port(port) for port in block.outputs],
        "settings": [_setting(setting) for setting in block.settings],
        "formula": block.formula,
        "reference": block.reference,
        "paper": block.paper,
        "shape_in": block.shape_in,
        "shape_out": block.shape_out,
        "keywords": list(block.keywords),
        "traits": sorted(block.traits),
    }


def _port(port: Port) -> dict[str, Any]:
    return {
        "name": port.name,
        "kind": port.kind,
        "optional": port.optional,
        "rank": list(port.rank),
        "dtype": port.dtype,
        "form": port.form,
        "help": port.help,
    }


def _setting(setting: Setting) -> dict[str, Any]:
    required = setting.default is REQUIRED and setting.infer is None
    since = f" Since torch {setting.since}." if setting.since else ""
    described: dict[str, Any] = {
        "name": setting.name,
        "kind": setting.kind,
        "help": setting.help + since,
        "required": required,
        "start": _plain(setting.start),
        "low": setting.low,
        "high": setting.high,
        "choices": list(setting.choices),
        "length": setting.length,
        "unit": setting.unit,
        "optional": setting.optional,
        "inferred": setting.infer is not None,
        "pattern": setting.pattern,
    }
    if setting.main or _begins(setting):
        described["main"] = True
    if setting.several:
        described["several"] = True
    if setting.since:
        described["since"] = setting.since
    if setting.infer is not None:
        described["from"] = {"port": setting.infer.port, "dim": setting.infer.dim}
    if setting.default is not REQUIRED:
        described["default"] = _plain(setting.default)
    return described


def _begins(setting: Setting) -> bool:
    """Whether a block needs this setting, or a fresh one begins with a number for it."""
    if setting.infer is not None:
        return False
    return setting.default is REQUIRED or (setting.start is not None and setting.kind != "bool")


def _plain(value: Any) -> Any:
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value
