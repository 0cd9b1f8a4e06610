"""The current sample: one of the data set's parts, or a custom input."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from torch import Tensor

from core.common.network_ref import NetworkRef
from core.data import DataError, Dataset
from core.data.pictures.pixels import part
from core.insight.network_cache import opened, validation_rows
from core.insight.one_sample.custom_input import own_inputs, written

PARTS = ("validation", "training")


@dataclass(frozen=True)
class Chosen:
    """One sample as the network receives it.

    inputs: of all Inputs, (1, ...). targets: of all losses that have one, (1, ...), None for a
    sample of one's own. part, index, count: where it is from, "" and 0 for an own one. written:
    how many characters of an own text there are, after which the next one is predicted.
    """

    inputs: tuple[Tensor, ...]
    targets: tuple[Tensor, ...] | None
    part: str = ""
    index: int = 0
    count: int = 0
    written: int | None = None


@lru_cache(maxsize=3)
def dataset_of(ref: NetworkRef) -> Dataset:
    """The data of the network. Raises DataError."""
    return opened(ref).dataset


def choose(ref: NetworkRef, sample: Mapping[str, Any]) -> Chosen:
    """The sample that a request names, {"part", "index"} or {"own": {...}}. Raises DataError.

    An index beyond the last is that of the last.
    """
    if "plane" in sample:
        raise DataError("The plane is not a single sample.", "Choose a sample of the data.")
    if "own" in sample:
        inputs = own_inputs(dataset_of(ref), sample["own"])
        return Chosen(inputs, None, written=written(dataset_of(ref), sample["own"]))
    name = str(sample.get("part", PARTS[0]))
    if name not in PARTS:
        raise DataError(
            f"There is no part {name!r} of the data.", f"Choose {PARTS[0]} or {PARTS[1]}."
        )
    return _of_data(ref, name, int(sample.get("index", 0)))


def _of_data(ref: NetworkRef, name: str, index: int) -> Chosen:
    dataset = dataset_of(ref)
    rows = dataset.validation_indices if name == "validation" else dataset.train_indices
    if not len(rows):
        raise DataError(f"The {name} part of the data has no samples.", "Choose the other part.")
    index = min(max(index, 0), len(rows) - 1)
    if name == "validation":  # with the noise, if any, that a run validates with
        inputs, targets = validation_rows(ref)
        span = slice(index, index + 1)
        given = tuple(y[span] for y in targets) or None
        return Chosen(tuple(x[span] for x in inputs), given, name, index, len(rows))
    row = rows[index : index + 1]
    inputs = tuple(part(x, row)[0:1] for x in dataset.all_inputs)
    given = tuple(part(y, row)[0:1] for y in dataset.all_targets) or None
    return Chosen(inputs, given, name, index, len(rows))
