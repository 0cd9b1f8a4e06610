"""Doors that are files: what is written for other programs, and what loads it again."""

import base64
import gzip
import json
import re
import subprocess
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from shutil import which
from tempfile import mkdtemp
from typing import Any

import torch
from torch import Tensor, nn

from core.analyse import build
from core.engine.load_module import load_module
from core.export import aoti
from core.export.cpp.project import values_text
from core.export.parity import DRAWS
from core.samples.inputs import read
from tests.crossing.trained_run import Answers, Refused, Stated, TrainedRun


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


def aotinductor(run: TrainedRun) -> Answers:
    return Answers(run.outputs_of(aoti.load(run.exported("aoti").read_bytes())))


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


@cache
def _built() -> Path:
    """Where the program of the C++ project is, which is the same for every network."""
    return Path(mkdtemp(), "build")


def _program(project: Path) -> Path:
    """The program, built from the first project that asks."""
    folder = _built()
    options = [f"-DTORCH_ROOT={Path(torch.__file__).parent}", "-DCMAKE_BUILD_TYPE=Debug"]
    making = ["-S", project, "-B", folder, *options, "-DCMAKE_CXX_FLAGS_DEBUG=-O0"]
    for words in (making, ["--build", folder]):
        if not (folder / "network").exists():
            done = subprocess.run(["cmake", *words], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
    return folder / "network"


def cpp(run: TrainedRun) -> Answers:
    """The program, on the samples of the run, with the outputs of the run to compare with."""
    if which("g++") is None or which("cmake") is None:
        raise Refused("There is no C++ compiler with CMake here.")
    folder = run.workspace / "cpp"
    with zipfile.ZipFile(run.exported("cpp")) as archive:
        archive.extractall(folder)
    (project,) = folder.iterdir()
    text = values_text(run.subject, run.inputs, run.expected)
    (project / "sample.txt").write_text(text, "utf-8")
    done = subprocess.run([_program(project), project], capture_output=True, text=True, check=False)
    if done.returncode == 0 and "equal" in done.stdout:
        return Answers(run.expected)
    raise AssertionError(done.stdout + done.stderr)
