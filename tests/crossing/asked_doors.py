"""Doors that are asked for one sample after another: servers, the canvas, `layerloom look`."""

import base64
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from app.serving.served import served
from core.data.paths import locate
from core.engine.load_module import load_module
from core.export.parity import DRAWS
from core.export.server.folder import RANDOM_ANSWER
from core.insight.look.catalogue import look
from core.insight.look.view import LookRequest
from core.insight.network_cache import objective_for, opened
from core.insight.one_sample.custom_input import own_inputs, row_of, ways
from core.insight.one_sample.sample import choose
from core.insight.one_sample.values import forward
from core.network_ref import RunRef
from core.samples.inputs import MASKED, read
from core.samples.outputs import answers
from core.serve.batching import runner
from core.tasks.metrics import as_tuple
from tests.app.serving.conftest import asking
from tests.crossing.trained_run import FEW, Answers, Metric, Outputs, Refused, Stated, TrainedRun

Bodies = list[tuple[str, bytes]]
JSON = "application/json"
ASK = """
import base64, json, sys
sys.path.insert(0, "")
from starlette.testclient import TestClient
from serve import application
with TestClient(application("localhost"), base_url="http://localhost") as client:
    for line in sys.stdin:
        media, body = json.loads(line)
        answer = client.post("/predict", content=base64.b64decode(body),
                             headers={"content-type": media})
        print(json.dumps([answer.status_code, answer.json()]))
"""
"""Asks the server of a folder, in a process of its own that imports nothing of ours."""


def validated(run: TrainedRun) -> Answers:
    """The validation part measured again, as a run does it, with the weights that were kept."""
    module, dataset = load_module(run.run_dir, "best"), run.dataset
    objective = objective_for(run.project, dataset)
    inputs, targets = dataset.all_validation()
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
        case "image" if files := _pictures(run):
            yield from ({"picture": base64.b64encode(file).decode()} for file in files)
        case "text" if len(run.interface["inputs"]) == 1:
            yield from ({"text": text} for text in _texts(run))
        case "":
            raise Refused(way["why"])
        case kind:
            raise Refused(f"No {kind} of this data is a file or a text that can be given again.")


def _pictures(run: TrainedRun) -> list[bytes]:
    """The files of the validation samples, as they stand; [] of data that has none."""
    if run.project.data["source"] != "ImageFolder":
        return []
    root = locate(run.project.data["root"], "root")
    kinds = sorted(path for path in root.iterdir() if path.is_dir())
    every = [file for kind in kinds for file in sorted(kind.iterdir())]
    return [every[row].read_bytes() for row in run.dataset.validation_indices[:FEW].tolist()]


def _texts(run: TrainedRun) -> list[str]:
    """The validation samples as text, without what fills it up."""
    (spec,) = run.interface["inputs"]
    letters = spec["alphabet"] + (MASKED if "mark" in spec else "")
    rows = [["" if letters[t] == "\0" else letters[t] for t in row] for row in _tokens(run)]
    return ["".join(row) for row in rows]


def _tokens(run: TrainedRun) -> list[list[int]]:
    return run.inputs[0].flatten(1).tolist()


def bodies(run: TrainedRun) -> Bodies:
    """The validation samples as people send them: files and lines as they stand."""
    inputs, source = run.interface["inputs"], run.project.data["source"]
    if len(inputs) == 1 and source == "CSV":
        return [("text/csv", _lines(run))]
    if len(inputs) == 1 and source == "ImageFolder":
        return [("image/png", file) for file in _pictures(run)]
    if len(inputs) == 1 and inputs[0]["kind"] == "text":
        return [("text/plain", text.encode()) for text in _texts(run)]
    names = [spec["name"] for spec in inputs]
    values = [_unprepared(spec, x) for spec, x in zip(inputs, run.inputs, strict=True)]
    rows = [{n: v[i].tolist() for n, v in zip(names, values, strict=True)} for i in range(FEW)]
    return [(JSON, json.dumps({"samples": rows[: run.count]}).encode())]


