"""Calls of the canvas about the selected blocks. Plain JSON in and out; runs in a worker."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from blocks import has
from core.analyse.report import signature_json
from core.common.device import CPU
from core.common.network_ref import Moment, NetworkRef
from core.insight.block_times import measured, summed
from core.insight.load_model import NotReady, OpenedNetwork
from core.insight.one_sample.pictures import picture
from core.insight.one_sample.sample import choose
from core.insight.one_sample.tensor_facts import statistics
from core.insight.one_sample.values import Forward, forward
from core.insight.over_time.weights import at
from core.insight.part.check import Compared, compared, entered, made, run, samples_of, seen
from core.insight.part.extract import ExtractedPart, keep_weights, take
from core.project import write_text

Json = dict[str, Any]
FEEDS = ("sample", "random", "zeros", "ones")
"""What the Inputs of a part receive: what the whole gives them of a sample, or made numbers."""
BUDGET_S = 0.5


def calculate(
    ref: NetworkRef,
    sample: Json,
    within: str,
    blocks: Sequence[str],
    feed: str,
    moment: Moment | None,
) -> Json:
    """Run the selected blocks by themselves: shape, value, time of each.

    feed: of FEEDS. "equal": whether all that leaves is what the whole network has there; None for
    made numbers. Raises NotReady for no part, DataError for no sample.
    """
    if feed not in FEEDS:
        raise NotReady(f"There is no input {feed!r}.", f"Choose one of {', '.join(FEEDS)}.")
    whole = at(ref, moment)
    taken = _taken(whole, tuple(blocks), within)
    whole_ran = forward(whole, choose(ref, sample).inputs) if feed == "sample" else None
    report = taken.opened.report
    inputs = entered(whole, taken, whole_ran) if whole_ran else made(report, 1, feed)
    ran = run(taken.opened, inputs)
    times = _milliseconds(taken, inputs)
    return {
        "name": taken.opened.project.name,
        "feed": feed,
        "entries": [{"node": name, **signature_json(s)} for name, s in report.inputs],
        "leaves": [{"node": name, **signature_json(s)} for name, s in report.outputs],
        "blocks": [_block(taken, path, ran, times) for path in _shown(taken)],
        "params": report.total_params,
        "mult_adds": report.mult_adds,
        "ms": sum(times.get(path, 0.0) for path in _shown(taken)),
        "equal": None if whole_ran is None else _equal(whole, taken, whole_ran, ran),
        "along": sorted(set(_shown(taken)) - set(blocks)),
    }


def _shown(taken: ExtractedPart) -> list[str]:
    """The ids of the blocks of a part, in file order, without its ends."""
    return [name for name, node in taken.part.graph.nodes.items() if not has(node.block, "end")]


def _block(taken: ExtractedPart, path: str, ran: Forward, times: Json) -> Json:
    node, ports = taken.opened.report.nodes[path], ran.wires.get(path, {})
    value = next(iter(ports.values()), None)
    known = isinstance(value, Tensor)
    facts = statistics(value) if known else {}
    return {
        "node": path,
        "block": node.block,
        "params": node.params,
        "ms": times.get(path),
        "shape": list(value.shape) if known else [],
        "dtype": str(value.dtype).removeprefix("torch.") if known else "size",
        "picture": picture(value) if value is not None else None,
        **{key: facts.get(key) for key in ("min", "mean", "max", "std")},
    }


def _milliseconds(taken: ExtractedPart, inputs: Sequence[Tensor]) -> dict[str, float]:
    """The fastest of some rounds, block by block."""
    opened, given = taken.opened, [value.clone() for value in inputs]
    with torch.no_grad():
        rounds = measured(opened.module, given, opened.report, CPU, BUDGET_S)
    fastest = {path: min(r.get(path, 0.0) for r in rounds) for path in rounds[0]}
    return {path: round(1000 * s, 4) for path, s in summed(opened.report, fastest).items()}


def _equal(whole: OpenedNetwork, taken: ExtractedPart, there: Forward, here: Forward) -> bool:
    ends = enumerate(taken.part.leaves)
    return all(
        torch.equal(
            seen(whole, taken.within, end, there).nan_to_num(), here.outputs[k].nan_to_num()
        )
        for k, end in ends
    )


def keep(
    ref: NetworkRef, within: str, blocks: Sequence[str], moment: Moment | None, weights: str
) -> Json:
    """Write the weights of a part to a file, and give its project, as text, with the check of it.

    Raises NotReady, also where its values are not those of the whole; OSError.
    """
    whole = at(ref, moment)
    taken = take(whole, blocks, within)
    found, of = check(whole, taken)
    keep_weights(taken, Path(weights))
    return {"project": write_text(taken.opened.project), "checked": len(found), "samples": of}


def check(whole: OpenedNetwork, taken: ExtractedPart) -> tuple[list[Compared], str]:
    """Compare a part with the whole on samples; and say on which. Raises NotReady where it differs.

    A network that draws random numbers when it is used gives others in another place.
    """
    samples, of = samples_of(whole)
    comparisons = compared(whole, taken, samples)
    if other := next((each for each in comparisons if not each.equal), None):
        lies = "" if other.difference is None else f" by {other.difference:.1e}"
        raise NotReady(
            f"{other.output} differs from {other.wire} of the whole network{lies}.",
            "A network that draws random numbers in evaluation mode cannot be cut there.",
        )
    return comparisons, of


def compared_json(comparisons: Sequence[Compared]) -> list[Json]:
    """What was compared, as `layerloom slice --json` prints it."""
    return [asdict(each) for each in comparisons]


@lru_cache(maxsize=4)
def _taken(whole: OpenedNetwork, blocks: tuple[str, ...], within: str) -> ExtractedPart:
    return take(whole, blocks, within)
