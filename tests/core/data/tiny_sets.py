"""Data sets of a few random images in the very formats of torchvision's."""

import hashlib
import pickle
from pathlib import Path

import numpy as np
from torchvision import datasets

TRAIN, TEST = 20, 10


def idx(array: np.ndarray) -> bytes:
    """The IDX format of MNIST: magic number, sizes, bytes."""
    header = bytes([0, 0, 8, array.ndim]) + b"".join(n.to_bytes(4, "big") for n in array.shape)
    return header + array.astype(np.uint8).tobytes()


def mnist_files() -> dict[str, bytes]:
    made = np.random.default_rng(0)
    files = {}
    for part, count in (("train", TRAIN), ("t10k", TEST)):
        files[f"{part}-images-idx3-ubyte"] = idx(made.integers(0, 256, (count, 28, 28)))
        files[f"{part}-labels-idx1-ubyte"] = idx(np.arange(count) % 10)
    return files


def write_mnist(raw: Path) -> list[Path]:
    """Put the tiny files where torchvision looks for them."""
    raw.mkdir(parents=True)
    for name, content in mnist_files().items():
        (raw / name).write_bytes(content)
    return sorted(raw.iterdir())


def tiny_cifar(folder: Path) -> type[datasets.CIFAR10]:
    """Tiny pickles in CIFAR-10's own layout, and torchvision's class with their checksums."""
    made = np.random.default_rng(0)
    base = folder / "cifar-10-batches-py"
    base.mkdir(parents=True)
    sums = {}
    for name in [*(f"data_batch_{n}" for n in range(1, 6)), "test_batch"]:
        images = made.integers(0, 256, (4, 3072)).astype(np.uint8)
        sums[name] = pickle.dumps({"data": images, "labels": [0, 1, 2, 3]})
    sums["batches.meta"] = pickle.dumps({"label_names": list("abcdefghij")})
    for name, content in sums.items():
        (base / name).write_bytes(content)
    md5 = {name: hashlib.md5(content).hexdigest() for name, content in sums.items()}

    class CIFAR10(datasets.CIFAR10):
        pass

    CIFAR10.train_list = [[name, digest] for name, digest in md5.items() if name[0] == "d"]
    CIFAR10.test_list = [["test_batch", md5["test_batch"]]]
    CIFAR10.meta = {**datasets.CIFAR10.meta, "md5": md5["batches.meta"]}

    return CIFAR10
