"""Doors that are asked for one sample after another: the canvas, `layerloom look`."""

import base64
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from core.common.network_ref import RunRef
from core.data.batches.file_rows import row_of
from core.data.sources.paths import locate
from core.engine.load_module import load_module
from core.export.parity import DRAWS
from core.insight.look.catalogue import look
from core.insight.look.view import LookRequest
from core.insight.network_cache import objective_for, opened
from core.insight.one_sample.custom_input import own_inputs, ways
from core.insight.one_sample.sample import choose
from core.insight.one_sample.values import forward
from core.samples.inputs import MASKED
from core.tasks.metrics import as_tuple
from tests.crossing.own_texts import again
from tests.crossing.trained_run import FEW, Answers, Metric, Outputs, Refused, Stated, TrainedRun


def validated(run: TrainedRun) -> Answers:
    """The validation part measured again, as a run does it, with the weights that were kept."""
    module, dataset = load_module(run.run_dir, "best"), run.dataset
    objective = objective_for(run.project, dataset)
    inputs, columns = dataset.all_validation()
    targets = [column[:] for column in columns]
    count = len(dataset.validation_indices)
    torch.manual_seed(0)
    with torch.no_grad():
        outputs = as_tuple(module(*(column[:count] for column in inputs)))
        values = objective.values(outputs, targets)
    sums = objective.sums(outputs, targets)
    if objective.several:
        sums += [float(value) * count for value in values]
    loss = {"val_loss": float(objective.total(values))}
    metrics = {**loss, **objective.metrics("val", sums, count)}
    if run.random:
        raise Stated(DRAWS)
    return Answers([output[:FEW] for output in outputs], Metric(metrics[run.best_metric], 1e-5))


def looked(run: TrainedRun) -> Answers:
    """`layerloom look`, the outputs of the drawing."""
    ref = RunRef(run.run_dir)
    found = [
        [torch.from_numpy(look(ref, LookRequest("values", sample=i, block=name)).arrays[name])
         for i in range(run.count)]
        for name in run.subject.outputs
    ]  # fmt: skip
    return _fixed(run, [torch.stack(each) for each in found])


def on_canvas(run: TrainedRun) -> Answers:
    """Samples of the data on the canvas."""
    ref = RunRef(run.run_dir)
    rows = [forward(opened(ref), choose(ref, {"index": i}).inputs) for i in range(run.count)]
    return _fixed(run, list(map(torch.cat, zip(*(row.outputs for row in rows), strict=True))))


def own_sample(run: TrainedRun) -> Answers:
    """One's own row, picture file or text on the canvas."""
    found = [own_inputs(run.dataset, own) for own in _own(run)]
    inputs = list(map(torch.cat, zip(*found, strict=True)))
    torch.manual_seed(0)
    with torch.no_grad():
        return Answers(list(as_tuple(run.subject.module(*inputs))))


def _fixed(run: TrainedRun, outputs: Outputs) -> Answers:
    """The answers, unless each is another by chance."""
    if run.random:
        raise Stated(DRAWS)
    return Answers(outputs)


def _own(run: TrainedRun) -> Iterator[dict[str, Any]]:
    way = ways(run.dataset)
    match way["kind"]:
        case "table":
            for i in range(run.count):
                yield dict(row_of(run.dataset, [value[i : i + 1] for value in run.inputs]))
        case "image" if files := pictures(run):
            yield from ({"picture": base64.b64encode(file).decode()} for file in files)
        case "sound":
            yield from ({"sound": base64.b64encode(file).decode()} for file in pictures(run))
        case "series":
            yield from ({"row": row.flatten().tolist()} for row in _in_own_units(run))
        case "text" if len(run.interface["inputs"]) == 1:
            yield from ({"text": text} for text in texts(run))
        case "":
            raise Refused(way["why"])
        case kind:
            raise Refused(f"No {kind} of this data is a file or a text that can be given again.")


def _in_own_units(run: TrainedRun) -> Tensor:
    """The validation samples as they were before they were standardised."""
    (values,), mean, std = run.inputs, run.dataset.mean, run.dataset.std
    if mean is None or std is None:
        return values
    one = values.shape[1:]
    read = one.numel()  # a series that goes on has moments of what is predicted, too
    return values * std.flatten()[:read].view(one) + mean.flatten()[:read].view(one)


def pictures(run: TrainedRun) -> list[bytes]:
    """The files of the validation samples as they stand; [] of data that has none."""
    if run.project.data["source"] not in ("ImageFolder", "MaskFolder", "SoundFolder"):
        return []
    root = locate(run.project.data["root"], "root")
    kinds = sorted(path for path in root.iterdir() if path.is_dir() and path.name != "masks")
    every = [file for kind in kinds for file in sorted(kind.iterdir())]
    return [every[row].read_bytes() for row in run.dataset.validation_indices[:FEW].tolist()]


def texts(run: TrainedRun) -> list[str]:
    """The validation samples as text: as its file has it, or without what fills it up."""
    (spec,) = run.interface["inputs"]
    if "vocabulary" in spec:
        return again(run.project.data, run.dataset.validation_indices[:FEW].tolist())
    letters = spec["alphabet"] + (MASKED if "mark" in spec else "")
    rows = [["" if letters[t] == "\0" else letters[t] for t in row] for row in _tokens(run)]
    return ["".join(row) for row in rows]


def _tokens(run: TrainedRun) -> list[list[int]]:
    return run.inputs[0].flatten(1).tolist()
