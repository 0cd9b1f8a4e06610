"""Doors that are files: what is written for other programs, and what loads it again."""

import base64
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from core.analyse import build
from core.engine.load_module import load_module
from core.export.parity import DRAWS
from core.samples.inputs import read
from tests.crossing.trained_run import Answers, Stated, TrainedRun


def safetensors(run: TrainedRun) -> Answers:
    from safetensors.torch import load_file

    return run.of_state(load_file(run.exported("safetensors")))


def source(run: TrainedRun) -> Answers:
    module: nn.Module = build(run.exported("python").read_text("utf-8"), run.subject.class_name)
    module.load_state_dict(load_module(run.run_dir, "best").state_dict())
    return Answers(run.outputs_of(module.eval()))


def torchscript(name: str) -> Callable[[TrainedRun], Answers]:
    return lambda run: Answers(run.outputs_of(torch.jit.load(run.exported(name))))


def pt2(run: TrainedRun) -> Answers:
    return Answers(run.outputs_of(torch.export.load(run.exported("pt2")).module()))


def fed(model: Path | bytes, inputs: tuple[Tensor, ...]) -> list[Tensor]:
    """What ONNX Runtime gives for tensors."""
    import onnxruntime

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    given = {i.name: v.numpy() for i, v in zip(session.get_inputs(), inputs, strict=False)}
    return [torch.from_numpy(value) for value in session.run(None, given)]


def onnx(run: TrainedRun) -> Answers:
    file = run.exported("onnx")
    if run.random:
        raise Stated(DRAWS)
    return Answers(fed(file, run.inputs))


def web(run: TrainedRun) -> Answers:
    """The network and the description in the page, without a browser; its own samples, too."""
    text = run.exported("web").read_text("utf-8")
    packed = re.search(r'id="model">([^<]*)<', text)
    facts = re.search(r'id="facts">([^<]*)<', text)
    assert packed
    assert facts
    known = json.loads(facts[1])
    rows = [
        {spec["name"]: value[i].tolist() for spec, value in _given(known, run)}
        for i in range(run.count)
    ]
    body = json.dumps({"samples": rows, "prepared": True}).encode()
    columns = read(known["interface"], "application/json", body, run.count).columns
    model = gzip.decompress(base64.b64decode(packed[1]))
    return Answers(fed(model, tuple(column for column in columns if column is not None)))


def _given(known: dict[str, Any], run: TrainedRun) -> list[tuple[dict[str, Any], Tensor]]:
    return list(zip(known["interface"]["inputs"], run.inputs, strict=True))
