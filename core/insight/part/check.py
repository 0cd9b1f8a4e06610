"""Comparison of a part with the same blocks in the whole network."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import torch
from torch import Tensor

from core.analyse.report import Report, size
from core.data import DataError
from core.graph.part import PartEnd
from core.insight.load_model import NotReady, OpenedNetwork
from core.insight.one_sample.values import Forward, forward
from core.insight.part.extract import ExtractedPart

CHECKED = 16
"""So many samples are compared."""


@dataclass(frozen=True)
class Compared:
    """How an Output of a part lies to the wire it was cut from, over some samples.

    wire: of the whole, as path and port. difference: the largest, None where one is no number.
    """

    output: str
    wire: str
    shape: tuple[int, ...]
    equal: bool
    difference: float | None


def entered(whole: OpenedNetwork, taken: ExtractedPart, ran: Forward) -> tuple[Tensor, ...]:
    """What the whole gives to each Input of a part. Raises NotReady where that is not seen."""
    return tuple(seen(whole, taken.within, end, ran) for end in taken.part.entries)


def seen(whole: OpenedNetwork, within: str, end: PartEnd, ran: Forward) -> Tensor:
    """The value on the wire that an end was cut from."""
    path, port = f"{within}{end.source}", end.port
    while path not in ran.wires and "." in path:
        path, port = _outside(whole, path)
    value = ran.wires.get(path, {}).get(port)
    if not isinstance(value, Tensor):
        raise NotReady(f"{path} has no value to compare.", f"Select {end.source}, too.")
    return value


def _outside(whole: OpenedNetwork, path: str) -> tuple[str, str]:
    """Where the Input of a composite has its value from: a wire outside, or the use before it."""
    outer, _, name = path.rpartition(".")
    base, _, number = outer.rpartition(".")
    if number.isdecimal() and int(number):
        before = f"{base}.{int(number) - 1}"
        return before, next(iter(whole.report.nodes[before].outputs))
    use = base if number.isdecimal() else outer
    around, _, use_id = use.rpartition(".")
    graph = _graph_around(whole, around)
    edge = next((e for e in graph if e[0] == use_id and e[1] == name), None)
    if edge is None:
        raise NotReady(f"Input {name} of {use} is not connected.", "Connect it first.")
    return f"{around}.{edge[2]}" if around else edge[2], edge[3]


def _graph_around(whole: OpenedNetwork, around: str) -> list[tuple[str, str, str, str]]:
    from core.insight.part.extract import inside

    graph = inside(whole.project.graph, whole.report, f"{around}." if around else "")
    return [(e.target, e.target_port, e.source, e.source_port) for e in graph.edges]


def compared(
    whole: OpenedNetwork, taken: ExtractedPart, samples: Sequence[Tensor]
) -> list[Compared]:
    """Run whole and part on samples, the part on what the whole gives it, and compare."""
    ran = forward(whole, samples)
    got = run(taken.opened, entered(whole, taken, ran))
    return [
        _beside(
            end,
            f"{taken.within}{end.source}.{end.port}",
            seen(whole, taken.within, end, ran),
            got.outputs[k],
        )
        for k, end in enumerate(taken.part.leaves)
    ]


def run(opened: OpenedNetwork, inputs: Sequence[Tensor]) -> Forward:
    """Run a part, on copies: blocks may change what they are given in place."""
    return forward(opened, [value.clone() for value in inputs])


def _beside(end: PartEnd, wire: str, there: Tensor, here: Tensor) -> Compared:
    there, here = there.detach(), here.detach()
    same = there.shape == here.shape and there.dtype == here.dtype
    equal = same and bool(torch.equal(there.nan_to_num(), here.nan_to_num()))
    lies = float((there.double() - here.double()).abs().max()) if same and there.numel() else None
    known = lies is not None and isfinite(lies)
    return Compared(end.id, wire, tuple(here.shape), equal, lies if known else None)


def samples_of(whole: OpenedNetwork, count: int = CHECKED) -> tuple[tuple[Tensor, ...], str]:
    """Validation samples, or random numbers where the data is not here; and which they are."""
    try:
        columns, _ = whole.dataset.all_validation()
    except DataError:
        return made(whole.report, count), "random numbers"
    return tuple(column[:count] for column in columns), "validation samples"


def made(report: Report, count: int, kind: str = "random") -> tuple[Tensor, ...]:
    """Inputs of a network without data. kind: "random" (normal; whole numbers: 0 or 1), "zeros",
    "ones"."""
    generator = torch.Generator().manual_seed(0)
    return tuple(
        _made(size(s, count), getattr(torch, s.dtype), kind, generator) for _, s in report.inputs
    )


def _made(shape: tuple[int, ...], dtype: torch.dtype, kind: str, by: torch.Generator) -> Tensor:
    if kind in ("zeros", "ones"):
        return torch.full(shape, float(kind == "ones")).to(dtype)
    if dtype.is_floating_point:
        return torch.randn(shape, generator=by).to(dtype)
    return torch.randint(2, shape, generator=by).to(dtype)
