"""torchvision's further data sets, read from small files in the very format of each class."""

import bz2
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.io import savemat
from torch import Tensor
from torchvision import datasets

from core.data import SOURCES, load
from core.data.builtin.vision import read_vision
from core.data.builtin.vision_sets import VISION
from core.script.data import load_function, split_function
from tests.core.data.tiny_sets import idx

MADE = np.random.default_rng(1)
COUNTS = (20, 10)


def numbered(count: int, classes: int) -> np.ndarray:
    return np.arange(count) % classes


def write_idx(folder: Path, name: str) -> None:
    """MNIST's format; labels of QMNIST have eight numbers each, files of EMNIST their split."""
    names = {"EMNIST": ("emnist-balanced-train", "emnist-balanced-test"),
             "QMNIST": ("qmnist-train", "qmnist-test")}.get(name, ("train", "t10k"))  # fmt: skip
    raw = folder / name / "raw"
    raw.mkdir(parents=True)
    for part, count in zip(names, COUNTS, strict=True):
        pixels = MADE.integers(0, 256, (count, 28, 28))
        labels = numbered(count, 10)
        (raw / f"{part}-images-idx3-ubyte").write_bytes(idx(pixels))
        if name == "QMNIST":
            rows = np.stack([labels, *[np.zeros_like(labels)] * 7], 1).astype(">i4")
            head = bytes([0, 0, 12, 2]) + count.to_bytes(4, "big") + (8).to_bytes(4, "big")
            (raw / f"{part}-labels-idx2-int").write_bytes(head + rows.tobytes())
        else:
            (raw / f"{part}-labels-idx1-ubyte").write_bytes(idx(labels))


def write_usps(folder: Path, name: str) -> None:
    (folder / "USPS").mkdir(parents=True)
    for file, count in zip(VISION["USPS"].files, COUNTS, strict=True):
        rows = (f"{k % 10 + 1} " + " ".join(f"{i + 1}:{v:.3f}" for i, v in enumerate(pixels))
                for k, pixels in enumerate(MADE.uniform(-1, 1, (count, 256))))  # fmt: skip
        (folder / "USPS" / file).write_bytes(bz2.compress("\n".join(rows).encode()))


def write_svhn(folder: Path, name: str) -> None:
    (folder / "SVHN").mkdir(parents=True)
    for file, count in zip(VISION["SVHN"].files, COUNTS, strict=True):
        pixels = MADE.integers(0, 256, (32, 32, 3, count)).astype(np.uint8)
        labels = np.where(numbered(count, 10) == 0, 10, numbered(count, 10)).astype(np.uint8)
        savemat(folder / "SVHN" / file, {"X": pixels, "y": labels[:, None]})


def write_stl(folder: Path, name: str) -> None:
    base = folder / "stl10_binary"
    base.mkdir(parents=True)
    for part, count in zip(("train", "test"), COUNTS, strict=True):
        pixels = MADE.integers(0, 256, (count, 3, 96, 96)).astype(np.uint8)
        (base / f"{part}_X.bin").write_bytes(pixels.tobytes())
        (base / f"{part}_y.bin").write_bytes((numbered(count, 10) + 1).astype(np.uint8).tobytes())
    names = "airplane bird car cat deer dog horse monkey ship truck".split()
    (base / "class_names.txt").write_text("\n".join(names))


WRITERS: dict[str, Callable[[Path, str], None]] = {
    "KMNIST": write_idx, "QMNIST": write_idx, "EMNIST": write_idx, "USPS": write_usps,
    "SVHN": write_svhn, "STL10": write_stl,
}  # fmt: skip


@pytest.fixture(params=list(WRITERS))
def small(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, Path]:
    """A data set of 20 and 10 samples, where a download would have put it."""
    monkeypatch.setenv("LAYERLOOM_DATA", str(tmp_path))
    for name in ("SVHN", "STL10"):
        monkeypatch.setattr(
            f"torchvision.datasets.{name}._check_integrity", lambda self: True, raising=False
        )
    WRITERS[request.param](tmp_path, request.param)
    return request.param, tmp_path


def test_both_parts_are_read_with_their_classes(small: tuple[str, Path]):
    name, _ = small
    images, labels, test = read_vision(name)
    assert (images.dtype, tuple(images.shape)) == (torch.uint8, (30, *SOURCES[name].shape))
    assert test == 10
    assert labels.dtype == torch.int64
    assert labels.tolist() == [*range(10), *range(10), *range(10)]


@pytest.mark.parametrize("validation", [{}, {"validation": 0.2}, {"test": "makers"}])
def test_a_script_reads_the_same(
    small: tuple[str, Path], validation: dict[str, Any], monkeypatch: pytest.MonkeyPatch
):
    name, root = small
    monkeypatch.setattr(datasets.SVHN, "download", lambda self: None)
    small_source = replace(SOURCES[name], samples=20, test=10)
    monkeypatch.setitem(SOURCES, name, small_source)
    data = {"source": name, "normalize": False, **validation}
    ends = small_source.shape, (len(small_source.classes),)
    run = load(data, *ends)
    room: dict[str, Any] = {"torch": torch, "Tensor": Tensor, "datasets": datasets, "SEED": 0}
    exec(split_function(run.info), room)
    exec(load_function(run.info), room)
    found = room["load_data"](str(root / name if VISION[name].inside else root))
    parts = [*run.training(), *run.validation()]
    parts += [column for side in run.all_test() for column in side] if run.info.parts.tests else []
    assert len(found) == len(parts)
    assert all(torch.equal(a, b) for a, b in zip(found, parts, strict=True))


def test_every_set_of_torchvision_in_the_catalogue_says_how_it_is_read_and_how_large_it_is():
    named = [name for name, source in SOURCES.items()
             if source.package == "torchvision" and not source.by_file]  # fmt: skip
    assert named == ["MNIST", "FashionMNIST", "CIFAR10", "KMNIST", "QMNIST", "EMNIST", "USPS",
                     "SVHN", "CIFAR100", "STL10"]  # fmt: skip
    assert set(named) == set(VISION)
    assert all(SOURCES[name].download_bytes > 1_000_000 for name in named)
    assert len(SOURCES["CIFAR100"].classes) == 100
    assert len(SOURCES["EMNIST"].classes) == 47
