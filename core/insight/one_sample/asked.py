"""What the strip on the canvas asks of one sample. Plain JSON in and out; runs in a worker."""

import json
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from torch import Tensor

from core.engine.objective import Objective
from core.insight.load_model import NetworkRef, Opened, OpenedPart
from core.insight.one_sample import answers
from core.insight.one_sample.chosen import Chosen, choose, dataset_of
from core.insight.one_sample.gradients import Autograd, Backward, backward
from core.insight.one_sample.own import ways
from core.insight.one_sample.pictures import picture
from core.insight.one_sample.step_through import events
from core.insight.one_sample.tensor_facts import numpy_text, page_of, statistics
from core.insight.one_sample.values import Forward, began, forward
from core.insight.remembered import objective, opened

Json = dict[str, Any]


def look(ref: NetworkRef, sample: Json, within: str) -> Json:
    """Run one sample and picture the values of the nodes that are shown.

    within: the path of the composite that is open, with its dot, "" for the whole network.
    Raises NotReady for a drawing that does not run, DataError for what is no sample.
    """
    network, chosen = opened(ref), choose(ref, sample)
    ran = forward(network, chosen.inputs)
    return {
        "part": chosen.part,
        "index": chosen.index,
        "count": chosen.count,
        **_answered(ref, network, chosen, ran),
        "blocks": _pictures(ref, network, chosen, ran, within),
        "began": began(ran.wires),
        "ways": dict(ways(dataset_of(ref))),
    }


def _answered(ref: NetworkRef, network: Opened, chosen: Chosen, ran: Forward) -> Json:
    """What is right and what the network says; of a part of a drawing, where it ends."""
    if isinstance(network, OpenedPart):
        return {"target": "", "prediction": {"words": "", "scores": []}, "output": "",
                "fault": network.fault}  # fmt: skip
    return {
        "target": answers.target(ref, chosen),
        "prediction": answers.prediction(ref, chosen, ran.outputs),
        "output": network.report.outputs[answers.main_output(ref)][0],
        "fault": "",
    }


def probe(ref: NetworkRef, sample: Json, path: str, port: str, page: int) -> Json:
    """Facts and one page of numbers of a wire's value, and of the loss's derivative by it.

    "gradient" is None where there is none; "why" says so then. Raises ValueError for no such wire.
    """
    told = _both(ref, json.dumps(sample, sort_keys=True))
    value = _on_wire(told, path, port)
    if not isinstance(value, Tensor):
        return {"number": value, "why": "A whole number has no gradient."}
    gradient = told.gradients.get(path, {}).get(port)
    facts = told.autograd.get(path, {}).get(port)
    return {
        "value": _facts(value, page),
        "autograd": asdict(facts) if facts else None,
        "gradient": None if gradient is None else _facts(gradient, page),
        "why": _why(told, facts) if gradient is None else "",
        "loss": None if told.loss is None else told.loss.item(),
    }


def _facts(value: Tensor, page: int) -> Json:
    return {**statistics(value), "page": page_of(value, page)}


def numpy(ref: NetworkRef, sample: Json, path: str, port: str, gradient: bool) -> Json:
    """A wire's value, or its gradient, as {"text"} that NumPy reads. Raises ValueError."""
    told = _both(ref, json.dumps(sample, sort_keys=True))
    value = told.gradients[path][port] if gradient else _on_wire(told, path, port)
    if not isinstance(value, Tensor):
        return {"text": f"{value}\n"}
    name = f"{path}_{port}_gradient" if gradient else f"{path}_{port}"
    return {"text": numpy_text(name.replace(".", "_"), value)}


def step(ref: NetworkRef, sample: Json) -> Json:
    """{"events": of one training step, "optimizer": its name}, as `step_through` tells them."""
    told = _both(ref, json.dumps(sample, sort_keys=True))
    losses = Objective([]) if told.loss is None else objective(ref)
    found = events(opened(ref), told, losses)
    return {"events": found, "optimizer": opened(ref).project.training.get("optimizer", "AdamW")}


@lru_cache(maxsize=2)
def _both(ref: NetworkRef, sample: str) -> Backward:
    """Forward and backward of a sample, kept while its wires are looked at one by one."""
    chosen = choose(ref, json.loads(sample))
    network = opened(ref)
    losses = Objective([]) if isinstance(network, OpenedPart) else objective(ref)
    return backward(network, chosen.inputs, chosen.targets, losses)


def _on_wire(told: Backward, path: str, port: str) -> Any:
    ports = told.wires.get(path, {})
    if port not in ports:
        raise ValueError(
            f"Nothing was seen on this wire: {path} is an end of its composite, or did not run. "
            "Probe the wire outside of the composite."
        )
    return ports[port]


def _why(told: Backward, facts: Autograd | None) -> str:
    if told.loss is None:
        return "There is no loss to derive: the sample is your own, or the drawing has an error."
    if facts is not None and not facts.requires_grad:
        return "requires_grad is False: nothing that learns lies before this wire."
    return "The loss does not depend on this wire."


def _pictures(
    ref: NetworkRef, network: Opened, chosen: Chosen, ran: Forward, within: str
) -> dict[str, Json]:
    """The first value of each node directly in the composite that is open, by its path."""
    kind = dataset_of(ref).info.kind
    ends = {name for name, _ in network.report.inputs}
    text = "" if isinstance(network, OpenedPart) else answers.words(ref, chosen)
    shown: dict[str, Json] = {}
    for path, ports in ran.wires.items():
        inside = path.startswith(within) and "." not in path[len(within) :]
        first = next(iter(ports.values()), None)
        if inside and first is not None:
            end = path in ends
            words = text if end and _whole(first) else ""
            shown[path] = picture(first, words, end and kind == "image")
    return shown


def _whole(value: Any) -> bool:
    return isinstance(value, Tensor) and not value.is_floating_point()
