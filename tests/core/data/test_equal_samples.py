"""Data whose samples, or those of a class, are all the same say so, in every kind of own data."""

from pathlib import Path

import numpy as np
import pytest

from core.data.facts.metadata import read_own
from core.data.table.arrays import note_on_duplicates
from core.files import trust

ALL, ONE = "All samples have the same values.", "All samples of b have the same values."
CODE = """import torch
from torch.utils.data import Dataset


class Same(Dataset):
    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return torch.ones(3), index % 2
"""


def about(data) -> str:
    facts = read_own(data)
    assert facts is not None
    return facts.source.about


def write(file: Path, lines: list[str]) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text("x,y,kind\n" + "\n".join(lines) + "\n", "utf-8")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["1,2,a", "1,2,b"] * 4, ALL),
        ([line for i in range(4) for line in (f"{i},2,a", "1,2,b")], ONE),
        ([line for i in range(4) for line in (f"{i},2,a", f"1,{i},b")], "The table data/t.csv."),
        (["1,2,a", "2,2,a", "3,2,a", "5,6,b", "5,6,b"], "The table data/t.csv."),
    ],
)
def test_a_table(workspace: Path, lines: list[str], said: str) -> None:
    write(workspace / "data/t.csv", lines)
    assert about({"source": "CSV", "file": "data/t.csv"}).endswith(said)


def test_a_table_whose_missing_values_are_filled_later(workspace: Path) -> None:
    write(workspace / "data/t.csv", [line for i in range(4) for line in (f"{i},2,a", ",2,b")])
    assert about({"source": "CSV", "file": "data/t.csv", "fill": {"x": "mean"}}).endswith(ONE)


@pytest.mark.parametrize(("varied", "said"), [(False, ALL), (True, "of the class 7")])
def test_arrays(workspace: Path, varied: bool, said: str) -> None:
    labels = np.arange(8) % 2 * 7
    images = np.zeros((8, 4, 4, 3), np.uint8)
    if varied:
        images[labels == 0] = np.arange(4, dtype=np.uint8)[:, None, None, None]
    np.savez(workspace / "t.npz", images=images, labels=labels)
    said = said.replace("of the class 7", "All samples of 7 have the same values.")
    assert about({"source": "NPZ", "file": "t.npz"}).endswith(said)


def test_a_dataset_in_python(workspace: Path) -> None:
    (workspace / "same.py").write_text(CODE, "utf-8")
    with trust.meanwhile(CODE):
        assert about({"source": "Dataset", "file": "same.py"}).endswith(ALL)


def test_many_classes_are_counted() -> None:
    classes = [f"c{i}" for i in range(14)]
    targets = np.repeat(np.arange(14), 3)
    said = note_on_duplicates(targets[:, None].astype(float), targets, classes)
    assert said == (
        " All samples of c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11 and 2 more have the same "
        "values."
    )
