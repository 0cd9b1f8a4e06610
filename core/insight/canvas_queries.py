"""Calls of the canvas between two edits: the result of a fix, times of blocks, a curve.

Every function takes plain JSON values and runs in a worker process.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import torch

from blocks import CATALOGUE, Signature
from blocks.validate import setting_problems
from core.analyse import analyse
from core.analyse.real_values import run_on
from core.analyse.report import NodeReport, signature_json
from core.graph.edits import apply
from core.insight.block_times_process import measured
from core.project import graph_from_json
from core.project.values import frozen
from core.tasks.tensor_values import floats

Json = dict[str, Any]
SPAN = 4.0
POINTS = 81
FEW = 12


def after(graph: Json, edits: list[Json]) -> Json:
    """Carry out the edits of a fix and say what is then: errors left, and outputs that changed.

    "changed" lists {"node", "before", "after"}, both by port as {"shape", "dtype", "value"?}; empty
    where the node had no outputs. Raises GraphError for edits that cannot be carried out.
    """
    old_graph = graph_from_json(graph)
    old, new = analyse(old_graph), analyse(apply(old_graph, edits))
    changed = [
        {"node": path, "before": before, "after": outputs}
        for path, node in new.nodes.items()
        if path.count(".") < 2
        and (outputs := _outputs(node))
        and outputs != (before := _outputs(old.nodes.get(path)))
    ]
    return {
        "errors": len(new.errors),
        "first": new.errors[0].message if new.errors else "",
        "changed": changed[:FEW],
        "more": max(len(changed) - FEW, 0),
    }


def _outputs(node: NodeReport | None) -> Json:
    """What leaves a node, by port, as annotations have it; empty where it is not known."""
    known = node is not None and node.state == "ok"
    outputs: Mapping[str, Signature] = node.outputs if node and known else {}
    return {port: signature_json(signature) for port, signature in outputs.items()}


def timed(graph: Json, name: str, batch: int) -> Json:
    """Measure every block of a drawing. Raises ValueError for one with errors."""
    return measured(graph, name, batch)


def curve(block: str, settings: Mapping[str, Any]) -> Json:
    """Run an activation on the numbers from -4 to 4, by the statements of the source.

    Raises ValueError for a block that gives no number for each number.
    """
    declared = CATALOGUE.get(block)
    chosen = {name: frozen(value) for name, value in settings.items()}
    if declared is None or len(declared.inputs) != 1 or setting_problems(declared, chosen):
        raise ValueError(f"{block} has no curve.")
    return _curve(block, tuple(sorted(chosen.items())))


@lru_cache(maxsize=256)
def _curve(block: str, settings: tuple[tuple[str, Any], ...]) -> Json:
    x = torch.linspace(-SPAN, SPAN, POINTS)
    try:
        tall, wide = (
            run_on(CATALOGUE[block], dict(settings), x.reshape(shape))
            for shape in ((POINTS, 1), (1, POINTS))
        )
    except RuntimeError as error:
        raise ValueError(f"{block} has no curve: it does not work element by element.") from error
    if tall.shape != (POINTS, 1) or not torch.equal(tall[:, 0], wide.reshape(-1)):
        raise ValueError(f"{block} has no curve: each output value depends on several inputs.")
    return {"x": _rounded(x), "y": _rounded(tall[:, 0])}


def _rounded(values: torch.Tensor) -> list[float]:
    return [round(v, 5) + 0.0 for v in floats(values)]