def _lines(run: TrainedRun) -> bytes:
    """The header of the user's file and the lines of the validation samples."""
    lines = locate(run.project.data["file"], "file").read_bytes().splitlines(keepends=True)
    rows = run.dataset.validation_indices[:FEW].tolist()
    return b"".join([lines[0], *(lines[1 + row] for row in rows)])


def _unprepared(spec: dict[str, Any], values: Tensor) -> Tensor:
    """Numbers of the data's own, before they are standardised."""
    if spec.get("resize"):
        raise Refused("Pictures of this data are resized, and they are no files.")
    values = values.reshape(len(values), *spec.get("read", spec["shape"]))
    if not spec.get("mean"):
        return values
    across = (-1, *[1] * (values.dim() - 2))
    mean, std = (torch.tensor(spec[name]).view(across) for name in ("mean", "std"))
    return values * std + mean


def predictions(run: TrainedRun) -> Outputs:
    """What a server is to answer: names, probabilities, numbers in the target's own unit."""
    texts = [spec for spec in run.interface["inputs"] if spec["kind"] == "text"]
    lengths = [len(text) for text in _texts(run)] if len(texts) == 1 else [0] * run.count
    return _flat(answers(run.interface, run.inputs, lengths, run.expected))


def _flat(predicted: list[dict[str, Any]]) -> Outputs:
    """Predictions as numbers, one tensor each; words by their characters."""
    return [torch.tensor(list(_numbers(each)), dtype=torch.float64) for each in predicted]


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        yield from (n for each in value.values() for n in _numbers(each))
    elif isinstance(value, list):
        yield from (n for each in value for n in _numbers(each))
    elif isinstance(value, str):
        yield from map(ord, value)
    else:
        yield float("nan") if value is None else float(value)


def serve_prepared(run: TrainedRun) -> Answers:
    """A request with prepared samples."""
    interface = run.interface
    names = [spec["name"] for spec in interface["inputs"]]
    rows = [
        {n: v[i].tolist() for n, v in zip(names, run.inputs, strict=True)} for i in range(run.count)
    ]
    body = json.dumps({"samples": rows, "prepared": True}).encode()
    request = read(interface, JSON, body, FEW)
    found = runner(run.subject.module, interface)(request.columns, request.count)
    if run.random:
        raise Stated(RANDOM_ANSWER)
    return Answers(found)


def serve(run: TrainedRun) -> Answers:
    """`layerloom serve`, asked over HTTP."""
    with asking(served(run.run_dir)) as client:

        def ask(media: str, body: bytes) -> tuple[int, Any]:
            answer = client.post("/predict", content=body, headers={"content-type": media})
            return answer.status_code, answer.json()

        return _asked(run, ask)


def server_folder(run: TrainedRun) -> Answers:
    """The exported folder, in a process of its own."""
    with zipfile.ZipFile(run.exported("server")) as archive:
        archive.extractall(run.workspace / "server")
    (folder,) = (run.workspace / "server").iterdir()
    asked = [json.dumps([m, base64.b64encode(b).decode()]) for m, b in bodies(run)]
    told = _told(folder, "\n".join(asked))
    return _asked(run, lambda *_: next(told))


def _told(folder: Path, asked: str) -> Iterator[tuple[int, Any]]:
    done = subprocess.run(
        [sys.executable, "-c", ASK], cwd=folder, input=asked, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return map(json.loads, done.stdout.splitlines())


def _asked(run: TrainedRun, ask: Callable[[str, bytes], tuple[int, Any]]) -> Answers:
    found = list[dict[str, Any]]()
    for media, body in bodies(run):
        status, answer = ask(media, body)
        if status != 200:
            raise Refused(answer["error"]["message"])
        found += answer["predictions"]
    if run.random:
        raise Stated(RANDOM_ANSWER)
    return Answers(_flat(found))
