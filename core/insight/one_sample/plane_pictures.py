"""The plane as the canvas draws it: bytes of the grid, samples on top. Plain JSON."""

import base64
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from core.common.network_ref import Moment, NetworkRef
from core.insight.load_model import OpenedPart
from core.insight.one_sample import answers
from core.insight.one_sample.custom_input import ways
from core.insight.one_sample.pictures import NO_NUMBER
from core.insight.one_sample.plane import MOST_SAMPLES, Region, Seen, accuracy, samples_of, seen
from core.insight.one_sample.sample import dataset_of
from core.insight.one_sample.values import not_finite
from core.insight.over_time.weights import at
from core.tasks.tensor_values import ints, nested

Json = dict[str, Any]
FEW, MANY = 4, 64
"""Units that a block shows on its card, and in the larger picture."""


def plane(ref: NetworkRef, within: str, chosen: str, moment: Moment | None = None) -> Json:
    """What the network answers on the plane, and a small picture of each unit of its blocks.

    within: the path of the composite that is open, with its dot, "" for the whole network. chosen:
    the path of a block of which more units are told, "" for none. Raises NotReady for a drawing
    that does not run, DataError for no points of a plane.
    """
    network = at(ref, moment)
    nodes = [path for path in network.report.nodes if path and _inside(path, within, chosen)]
    forward = seen(ref, nodes, moment)
    part = isinstance(network, OpenedPart)
    output = "" if part else network.report.outputs[answers.main_output(ref)][0]
    return {
        "part": "",
        "index": 0,
        "count": 0,
        "target": "",
        "prediction": {"words": "", "scores": []},
        "output": output,
        "fault": network.fault if isinstance(network, OpenedPart) else "",
        "blocks": _cards(forward, within, output),
        "began": next((path for path, units in forward.units.items() if not_finite(units)), ""),
        "ways": {**ways(dataset_of(ref)), "plane": True},
        "plane": {
            "columns": list(forward.grid.columns),
            "across": list(forward.grid.across),
            "up": list(forward.grid.up),
            "region": None if forward.region is None else _region(forward.region),
            "samples": _samples(ref),
            "accuracy": {} if part else accuracy(ref, moment),
            "units": _chosen(forward, chosen, output),
        },
    }


def _inside(path: str, within: str, chosen: str) -> bool:
    return path == chosen or (path.startswith(within) and "." not in path[len(within) :])


def _cards(forward: Seen, within: str, output: str) -> dict[str, Json]:
    cards = {
        path: maps(units[:FEW], len(units))
        for path, units in forward.units.items()
        if _inside(path, within, "")
    }
    if output in cards and forward.region is not None:
        cards[output] = _region(forward.region)
    return cards


def _chosen(forward: Seen, chosen: str, output: str) -> Json | None:
    if chosen not in forward.units or (chosen == output and forward.region is not None):
        return None
    units = forward.units[chosen]
    return {"path": chosen, **maps(units[:MANY], len(units))}


def maps(units: Tensor, count: int, zero: bool = True) -> Json:
    """Units (K, SIDE, SIDE) as bytes on one scale: 0 to 254 from low to high.

    zero: whether it has 0 in it, in its middle where values lie on both sides.
    """
    good = torch.isfinite(units)
    known = units[good]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    low, high = (min(0.0, low), max(0.0, high)) if zero else (low, high)
    ends = {"low": low, "high": high}
    if low < 0:
        high = max(-low, high)
        low = -high
    return {
        "kind": "units",
        "data": _bytes(units, low, high),
        "shape": list(units.shape),
        "of": count,
        "bad": not_finite(units),
        "low": low,
        "high": high,
        "ends": ends,
    }


def _bytes(values: Tensor, low: float, high: float) -> str:
    share = (values - low) / (high - low) if high > low else torch.zeros_like(values)
    levels = torch.where(torch.isfinite(values), (share * 254).round(), NO_NUMBER)
    return base64.b64encode(levels.to(torch.uint8).numpy().tobytes()).decode()


def _region(region: Region) -> Json:
    if region.numbers is not None:
        return {**maps(region.numbers[None], 1, zero=False), "kind": "surface"}
    assert region.classes is not None
    assert region.shares is not None
    encoded = base64.b64encode(region.classes.to(torch.uint8).numpy().tobytes()).decode()
    return {
        "kind": "classes",
        "data": encoded,
        "shape": [1, *region.classes.shape],
        "shares": _bytes(region.shares, 0.0, 1.0),
        "names": list(region.names),
    }


@lru_cache(maxsize=3)
def _samples(ref: NetworkRef) -> Json:
    """Places of the samples of both parts, (x, y) in the data's units, and their classes."""
    dataset = dataset_of(ref)
    learned, kept = (
        rows[:MOST_SAMPLES] for rows in (dataset.train_indices, dataset.validation_indices)
    )
    rows = torch.cat([learned, kept])
    places = samples_of(dataset)[rows].double()
    labels = dataset.labels
    return {
        "places": [[float(f"{v:.5g}") for v in pair] for pair in nested(places)],
        "kinds": [] if labels is None else ints(labels[rows]),
        "classes": list(dataset.classes),
        "validation": len(kept),
        "of": len(dataset.train_indices) + len(dataset.validation_indices),
    }
