"""A table as people save it: dropped, trained, served and exported; its lines sent over HTTP."""

import csv
import io
import json
import os
import subprocess
import sys
import urllib.request
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.services import documents, first_network
from core.data.facts.metadata import read_own
from core.export.interface import interface_of
from core.export.run import export_subject
from core.export.subject import subject_of
from core.project.save import save_project
from core.project.values import frozen
from tests.core.export.only import named
from tests.wings.serve.app.test_lines_of_a_file import (
    MORE,
    TABLES,
    cells,
    expected,
    numbers,
)
from tests.wings.serve.test_folder_alone import served_folder

BARE = [[f"{i},5", ("red", "blue")[i % 3 % 2], f"{i * i}", "yn"[i % 2]] for i in range(40)]
FILES = {**TABLES, "no header": "\n".join(map(";".join, BARE)).encode()}


@pytest.fixture
def trained(name: str, workspace: Path) -> Path:
    """The run of a network made for the file as the button makes it."""
    file = workspace / "data/table.csv"
    file.parent.mkdir()
    file.write_bytes(FILES[name])
    data = {"source": "CSV", "file": "data/table.csv", **MORE.get(name, {})}
    read_own(data)
    document = documents.empty()
    document.replace(replace(document.project, name="Lines", data=frozen(data)))
    first_network.make(document)
    save_project(document.project, workspace / "lines.loom.json")
    command = ("train", "lines.loom.json", "--set", "epochs=2", "--json")
    subprocess.run([*_cli(), *command], cwd=workspace, env=_env(workspace), check=True)
    (run,) = (workspace / "runs").iterdir()
    return run


def _cli() -> list[str]:
    return [sys.executable, "-m", "app.cli"]


def _env(workspace: Path) -> dict[str, str]:
    here = str(Path(__file__).parents[4])
    return {**os.environ, "LAYERLOOM_WORKSPACE": str(workspace), "PYTHONPATH": here}


def _serve(run: Path) -> tuple[str, "subprocess.Popen[str]"]:
    """`layerloom serve` of a run, and the address that it says."""
    server = subprocess.Popen(
        [*_cli(), "serve", str(run), "--json"], cwd=run.parents[1], env=_env(run.parents[1]),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert server.stdout is not None
    seen = ""
    while "http://" not in seen:
        line = server.stdout.readline()
        assert line, (seen, server.wait())
        seen += line
    return "http://" + seen.split("http://")[1].split()[0].rstrip('/.,"'), server


def _exported(run: Path, place: Path) -> tuple[str, "subprocess.Popen[str]"]:
    """The exported server of a run, with nothing but the packages that it names."""
    with zipfile.ZipFile(export_subject(subject_of(run), "server", place).path) as archive:
        archive.extractall(place.parent / "server")
    (folder,) = (place.parent / "server").iterdir()
    names = named((folder / "serve.py").read_text("utf-8").split('"""')[1])
    return served_folder(folder, names)


def _answered(address: str, media: str, body: bytes) -> list[list[float]]:
    request = urllib.request.Request(f"{address}/predict", body, {"content-type": media})
    with urllib.request.urlopen(request, timeout=600) as got:
        return [numbers(each) for each in json.loads(got.read())["predictions"]]


def _sent(name: str, target: str) -> dict[str, tuple[str, bytes]]:
    """What people send of a table: its file, parts of it, or its rows as a program has them."""
    names = [f"column_{k}" for k in range(1, 5)]
    rows = cells(name) if name in TABLES else [dict(zip(names, row, strict=True)) for row in BARE]
    bare = [{key: cell for key, cell in row.items() if key.strip() != target} for row in rows]
    more = [{"number": f"{i}", **row} for i, row in enumerate(rows)]
    assert list(bare[0]) != list(rows[0])
    return {
        "the file": ("text/csv", FILES[name]),
        "no header": ("text/csv", _written(rows)),
        "no target": ("text/csv; charset=utf-8", _written([{key: key for key in bare[0]}, *bare])),
        "neither": ("text/csv", _written(bare)),
        "one more column": ("text/csv", _written([{key: key for key in more[0]}, *more])),
        "objects": _json(rows),
        "lists": _json([list(row.values()) for row in rows]),
        "lists without the target": _json([list(row.values()) for row in bare]),
    }


def _written(rows: list[dict[str, str]]) -> bytes:
    """Rows as a spreadsheet saves them: with a byte-order mark and semicolons."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=";").writerows(row.values() for row in rows)
    return text.getvalue().encode("utf-8-sig")


def _json(rows: list[Any]) -> tuple[str, bytes]:
    return "application/json", json.dumps({"samples": [{"features": row} for row in rows]}).encode()


@pytest.mark.slow(keep=["German dates*"])
@pytest.mark.parametrize("name", FILES)
def test_lines_of_the_file_have_the_predictions_of_the_run(
    name: str, trained: Path, tmp_path: Path
) -> None:
    subject = subject_of(trained)
    right = [numbers(each) for each in expected(subject)]
    target = interface_of(subject).json()["inputs"][0]["table"]["targets"][0]
    for open_server in (_serve, lambda run: _exported(run, tmp_path / "server.zip")):
        address, server = open_server(trained)
        try:
            for how, (media, body) in _sent(name, target).items():
                found = _answered(address, media, body)
                assert len(found) == len(right), how
                for one, wanted in zip(found, right, strict=True):
                    assert one == pytest.approx(wanted, abs=1e-5), how
        finally:
            server.terminate()
            server.wait(600)
