"""The data sets inside scikit-learn, read with numpy: importing sklearn would take a second."""

import csv
import gzip
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.common.errors import DataError
from core.data.builtin.catalogue import SOURCES

Arrays = tuple[NDArray[np.float64], NDArray[np.float64]]
_FILES = {
    "digits": "digits.csv.gz",
    "iris": "iris.csv",
    "wine": "wine_data.csv",
    "breast_cancer": "breast_cancer.csv",
    "diabetes": "diabetes_data_raw.csv.gz",
}


def read_embedded(name: str) -> Arrays:
    """Samples (S, ...) as scikit-learn has them and their targets (S,).

    Raises DataError when scikit-learn is not installed.
    """
    folder = _folder()
    inputs, targets = _from_files(name, folder) if folder else _from_sklearn(name)
    source = SOURCES[name]
    if inputs.shape[0] != source.samples or inputs[0].size != np.prod(source.shape):
        raise DataError(
            f"{name} has {source.samples} samples but scikit-learn's file holds {inputs.shape}.",
            "Install scikit-learn again.",
        )
    return inputs.reshape(-1, *source.shape), targets


def _folder() -> Path | None:
    spec = find_spec("sklearn")
    if spec is None or spec.origin is None:
        raise DataError("scikit-learn, which holds this data, is missing.", "Install scikit-learn.")
    folder = Path(spec.origin).parent / "datasets/data"
    return folder if all((folder / file).is_file() for file in _FILES.values()) else None


def _from_files(name: str, folder: Path) -> Arrays:
    file = folder / _FILES[name]
    if name == "diabetes":
        return np.loadtxt(file), np.loadtxt(folder / "diabetes_target.csv.gz")
    if name == "digits":
        with gzip.open(file, "rt") as text:
            table = np.loadtxt(text, delimiter=",")
    else:
        with file.open(newline="") as text:
            rows = csv.reader(text)
            next(rows)  # counts and class names
            table = np.array([[float(cell) for cell in row] for row in rows])
    return table[:, :-1], table[:, -1]


def _from_sklearn(name: str) -> Arrays:
    """The slow way, for a scikit-learn that keeps its files elsewhere."""
    datasets: Any = import_module("sklearn.datasets")
    raw = {"scaled": False} if name == "diabetes" else {}
    return getattr(datasets, f"load_{name}")(return_X_y=True, **raw)
