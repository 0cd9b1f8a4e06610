"""Names of the samples in a file: tensors x and y, named columns, or the items of a Dataset.

`plain` data (see `DataInfo.plain`) is one tensor of inputs and one of targets; all other data are
columns. Samples that are decoded or varied one by one come out of a Dataset, also as x and y.
"""

from dataclasses import dataclass, replace

from core.data.facts.info import DataInfo
from core.script.columns import columns
from core.settings.sampler import class_column

MOVED = "x, y = x.to(device), y.to(device)"
LOOK = [
    "few = [train[row] for row in range(min(8, len(train)))]  # augmented",
    "train_x, train_y = (torch.stack(column) for column in zip(*few, strict=True))",
    "few = [val[row] for row in range(min(256, len(val)))]  # for the results below",
    "val_x, val_y = (torch.stack(column).to(device) for column in zip(*few, strict=True))",
]
"""Lines that make tensors of a few samples of a Dataset, to look at them."""


@dataclass(frozen=True)
class Samples:
    """Names of samples in a file, and texts made of them.

    batch: what the loader gives. fed: what the Inputs receive, noise that is drawn with them.
    first: what is as long as the batch. train, val: what a TensorDataset is made of, "" where a
    Dataset is there. counted: what is as long as the part to learn from, and as the one that
    validates. classes: what holds the class of each sample to learn from; truth: its targets.
    moved: lines that bring a batch to the device.
    """

    batch: tuple[str, ...]
    fed: tuple[str, ...]
    first: str
    train: str
    val: str
    counted: tuple[str, str]
    classes: str
    truth: str
    moved: tuple[str, ...] = ()


def samples_of(info: DataInfo) -> Samples:
    """What a file calls these samples."""
    if not info.plain:
        return _columns(info)
    pair = Samples(
        batch=("x", "y"),
        fed=("x",),
        first="y",
        train="train_x, train_y",
        val="val_x, val_y",
        counted=("train_x", "val_x"),
        classes="train_y",
        truth="train_y",
    )
    if not info.streamed:
        return pair
    made = {"train": "", "val": "", "counted": ("train", "val"), "classes": "train.targets"}
    return replace(pair, **made, moved=(MOVED,))


def _columns(info: DataInfo) -> Samples:
    feeds, targets = columns(info)
    pairs = zip(feeds, info.feeds, strict=True)
    loaded = [column.name for column, feed in pairs if not feed.noise]
    batch = (*loaded, *(column.name for column in targets))
    return Samples(
        batch=batch,
        fed=tuple(column.name for column in feeds),
        first=batch[0],
        train="*train",
        val="*val",
        counted=("train[0]", "val[0]"),
        classes=f"train[{len(loaded) + (class_column(info) or 0)}]",
        truth="train[-1]",
    )
