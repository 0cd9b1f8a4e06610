"""How torchvision's data sets lie on disk and are read, a declaration each. Reads no data.

A run and a script read by the same declaration: `core.data.builtin.vision` by its values,
`core.script.data` by its texts. Sizes of downloads are those of the archives, about.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

IDX = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
TRAIN, TEST = {"train": True}, {"train": False}
SPLITS: tuple[Mapping[str, Any], Mapping[str, Any]] = ({"split": "train"}, {"split": "test"})


@dataclass(frozen=True)
class VisionSet:
    """A class of `torchvision.datasets`.

    folder: where it keeps its files in the root it is given; inside: whether it keeps them in the
    root itself, which is then this folder. files: what must be there. parts: arguments of the part
    to learn from, and of the test part. both: whether each part is downloaded by itself. layout: of
    `data`: tensors or arrays (S, H, W), arrays (S, H, W, C) or (S, C, H, W). labels: how classes
    are written, of `data`.
    """

    folder: str
    files: tuple[str, ...]
    inside: bool = False
    parts: tuple[Mapping[str, Any], Mapping[str, Any]] = field(default=(TRAIN, TEST))
    both: bool = False
    layout: Literal["tensor", "grey", "last", "first"] = "tensor"
    labels: str = "data.targets"

    @property
    def pixels(self) -> str:
        """How the pixels are written as a tensor, of `data`."""
        return "data.data" if self.layout == "tensor" else "torch.from_numpy(data.data)"

    @property
    def order(self) -> str:
        """What brings them to (S, C, H, W), written behind them; "" where they have it."""
        return {"last": ".permute(0, 3, 1, 2).contiguous()", "first": ""}.get(
            self.layout, ".unsqueeze(1)"
        )


def _mnist(name: str) -> VisionSet:
    return VisionSet(name, tuple(f"raw/{file}" for file in IDX))


_BATCHES = (*(f"data_batch_{n}" for n in range(1, 6)), "test_batch", "batches.meta")
_QMNIST = tuple(
    f"raw/qmnist-{part}-{what}"
    for part in ("train", "test")
    for what in ("images-idx3-ubyte", "labels-idx2-int")
)
_EMNIST = tuple(
    f"raw/emnist-balanced-{part}-{what}-ubyte"
    for part in ("train", "test")
    for what in ("images-idx3", "labels-idx1")
)
_BALANCED = ({"split": "balanced", "train": True}, {"split": "balanced", "train": False})
VISION = {
    "MNIST": _mnist("MNIST"),
    "FashionMNIST": _mnist("FashionMNIST"),
    "KMNIST": _mnist("KMNIST"),
    "QMNIST": VisionSet("QMNIST", _QMNIST, both=True, labels="data.targets[:, 0]"),
    "EMNIST": VisionSet("EMNIST", _EMNIST, parts=_BALANCED),
    "CIFAR10": VisionSet(
        "cifar-10-batches-py", _BATCHES, layout="last", labels="torch.tensor(data.targets)"
    ),
    "CIFAR100": VisionSet(
        "cifar-100-python",
        ("train", "test", "meta"),
        layout="last",
        labels="torch.tensor(data.targets)",
    ),
    "USPS": VisionSet(
        "USPS",
        ("usps.bz2", "usps.t.bz2"),
        inside=True,
        both=True,
        layout="grey",
        labels="torch.tensor(data.targets)",
    ),
    "SVHN": VisionSet(
        "SVHN",
        ("train_32x32.mat", "test_32x32.mat"),
        inside=True,
        parts=SPLITS,
        both=True,
        layout="first",
        labels="torch.from_numpy(data.labels).long()",
    ),
    "STL10": VisionSet(
        "stl10_binary",
        ("train_X.bin", "train_y.bin", "test_X.bin", "test_y.bin"),
        parts=SPLITS,
        layout="first",
        labels="torch.from_numpy(data.labels).long()",
    ),
}
