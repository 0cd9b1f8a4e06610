"""Doors of the crossing by which a network is served; `layerloom serve` with its defaults."""

import base64
import csv
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from app.wings.serve.served import served
from core.data.sources.paths import locate
from core.samples.inputs import read
from core.samples.outputs import answers
from core.wings.serve.batching import runner
from core.wings.serve.server.folder import RANDOM_ANSWER
from tests.crossing.asked_doors import pictures, texts
from tests.crossing.door import ROUNDED, Door
from tests.crossing.trained_run import FEW, Answers, Outputs, Refused, Stated, TrainedRun
from tests.wings.serve.app.conftest import asking

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


def bodies(run: TrainedRun) -> Bodies:
    """The validation samples as people send them: files and lines as they stand."""
    inputs, source = run.interface["inputs"], run.project.data["source"]
    if len(inputs) == 1 and source == "CSV":
        return [("text/csv", _lines(run))]
    if source in ("TextCSV", "TextFolder"):
        return [("text/csv", _table(inputs[0]["columns"][0], texts(run)))]
    if len(inputs) == 1 and source in ("ImageFolder", "MaskFolder"):
        return [("image/png", file) for file in pictures(run)]
    if source == "SoundFolder":
        return [("audio/wav", file) for file in pictures(run)]
    if len(inputs) == 1 and inputs[0]["kind"] == "text":
        return [("text/plain", text.encode()) for text in texts(run)]
    names = [spec["name"] for spec in inputs]
    values = [_unprepared(spec, x) for spec, x in zip(inputs, run.inputs, strict=True)]
    rows = [{n: v[i].tolist() for n, v in zip(names, values, strict=True)} for i in range(FEW)]
    return [(JSON, json.dumps({"samples": rows[: run.count]}).encode())]


def _lines(run: TrainedRun) -> bytes:
    """The header of the user's file and the lines of the validation samples."""
    lines = locate(run.project.data["file"], "file").read_bytes().splitlines(keepends=True)
    rows = run.dataset.validation_indices[:FEW].tolist()
    return b"".join([lines[0], *(lines[1 + row] for row in rows)])


def _table(column: str, values: list[str]) -> bytes:
    """A table of one column, as spreadsheets save it."""
    out = io.StringIO(newline="")
    csv.writer(out).writerows([[column], *([value] for value in values)])
    return out.getvalue().encode("utf-8-sig")


def _unprepared(spec: dict[str, Any], values: Tensor) -> Tensor:
    """Numbers of the data's own, before they are standardised."""
    if spec.get("resize"):
        raise Refused("Pictures of this data are resized, and they are no files.")
    values = values.reshape(len(values), *spec.get("read", spec["shape"]))
    if not spec.get("mean"):
        return values
    across = values.shape[1:] if spec["kind"] == "window" else (-1, *[1] * (values.dim() - 2))
    mean, std = (torch.tensor(spec[name]).view(across) for name in ("mean", "std"))
    return values * std + mean


def predictions(run: TrainedRun) -> Outputs:
    """What a server is to answer: names, probabilities, numbers in the target's own unit."""
    spoken = [spec for spec in run.interface["inputs"] if spec["kind"] == "text"]
    lengths = [len(text) for text in texts(run)] if len(spoken) == 1 else [0] * run.count
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
    usual = {k: v for k, v in os.environ.items() if k != "PYTHONSAFEPATH"}  # as a shell has it
    done = subprocess.run(
        [sys.executable, "-c", ASK], cwd=folder, input=asked, capture_output=True, text=True,
        check=False, env=usual,
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


def started(run: TrainedRun) -> None:
    """The page and the description are there."""
    with asking(served(run.run_dir)) as client:
        assert client.get("/").status_code == 200
        assert client.get("/openapi.json").status_code == 200


DOORS = {
    "serve, prepared": Door(serve_prepared, ROUNDED),
    "serve, files": Door(serve, ROUNDED, predictions),
    "server folder, files": Door(server_folder, ROUNDED, predictions, 6),
}
STARTS = {"serve": started}
