"""Calls of the canvas about one sample. Plain JSON in and out; runs in a worker."""

import json
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from torch import Tensor

from core.common.network_ref import Moment, NetworkRef
from core.data.batches.file_rows import row_of
from core.engine.objective import Objective
from core.insight.features import hook_lines_of
from core.insight.gradient_recorder import Autograd
from core.insight.load_model import OpenedNetwork, OpenedPart
from core.insight.network_cache import objective, opened
from core.insight.one_sample import answers
from core.insight.one_sample.custom_input import ways
from core.insight.one_sample.gradients import Backward, backward
from core.insight.one_sample.magnitudes import magnitudes as magnitudes_of
from core.insight.one_sample.magnitudes import of_step
from core.insight.one_sample.pictures import picture
from core.insight.one_sample.plane import offered
from core.insight.one_sample.plane_pictures import plane
from core.insight.one_sample.sample import Chosen, choose, dataset_of
from core.insight.one_sample.step_through import events
from core.insight.one_sample.tensor_facts import numpy_text, page_of, statistics
from core.insight.one_sample.values import Forward, began, forward
from core.insight.one_sample.wires import origin
from core.insight.over_time.weights import at
from core.settings.optimizers import optimizer_name

Json = dict[str, Any]


def look(ref: NetworkRef, sample: Json, within: str, moment: Moment | None = None) -> Json:
    """Run one sample and picture the values of the nodes that are shown.

    within: the path of the composite that is open, with its dot, "" for the whole network.
    sample: {"plane": block} asks for the plane of two columns, and more units of the block.
    moment: of which weights, as for all questions here.
    Raises NotReady for a drawing that does not run, DataError for what is no sample.
    """
    if "plane" in sample:
        return plane(ref, within, str(sample["plane"]), moment)
    network, chosen = at(ref, moment), choose(ref, sample)
    ran = forward(network, chosen.inputs)
    return {
        "part": chosen.part,
        "index": chosen.index,
        "count": chosen.count,
        **_answered(ref, network, chosen, ran),
        "blocks": _pictures(ref, network, chosen, ran, within),
        "began": began(ran.wires),
        "ways": {
            **ways(dataset_of(ref)),
            **_of_plane(ref),
            **row_of(dataset_of(ref), chosen.inputs),
        },
    }


def _of_plane(ref: NetworkRef) -> Json:
    return {"plane": True} if offered(dataset_of(ref)) else {}


def _answered(ref: NetworkRef, network: OpenedNetwork, chosen: Chosen, ran: Forward) -> Json:
    """Target and prediction; of a part of a drawing, where it ends."""
    if isinstance(network, OpenedPart):
        return {
            "target": "",
            "prediction": {"words": "", "scores": []},
            "output": "",
            "fault": network.fault,
        }
    return {
        "target": answers.target(ref, chosen),
        "prediction": answers.prediction(ref, chosen, ran.outputs),
        "output": network.report.outputs[answers.main_output(ref)][0],
        "fault": "",
    }


def probe(
    ref: NetworkRef, sample: Json, path: str, port: str, page: int, moment: Moment | None = None
) -> Json:
    """Facts and one page of numbers of a wire's value, and of the loss's derivative by it.

    "gradient" is None where there is none; "why" says so then. "hook" is how the value was caught,
    in a sentence and in lines that do the same, None for an Input. Raises ValueError for no such
    wire.
    """
    recorded = _both(ref, json.dumps(sample, sort_keys=True), moment)
    path, port = origin(opened(ref).project.graph, path, port)
    value = _on_wire(recorded, path, port)
    if not isinstance(value, Tensor):
        return {"number": value, "why": "An integer has no gradient."}
    gradient = recorded.gradients.get(path, {}).get(port)
    facts = recorded.autograd.get(path, {}).get(port)
    network = at(ref, moment)
    hook = hook_lines_of(network.module, network.report, path)
    return {
        "hook": asdict(hook) if hook else None,
        "value": _facts(value, page),
        "autograd": asdict(facts) if facts else None,
        "gradient": None if gradient is None else _facts(gradient, page),
        "why": _why(recorded, facts) if gradient is None else "",
        "loss": None if recorded.loss is None else recorded.loss.item(),
    }


