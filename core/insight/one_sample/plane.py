"""The plane of samples of two numbers: predictions and units all over it.

Points are in the data's own units and brought to the network as its samples are. Runs in a worker.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from core.common.json_types import is_array
from core.common.network_ref import Moment, NetworkRef
from core.data import DataError, Dataset
from core.data.batches.columns import Columns, input_values
from core.data.batches.points import Range, ranges
from core.engine.objective import Values
from core.insight.eval_context import quiet
from core.insight.features import capture
from core.insight.load_model import OpenedNetwork, OpenedPart
from core.insight.network_cache import aim
from core.insight.one_sample.sample import dataset_of
from core.insight.one_sample.values import seeded
from core.insight.over_time.weights import at
from core.tasks.measure import predicted_classes
from core.tasks.metrics import as_tuple

SIDE = 60
"""Points of each side of the grid."""
MOST_SAMPLES = 2000
"""So many samples of each part are judged and drawn at most."""
DIFFERENT = "The plane is for data with two numbers in each sample."


@dataclass(frozen=True)
class Grid:
    """inputs: of all Inputs, (SIDE * SIDE, ...), rows from the top, each from the left."""

    columns: tuple[str, str]
    across: Range
    up: Range
    inputs: tuple[Tensor, ...]


@dataclass(frozen=True)
class Region:
    """What the network answers at every point of the grid.

    classes: (SIDE, SIDE) the class that it says; shares: (classes, SIDE, SIDE) their probabilities;
    both None for numbers. numbers: (SIDE, SIDE) in the target's own unit, None for classes.
    """

    names: tuple[str, ...] = ()
    classes: Tensor | None = None
    shares: Tensor | None = None
    numbers: Tensor | None = None


@dataclass(frozen=True)
class Seen:
    """A forward pass of the grid. units: of each requested block, (units, SIDE, SIDE)."""

    grid: Grid
    units: dict[str, Tensor]
    region: Region | None


def offered(dataset: Dataset) -> bool:
    """Whether samples are two numbers, both of which the network receives."""
    info = dataset.info
    plain = info.kind == "table" and info.sample_shape == (2,)
    return plain and all(feed.column == "input" for feed in info.feeds) and _known(dataset)


def _known(dataset: Dataset) -> bool:
    places = {p for feed in dataset.info.feeds for p in (feed.picks or (0, 1))}
    return places == {0, 1}


def samples_of(dataset: Dataset) -> Tensor:
    """All samples (S, 2) in their own units."""
    found = torch.zeros(len(dataset.inputs), 2)
    for feed, value in zip(dataset.info.feeds, dataset.all_inputs, strict=True):
        found[:, list(feed.picks or (0, 1))] = value.reshape(len(value), -1)
    if dataset.mean is None or dataset.std is None:
        return found
    return found * dataset.std + dataset.mean


@lru_cache(maxsize=3)
def grid_of(ref: NetworkRef) -> Grid:
    """The grid for a network's data. Raises DataError where samples are no points of a plane."""
    dataset = dataset_of(ref)
    if not offered(dataset):
        raise DataError(DIFFERENT, "Choose a sample of the data.")
    (left, right), (low, high) = across, up = ranges(samples_of(dataset))
    steps = (torch.arange(SIDE, dtype=torch.float64) + 0.5) / SIDE
    xs, ys = left + steps * (right - left), high - steps * (high - low)
    points = torch.cartesian_prod(ys, xs).flip(1).float()
    if dataset.mean is not None and dataset.std is not None:
        points = (points - dataset.mean) / dataset.std
    none = torch.zeros(0).long()
    columns = Columns({"input": points}, none, none)
    inputs = tuple(input_values(feed, columns) for feed in dataset.info.feeds)
    names = dataset.info.origin.columns or ("x1", "x2")
    return Grid((names[0], names[1]), across, up, inputs)


def seen(ref: NetworkRef, nodes: Sequence[str], moment: Moment | None = None) -> Seen:
    """Run the grid through the network in evaluation mode. nodes: paths of blocks to keep.

    Raises DataError where samples are no points of a plane, NotReady for a drawing that does not
    run. What a block puts out that is not of each point is left out.
    """
    network, grid = at(ref, moment), grid_of(ref)
    with seeded(network):
        caught = capture(network.module, network.report, grid.inputs, list(nodes))
    units = {path: units_of(value) for path, value in caught.values.items()}
    known = {path: value for path, value in units.items() if value is not None}
    return Seen(grid, known, region(ref, network, as_tuple(caught.output)))


def units_of(value: Any) -> Tensor | None:
    """The first tensor of a block's output as (units, SIDE, SIDE)."""
    while is_array(value) and value:
        value = value[0]
    if not isinstance(value, Tensor) or not value.dim() or len(value) != SIDE * SIDE:
        return None
    return value.reshape(SIDE * SIDE, -1).float().T.reshape(-1, SIDE, SIDE)


def region(ref: NetworkRef, network: OpenedNetwork, outputs: Values) -> Region | None:
    """What the outputs say; None for a part of a drawing, and for what is no class or number."""
    if isinstance(network, OpenedPart):
        return None
    term, names = aim(ref), tuple(dataset_of(ref).classes)
    measure = term.measure
    output = outputs[term.outputs[0]].detach().float()
    if measure is None or len(output) != SIDE * SIDE:
        return None
    rows = output.reshape(len(output), -1)
    if measure.readout.number and rows.shape[1] == 1:
        return Region(numbers=measure.in_unit(output).reshape(SIDE, SIDE))
    if not measure.declared.one_class or (rows.shape[1] != 1 and not measure.declared.integer):
        return None
    shares = measure.probabilities(rows)
    classes = predicted_classes(rows, measure)
    if shares is None or shares.shape[1] != len(names):
        return None
    shaped = shares.T.reshape(-1, SIDE, SIDE)
    return Region(names, classes.reshape(SIDE, SIDE), shaped)


def accuracy(ref: NetworkRef, moment: Moment | None = None) -> dict[str, float]:
    """The share of right answers of both parts, clean; {} where there are no classes."""
    dataset, term = dataset_of(ref), aim(ref)
    measure = term.measure
    if measure is None or not measure.declared.one_class or dataset.labels is None:
        return {}
    parts = {"training": dataset.train_indices, "validation": dataset.validation_indices}
    found: dict[str, float] = {}
    for name, every in parts.items():
        rows = every[:MOST_SAMPLES]
        module = at(ref, moment).module
        with quiet(module):
            outputs = as_tuple(module(*(x[rows] for x in dataset.all_inputs)))
        output = outputs[term.outputs[0]].reshape(len(rows), -1)
        predicted = predicted_classes(output, measure)
        found[name] = (predicted == dataset.labels[rows]).float().mean().item()
    return found
