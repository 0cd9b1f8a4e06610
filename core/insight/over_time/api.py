"""Calls of the canvas about a run over time. Plain JSON in and out; runs in a worker."""

import base64
from pathlib import Path
from typing import Any

from core.common.network_ref import Moment, NetworkRef
from core.insight.network_cache import validation_rows
from core.insight.one_sample.plane import grid_of
from core.insight.one_sample.sample import choose
from core.insight.over_time.film import FORMATS, film_of
from core.insight.over_time.marks import marks
from core.insight.over_time.vitals import SAMPLES, vitals
from core.insight.over_time.weights import at, notes
from core.runs.verdict_facts import read_facts

Json = dict[str, Any]


def health(
    ref: NetworkRef, run: str, moment: Moment | None = None, noted: Moment | None = None
) -> Json:
    """{"marks", "vitals": by block, "samples": how many, "step": of the norms, None for none}.

    run: the folder of the run that the weights are of; "" offers no remedies. noted: where it noted
    what a step did to them.
    """
    network, recorded = at(ref, moment), notes(noted)
    inputs = [column[:SAMPLES] for column in validation_rows(ref)[0]]
    found = vitals(network, inputs, recorded.get("norms", {}))
    facts = read_facts(Path(run)) if run else None
    seen = marks(found, network.project.graph, facts)
    return {
        "marks": [mark.plain() for mark in seen],
        "vitals": {path: vital.plain() for path, vital in found.items()},
        "samples": len(inputs[0]),
        "step": recorded.get("step"),
    }


def film(
    ref: NetworkRef, sample: Json, blocks: list[str], kind: str, run: str, epochs: list[int]
) -> Json:
    """A film of blocks' outputs for a sample, epoch by epoch: {"data": base64, "type"}.

    Raises ValueError for a block that puts out nothing that is drawn.
    """
    inputs = grid_of(ref).inputs if "plane" in sample else choose(ref, sample).inputs
    moments = [Moment(Path(run), epoch) for epoch in epochs]
    data = film_of(ref, inputs, blocks, moments, kind)
    return {"data": base64.b64encode(data).decode(), "type": FORMATS[kind], "frames": len(moments)}
