"""Own pictures that chance does not vary are one tensor, so that their steps can be compiled."""

from pathlib import Path

import pytest
import torch

import core.data.pictures.pixels as pixels
from core.data import Dataset, load
from core.data.facts.metadata import read_own
from core.engine.trainer_factory import split_on_device
from tests.core.data.own_sets import write_pictures

FOLDER = {"source": "ImageFolder", "root": "data/shapes", "normalize": True}
CPU = torch.device("cpu")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    write_pictures(tmp_path / "data" / "shapes", 4, (12, 10))
    return tmp_path


def pictures(**more: object) -> Dataset:
    settings = {**FOLDER, **more}
    read_own(settings)
    return load(settings, (3, 8, 8), (3,))


@pytest.mark.usefixtures("workspace")
def test_they_are_the_same_numbers_to_the_bit() -> None:
    data = pictures()
    train, validation = split_on_device(data, CPU)
    assert train.host_bytes
    assert validation.host_bytes
    rows = torch.tensor([3, 0, 2])
    batch = data.all_training()[0][0].index_select(0, rows)
    assert torch.equal(train.rows(rows)[0][0], batch)


@pytest.mark.usefixtures("workspace")
def test_varied_or_many_ones_are_read_batch_by_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    varied = pictures(transform=[{"name": "RandomHorizontalFlip"}])
    assert not split_on_device(varied, CPU)[0].host_bytes
    monkeypatch.setattr(pixels, "HELD_BYTES", 100)
    assert not split_on_device(pictures(), CPU)[0].host_bytes