def _facts(value: Tensor, page: int) -> Json:
    return {**statistics(value), "page": page_of(value, page)}


def numpy(
    ref: NetworkRef,
    sample: Json,
    path: str,
    port: str,
    gradient: bool,
    moment: Moment | None = None,
) -> Json:
    """A wire's value, or its gradient, as {"text"} that NumPy reads. Raises ValueError."""
    recorded = _both(ref, json.dumps(sample, sort_keys=True), moment)
    path, port = origin(opened(ref).project.graph, path, port)
    value = recorded.gradients[path][port] if gradient else _on_wire(recorded, path, port)
    if not isinstance(value, Tensor):
        return {"text": f"{value}\n"}
    name = f"{path}_{port}_gradient" if gradient else f"{path}_{port}"
    return {"text": numpy_text(name.replace(".", "_"), value)}


def magnitudes(ref: NetworkRef, sample: Json, moment: Moment | None = None) -> Json:
    """How large values and gradients are on every wire, as `magnitudes` of that module."""
    return magnitudes_of(ref, at(ref, moment), sample)


def step(ref: NetworkRef, sample: Json, moment: Moment | None = None) -> Json:
    """{"events": of one training step, as `step_through` tells them, "optimizer": its name,
    "graph": the autograd graph, as `autograd_graph` has it, "magnitudes": on every wire}."""
    recorded = _both(ref, json.dumps(sample, sort_keys=True), moment)
    losses = Objective([]) if recorded.loss is None else objective(ref)
    network = at(ref, moment)
    return {
        "events": events(network, recorded, losses),
        "optimizer": optimizer_name(opened(ref).project.training),
        "graph": asdict(recorded.graph),
        "magnitudes": of_step(network, recorded),
    }


@lru_cache(maxsize=2)
def _both(ref: NetworkRef, sample: str, moment: Moment | None) -> Backward:
    """Forward and backward of a sample, kept while its wires are looked at one by one."""
    chosen = choose(ref, json.loads(sample))
    network = at(ref, moment)
    losses = Objective([]) if isinstance(network, OpenedPart) else objective(ref)
    return backward(network, chosen.inputs, chosen.targets, losses)


def _on_wire(recorded: Backward, path: str, port: str) -> Any:
    ports = recorded.wires.get(path, {})
    if port not in ports:
        raise ValueError(f"This wire has no value: {path} did not run.")
    return ports[port]


def _why(recorded: Backward, facts: Autograd | None) -> str:
    if recorded.loss is None:
        return "There is no loss: your own sample has no target, or the drawing has an error."
    if facts is not None and not facts.requires_grad:
        return "requires_grad is False: there are no trainable weights before this wire."
    return "The loss does not depend on this wire."


def _pictures(
    ref: NetworkRef, network: OpenedNetwork, chosen: Chosen, ran: Forward, within: str
) -> dict[str, Json]:
    """The first value of each node directly in the composite that is open, by its path."""
    kind = dataset_of(ref).info.kind
    ends = {name for name, _ in network.report.inputs}
    text = "" if isinstance(network, OpenedPart) else answers.words(ref, chosen)
    shown: dict[str, Json] = {}
    for path in dict.fromkeys((*ran.wires, *network.report.nodes)):
        inside = path.startswith(within) and "." not in path[len(within) :]
        first = _first(network, ran, path) if inside else None
        if first is not None:
            end = path in ends
            words = text if end and _whole(first) else ""
            shown[path] = picture(first, words, end and kind == "image")
    return shown


def _first(network: OpenedNetwork, ran: Forward, path: str) -> Any:
    """The first value that leaves a node, or that an end of a composite passes on."""
    if path in ran.wires:
        return next(iter(ran.wires[path].values()), None)
    made, port = origin(network.project.graph, path, "")
    return ran.wires.get(made, {}).get(port)


def _whole(value: Any) -> bool:
    return isinstance(value, Tensor) and not value.is_floating_point()
