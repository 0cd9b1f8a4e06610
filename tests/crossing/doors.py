"""Doors through which a trained network answers. A new door: one function `answers` and its row.

`answers(run)` gives the outputs for the validation samples of the run, in the order of the Outputs.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from core.analyse import analyse_project, build
from core.bundle import BundleSelection, write_bundle
from core.engine.load_module import load_module, load_network
from core.export.formats import FORMATS
from core.export.interface import interface_of
from core.export.run import export_subject
from core.export.subject import Subject, subject_of
from core.insight.one_sample.custom_input import own_inputs, row_of, ways
from core.prepare.branch import branch
from core.prepare.create import prepare
from core.project import Project, save_project
from core.runs.files import write_json
from core.serve.batching import runner
from core.serve.inputs import read
from core.tasks.metrics import as_tuple
from core.worker import together
from tests.core.bundle.shared import opened
from tests.core.small_runs import train_here

FEW = 6
Outputs = list[Tensor]


class Refused(Exception):
    """A door that does not take such a project, with the sentence that says why."""


@dataclass(frozen=True)
class TrainedRun:
    """A trained project. folder: of this run's doors."""

    project: Project
    run_dir: Path
    workspace: Path

    @cached_property
    def subject(self) -> Subject:
        return subject_of(self.run_dir)

    @cached_property
    def inputs(self) -> tuple[Tensor, ...]:
        assert self.subject.opened is not None
        return tuple(x[:FEW] for x in self.subject.opened.dataset.all_validation()[0])

    @cached_property
    def expected(self) -> Outputs:
        return self.outputs_of(load_module(self.run_dir, "best"))

    def outputs_of(self, module: Callable[..., Any]) -> Outputs:
        """What a module gives for the validation samples."""
        torch.manual_seed(0)
        with torch.no_grad():
            return list(as_tuple(module(*(value.clone() for value in self.inputs))))

    def of_state(self, state: Mapping[str, Tensor]) -> Outputs:
        """What the network gives with these weights."""
        module = load_network(self.run_dir).module().eval()
        module.load_state_dict(state)
        return self.outputs_of(module)

    def exported(self, name: str) -> Path:
        """A file of a format."""
        folder = self.workspace / "out"
        folder.mkdir(exist_ok=True)
        return export_subject(self.subject, name, folder / f"net{FORMATS[name].ending}").path


@dataclass(frozen=True)
class Door:
    """answers: of a run. tolerance: how far outputs may differ, as a share of the largest."""

    answers: Callable[[TrainedRun], Outputs]
    tolerance: float = 0.0


def _script(run: TrainedRun) -> Outputs:
    from tests.core.script.alone import run_alone

    folder = run.workspace / "script"
    folder.mkdir()
    if (run.workspace / "data").exists():
        (folder / "data").symlink_to(run.workspace / "data")
    run_alone((run.run_dir / "script.py").read_text("utf-8"), folder)
    return run.of_state(torch.load(folder / "model.pt", weights_only=True))


def _notebook(run: TrainedRun) -> Outputs:
    from tests.core.script.test_notebook import run_cells

    text, before = run.exported("notebook").read_text("utf-8"), Path.cwd()
    os.chdir(run.workspace)
    try:
        names, _ = run_cells(text)
    finally:
        os.chdir(before)
    return run.of_state(names["model"].state_dict())


def _again(run: TrainedRun, name: str, **settings: Any) -> Path:
    report = analyse_project(run.project)
    return prepare(run.project, report, run.workspace / name, settings)


def _resumed(run: TrainedRun) -> Outputs:
    """Stopped before its second step, then resumed."""
    again = _again(run, "resumed")
    write_json(again / "control.json", {"want": "stop", "seq": 1})
    train_here(again)
    write_json(again / "control.json", {"want": "run", "seq": 2})
    train_here(again)
    return run.of_state(load_module(again, "best").state_dict())


