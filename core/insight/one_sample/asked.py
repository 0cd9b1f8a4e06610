"""What the strip on the canvas asks of one sample. Plain JSON in and out; runs in a worker."""

from typing import Any

from torch import Tensor

from core.insight.load_model import NetworkRef, Opened
from core.insight.one_sample import answers
from core.insight.one_sample.chosen import Chosen, choose, dataset_of
from core.insight.one_sample.own import ways
from core.insight.one_sample.pictures import picture
from core.insight.one_sample.values import Forward, began, forward
from core.insight.remembered import opened

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
        "target": answers.target(ref, chosen),
        "prediction": answers.prediction(ref, chosen, ran.outputs),
        "output": network.report.outputs[answers.main_output(ref)][0],
        "blocks": _pictures(ref, network, chosen, ran, within),
        "began": began(ran.wires),
        "ways": dict(ways(dataset_of(ref))),
    }


def _pictures(
    ref: NetworkRef, network: Opened, chosen: Chosen, ran: Forward, within: str
) -> dict[str, Json]:
    """The first value of each node directly in the composite that is open, by its path."""
    kind = dataset_of(ref).info.kind
    ends = {name for name, _ in network.report.inputs}
    text = answers.words(ref, chosen)
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
