"""torchvision's own classes: read when here, fetched only when asked, never half."""

import gzip
import hashlib
import tarfile
from pathlib import Path

import numpy as np
import pytest
import torch
from torchvision import datasets

from core.data import DataError, describe, download, load
from core.data.builtin.vision import dataset_class
from tests.core.data.tiny_sets import mnist_files, tiny_cifar, write_mnist


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAYERLOOM_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def served_mnist(folder: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """torchvision's MNIST fetching tiny archives from the loopback server."""
    files, resources = mnist_files(), []
    for name, content in files.items():
        archive = gzip.compress(content)
        (folder / f"{name}.gz").write_bytes(archive)
        resources.append((f"{name}.gz", hashlib.md5(archive).hexdigest()))

    class MNIST(datasets.MNIST):
        pass

    MNIST.mirrors, MNIST.resources = [address], resources
    monkeypatch.setattr("core.data.builtin.vision.dataset_class", {"MNIST": MNIST}.__getitem__)
    return files


def test_the_classes_are_torchvisions():
    assert dataset_class("MNIST") is datasets.MNIST
    assert dataset_class("FashionMNIST") is datasets.FashionMNIST
    assert dataset_class("CIFAR10") is datasets.CIFAR10


def test_data_that_is_not_here_is_not_fetched_unasked(root: Path):
    with pytest.raises(DataError) as error:
        load({"source": "MNIST"}, (1, 28, 28), (10,))
    assert error.value.message == "MNIST is not on this machine yet."
    assert error.value.hint.startswith("Download it (about 12 MB), or put")
    assert not root.exists()


@pytest.mark.parametrize("name", ["MNIST", "FashionMNIST"])
def test_files_that_are_here_are_read_as_they_are(root: Path, name: str):
    write_mnist(root / name / "raw")
    assert describe({"source": name}, (1, 28, 28)).here is True
    data = load({"source": name}, (1, 28, 28), (10,))
    assert data.inputs.shape == (30, 1, 28, 28)
    assert data.train_indices.tolist() == list(range(20))
    assert data.validation_indices.tolist() == list(range(20, 30))
    pixels = np.frombuffer(mnist_files()["t10k-images-idx3-ubyte"][16:], np.uint8)
    assert torch.equal(data.inputs[20:].flatten(), torch.from_numpy(pixels / np.float32(255)))
    assert data.targets[20:].tolist() == list(range(10))


def test_a_given_share_parts_the_training_images_instead(root: Path):
    write_mnist(root / "MNIST" / "raw")
    data = load({"source": "MNIST", "validation": 0.5}, (784,), (10,))
    assert torch.bincount(data.targets[data.validation_indices]).tolist() == [1] * 10
    assert max(data.train_indices.tolist() + data.validation_indices.tolist()) == 19


@pytest.mark.gate
def test_an_asked_download_is_torchvisions_and_tells_its_progress(
    root: Path, server: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
):
    files = served_mnist(*server, monkeypatch)
    reported: list[tuple[int, int]] = []
    data = load(
        {"source": "MNIST"},
        (1, 28, 28),
        (10,),
        download=True,
        progress=lambda *n: reported.append(n),
    )
    assert data.inputs.shape == (30, 1, 28, 28)
    assert reported[-1] == (11_594_722, 11_594_722)
    raw = root / "MNIST" / "raw"
    assert {f.name for f in raw.iterdir() if not f.suffix} == set(files)
    assert [f.name for f in root.iterdir()] == ["MNIST"]  # nothing half is left beside it


@pytest.mark.gate
def test_a_download_that_is_here_already_fetches_nothing(
    root: Path, server: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
):
    served_mnist(*server, monkeypatch)
    download("MNIST")
    for archive in server[0].iterdir():
        archive.unlink()
    assert download("MNIST") == root / "MNIST"


@pytest.mark.gate
def test_a_failed_download_leaves_nothing_and_says_why(
    root: Path, server: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
):
    served_mnist(*server, monkeypatch)
    (server[0] / "t10k-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(DataError) as error:
        download("MNIST")
    assert error.value.message == "MNIST could not be downloaded: HTTP Error 404: File not found."
    assert list(root.iterdir()) == []


@pytest.mark.gate
def test_an_archive_with_another_checksum_is_refused(
    root: Path, server: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
):
    served_mnist(*server, monkeypatch)
    (server[0] / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(b"something else"))
    with pytest.raises(DataError, match="could not be downloaded: File not found or corrupted"):
        download("MNIST")
    assert list(root.iterdir()) == []


def test_damaged_files_are_refused_with_the_way_out(root: Path):
    for file in write_mnist(root / "MNIST" / "raw"):
        file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(DataError, match="files of MNIST on this machine are damaged") as error:
        load({"source": "MNIST"}, (1, 28, 28), (10,))
    assert error.value.hint == f"Delete {root / 'MNIST'} and download it again."


def test_colour_images_have_their_channels_first(root: Path, monkeypatch: pytest.MonkeyPatch):
    kind = tiny_cifar(root)
    monkeypatch.setattr("core.data.builtin.vision.dataset_class", {"CIFAR10": kind}.__getitem__)
    data = load({"source": "CIFAR10", "normalize": True}, (3, 32, 32), (10,))
    assert data.inputs.shape == (24, 3, 32, 32)
    assert data.mean is not None
    assert data.std is not None
    assert data.mean.shape == (3, 1, 1)
    first = kind(root).data[0]  # (H, W, C)
    shown = (data.inputs[0] * data.std + data.mean) * 255
    assert torch.allclose(shown, torch.from_numpy(first).permute(2, 0, 1).float(), atol=1e-3)


def test_a_pickle_with_another_checksum_is_never_opened(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    kind = tiny_cifar(root)
    trap = root / "sprung"
    code = f"cos\nsystem\n(S'touch {trap}'\ntR."
    (root / "cifar-10-batches-py/data_batch_1").write_bytes(code.encode())
    monkeypatch.setattr("core.data.builtin.vision.dataset_class", {"CIFAR10": kind}.__getitem__)
    with pytest.raises(DataError, match="files of CIFAR10 on this machine are damaged"):
        load({"source": "CIFAR10"}, (3, 32, 32), (10,))
    assert not trap.exists()


@pytest.mark.gate
def test_an_archive_is_fetched_and_unpacked_beside_its_place(
    root: Path, server: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    kind = tiny_cifar(tmp_path / "made")
    archive = server[0] / kind.filename
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(tmp_path / "made/cifar-10-batches-py", "cifar-10-batches-py")
    monkeypatch.setattr(kind, "url", server[1] + kind.filename)
    monkeypatch.setattr(kind, "tgz_md5", hashlib.md5(archive.read_bytes()).hexdigest())
    monkeypatch.setattr("core.data.builtin.vision.dataset_class", {"CIFAR10": kind}.__getitem__)
    data = load({"source": "CIFAR10"}, (3, 32, 32), (10,), download=True)
    assert len(data.inputs) == 24
    assert [f.name for f in root.iterdir()] == ["cifar-10-batches-py"]