def _branched(run: TrainedRun) -> Outputs:
    first = _again(run, "branched", keep_best=2, checkpoint_every_s=0.0)
    train_here(first)
    other = branch(first, "epoch-000001")
    train_here(other)
    return run.of_state(load_module(other, "best").state_dict())


def _together(run: TrainedRun) -> Outputs:
    """The first trial of a sweep, whose steps are timed, beside one with another rate."""
    rate = float(run.project.training.get("lr", 0.001))
    trials = [_again(run, "together", lr=lr) for lr in (rate, rate / 2)]
    together.main("auto", trials)
    return run.of_state(load_module(trials[0], "best").state_dict())


def _bundle(run: TrainedRun) -> Outputs:
    file = run.workspace / "crossed.loom.json"
    save_project(run.project, file)
    chosen = BundleSelection(run.project, run.run_dir.parent, file, (run.run_dir.name,), True)
    written = write_bundle(chosen, run.workspace / "crossed.loom.zip")
    place = opened(written.path, run.workspace / "elsewhere")
    (name,) = place.runs.values()
    brought = run.workspace / "elsewhere/runs" / name
    return run.of_state(load_module(brought, "best").state_dict())


def _safetensors(run: TrainedRun) -> Outputs:
    from safetensors.torch import load_file

    return run.of_state(load_file(run.exported("safetensors")))


def _source(run: TrainedRun) -> Outputs:
    module: nn.Module = build(run.exported("python").read_text("utf-8"), run.subject.class_name)
    module.load_state_dict(load_module(run.run_dir, "best").state_dict())
    return run.outputs_of(module.eval())


def _torchscript(name: str) -> Callable[[TrainedRun], Outputs]:
    return lambda run: run.outputs_of(torch.jit.load(run.exported(name)))


def _onnx(run: TrainedRun) -> Outputs:
    import onnxruntime

    file = run.exported("onnx")
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    fed = {i.name: v.numpy() for i, v in zip(session.get_inputs(), run.inputs, strict=False)}
    return [torch.from_numpy(value) for value in session.run(None, fed)]


def _pt2(run: TrainedRun) -> Outputs:
    return run.outputs_of(torch.export.load(run.exported("pt2")).module())


def _serve(run: TrainedRun) -> Outputs:
    """A request with prepared samples."""
    interface = interface_of(run.subject).json()
    names = [spec["name"] for spec in interface["inputs"]]
    rows = [{n: v[i].tolist() for n, v in zip(names, run.inputs, strict=True)} for i in range(FEW)]
    body = json.dumps({"samples": rows, "prepared": True}).encode()
    request = read(interface, "application/json", body, FEW)
    return runner(run.subject.module, interface)(request.columns, request.count)


def _own_sample(run: TrainedRun) -> Outputs:
    """Rows typed into the canvas, one by one, as it shows them."""
    assert run.subject.opened is not None
    dataset = run.subject.opened.dataset
    if (way := ways(dataset))["kind"] != "table":
        raise Refused(way.get("why", "Only rows are written back as they are shown."))
    found = list[tuple[Tensor, ...]]()
    for i in range(FEW):
        shown = row_of(dataset, [value[i : i + 1] for value in run.inputs])
        found.append(own_inputs(dataset, shown))
    return list(as_tuple(run.subject.module(*map(torch.cat, zip(*found, strict=True)))))


EXACT, ROUNDED = 0.0, 1e-4
DOORS: Mapping[str, Door] = {
    "script": Door(_script),
    "notebook": Door(_notebook),
    "resume": Door(_resumed),
    "branch": Door(_branched),
    "sweep, together": Door(_together),
    "bundle": Door(_bundle),
    "safetensors": Door(_safetensors),
    "source": Door(_source),
    "torchscript-script": Door(_torchscript("torchscript-script"), ROUNDED),
    "torchscript-trace": Door(_torchscript("torchscript-trace"), ROUNDED),
    "torch.export": Door(_pt2, ROUNDED),
    "ONNX": Door(_onnx, ROUNDED),
    "serve, prepared": Door(_serve, ROUNDED),
    "V, own row": Door(_own_sample, 1e-3),
}
