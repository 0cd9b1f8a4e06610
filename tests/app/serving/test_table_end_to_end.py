"""A dropped CSV with dates: a network is made, trained, served and exported; its lines are sent."""

import json
import os
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from app.services import documents, first_network
from core.data.metadata import read_own
from core.export.run import export_subject
from core.export.subject import subject_of
from core.project.save import save_project
from core.project.values import frozen

HEADER = "joined,income,buys"
INCOMES = [i * 37 % 100 for i in range(60)]
LINES = [
    f"2023-{i % 12 + 1:02}-{i % 28 + 1:02},{income},{'yes' if income > 50 else 'no'}"
    for i, income in enumerate(INCOMES)
]
WITH_ID = [f"{i},{line}" for i, line in enumerate(LINES)]
BODIES = {
    "with its header": "\n".join([HEADER, *LINES]),
    "without a header": "\n".join(LINES),
    "with a mark and semicolons": "\ufeff" + "\r\n".join([HEADER, *LINES]).replace(",", ";"),
    "without the target": "\n".join(line.rpartition(",")[0] for line in (HEADER, *LINES)),
    "with an id": "\n".join([f"id,{HEADER}", *WITH_ID]),
}


@pytest.fixture
def trained(workspace: Path) -> Path:
    """The run of a network made for the file as the button makes it."""
    file = workspace / "data/dates.csv"
    file.parent.mkdir()
    file.write_text("\n".join([HEADER, *LINES]) + "\n", "utf-8")
    data = {"source": "CSV", "file": "data/dates.csv"}
    read_own(data)
    document = documents.empty()
    document.replace(replace(document.project, name="Dates", data=frozen(data)))
    first_network.make(document)
    save_project(document.project, workspace / "dates.loom.json")
    command = ("train", "dates.loom.json", "--set", "epochs=2", "--json")
    subprocess.run([*_cli(), *command], cwd=workspace, env=_env(workspace), check=True)
    (run,) = (workspace / "runs").iterdir()
    return run


def _cli() -> list[str]:
    return [sys.executable, "-m", "app.cli"]


def _env(workspace: Path) -> dict[str, str]:
    here = str(Path(__file__).parents[3])
    return {**os.environ, "LAYERLOOM_WORKSPACE": str(workspace), "PYTHONPATH": here}


@contextmanager
def _started(command: list[str], folder: Path, env: dict[str, str]) -> Iterator[str]:
    """A server, and the address that it says."""
    server = subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert server.stdout is not None
    seen = ""
    try:
        while "http://" not in seen:
            line = server.stdout.readline()
            assert line, (seen, server.wait())
            seen += line
        yield "http://" + seen.split("http://")[1].split()[0].rstrip('/.,"')
    finally:
        server.terminate()
        server.wait(600)


def _classes(address: str, body: str) -> list[tuple[str, float]]:
    request = urllib.request.Request(
        f"{address}/predict", body.encode(), {"content-type": "text/csv"}
    )
    with urllib.request.urlopen(request, timeout=600) as got:
        found: list[dict[str, Any]] = json.loads(got.read())["predictions"]
    answers = [next(iter(each.values())) for each in found]
    return [(each["class"], each["probability"]) for each in answers]


@pytest.mark.slow
def test_lines_of_the_file_have_the_predictions_of_the_run(trained: Path, tmp_path: Path) -> None:
    subject = subject_of(trained)
    assert subject.opened is not None
    dataset = subject.opened.dataset
    assert dataset is not None
    with torch.no_grad():
        shares = subject.module(dataset.inputs).softmax(1)
    chosen = zip(*(each.tolist() for each in shares.max(1)), strict=True)
    right = [(dataset.classes[place], share) for share, place in chosen]
    export_subject(subject, "server", tmp_path / "server.zip")
    with zipfile.ZipFile(tmp_path / "server.zip") as archive:
        archive.extractall(tmp_path / "server")
    (folder,) = (tmp_path / "server").iterdir()
    plain = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    serve = [*_cli(), "serve", str(trained), "--port", "0", "--json"]
    for command, place, env in (
        (serve, trained.parents[1], _env(trained.parents[1])),
        ([sys.executable, "serve.py", "--port", "0"], folder, plain),
    ):
        with _started(command, place, env) as address:
            for name, body in BODIES.items():
                found = _classes(address, body)
                assert [word for word, _ in found] == [word for word, _ in right], name
                wanted = [share for _, share in right]
                assert [share for _, share in found] == pytest.approx(wanted, abs=1e-5), name
