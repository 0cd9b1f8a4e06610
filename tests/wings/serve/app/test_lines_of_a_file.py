"""Lines of a training file as people save it, sent over HTTP: the predictions of the run.

Each table is dropped, a network is made for it as the button on the Data page does, and the file
is sent to a server whole, without its header, and line by line.
"""

import csv
import io
import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from starlette.testclient import TestClient

from app.services import documents, first_network
from app.wings.serve.served import served
from app.wings.serve.try_page import command
from core.data.facts.metadata import read_own
from core.export.interface import interface_of
from core.export.subject import Subject, subject_of
from core.insight.one_sample.custom_input import own_inputs
from core.project import Project
from core.project.values import frozen
from core.samples.outputs import answers
from core.wings.serve.batching import runner
from tests.wings.serve.app.conftest import asking

ROWS = 24


def _table(header: str, line: Any, encoding: str = "utf-8", end: str = "\n") -> bytes:
    lines = [header, *(line(i) for i in range(ROWS))]
    return (end.join(lines) + end).encode(encoding)


def _thousands(number: int, sign: str) -> str:
    return f"{number:,}".replace(",", sign)


TABLES: dict[str, bytes] = {
    "ISO dates": _table(
        "joined,income,buys",
        lambda i: f"2023-{i % 9 + 1:02}-{i + 1:02},{17 + i * i},{'no' if i % 3 else 'yes'}",
    ),
    "German dates, decimal commas, a mark": _table(
        "Größe;Tag;Stadt;Preis",
        lambda i: f"{i},5;{i + 1:02}.03.2024;{'Köln' if i % 2 else 'Ulm'};{i * 3},25",
        "utf-8-sig",
        "\r\n",
    ),
    "American dates with times": _table(
        "when,shop,left",
        lambda i: (
            f"{i % 12 + 1}/{i + 1}/2023 {i % 12 + 1}:0{i % 9} {'AM' if i % 5 else 'PM'},"
            f"{'north' if i % 2 else 'south'},{'True' if i % 3 else 'False'}"
        ),
    ),
    "percent and currency": _table(
        "share,price,kind", lambda i: f"{i + 10}%,$5.{i + 10},{'a' if i % 2 else 'b'}"
    ),
    "points between thousands": _table(
        "Umsatz;Quote;Art",
        lambda i: f"{_thousands(900 + 137 * i, '.')},50 €;0,{i + 10};{'x' if i % 2 else 'y'}",
        "cp1252",
    ),
    "commas between thousands, quoted": _table(
        "name,area,price",
        lambda i: (
            f'"{"Lee, Ann" if i % 2 else "Ray, Bo"}","{_thousands(900 + 77 * i, ",")}",{i * 2}'
        ),
    ),
    "booleans in words": _table(
        "active,member,age,churn",
        lambda i: f"{'TRUE' if i % 2 else 'FALSE'},{'ja' if i % 3 else 'nein'},{20 + i},{i % 2}",
    ),
    "tabs in Latin-1": _table(
        "maß\ttemp\tort",
        lambda i: f"{i}.5\t-{i}.25\t{'Süd' if i % 2 else 'Nord'}",
        "latin-1",
    ),
    "UTF-16 with an id and time of day": _table(
        "id;start;weight;ok",
        lambda i: f"K{i:03};{i % 24:02}:{i + 10};{i},75;{'good' if i % 2 else 'bad'}",
        "utf-16",
    ),
    "blanks in and around words": _table(
        "place, size ,kind",
        lambda i: f"{('New York', ' Ulm ')[i % 2]}, {i} ,{'very good' if i % 3 else 'bad '}",
    ),
    "quoted newlines and missing values": _table(
        "note,size,plan,kept",
        lambda i: (
            f'"first\nline {i % 2}",{"" if i % 6 == 1 else i},{"" if i % 7 == 1 else "pro"},{i % 2}'
        ),
    ),
}
ENCODINGS = {
    "points between thousands": "cp1252",
    "tabs in Latin-1": "latin-1",
    "UTF-16 with an id and time of day": "utf-16",
}
MORE: dict[str, dict[str, Any]] = {
    "UTF-16 with an id and time of day": {"columns": ["start", "weight"]},
    "quoted newlines and missing values": {"fill": {"size": "median", "plan": "missing"}},
}


def project(workspace: Path, name: str) -> Project:
    """The network that the button makes for a table."""
    file = workspace / "data/table.csv"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(TABLES[name])
    data = {"source": "CSV", "file": "data/table.csv", **MORE.get(name, {})}
    read_own(data)
    document = documents.empty()
    document.replace(replace(document.project, name="Lines", data=frozen(data)))
    first_network.make(document)
    return document.project


def expected(made: Subject) -> list[dict[str, Any]]:
    """What the network predicts for every sample as the run reads it."""
    assert made.opened is not None
    dataset, interface = made.opened.dataset, interface_of(made).json()
    assert dataset is not None
    outputs = runner(made.module, interface)((dataset.inputs,), len(dataset.inputs))
    return answers(interface, (dataset.inputs,), [0] * len(dataset.inputs), outputs)


def numbers(prediction: Any) -> list[float]:
    """The numbers of a prediction; a word counts by its letters."""
    if isinstance(prediction, dict):
        return [n for value in prediction.values() for n in numbers(value)]
    if isinstance(prediction, list):
        return [n for value in prediction for n in numbers(value)]
    return [*map(float, prediction.encode())] if isinstance(prediction, str) else [prediction]


def answered(http: TestClient, body: bytes, media: str = "text/csv") -> list[dict[str, Any]]:
    got = http.post("/predict", content=body, headers={"content-type": media})
    assert got.status_code == 200, got.text
    return got.json()["predictions"]


def cells(name: str) -> list[dict[str, str]]:
    """The rows of a table as a program has them: text by column."""
    text = TABLES[name].decode(ENCODINGS.get(name, "utf-8-sig"))
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator_of(name)))


def separator_of(name: str) -> str:
    head = TABLES[name].decode(ENCODINGS.get(name, "utf-8-sig")).splitlines()[0]
    return next(sign for sign in ";\t," if sign in head)


@pytest.mark.parametrize("name", TABLES)
def test_the_lines_of_a_file_give_the_predictions_of_the_run(name: str, workspace: Path) -> None:
    drawn = project(workspace, name)
    made = subject_of(drawn)
    right = [numbers(each) for each in expected(made)]
    assert len(right) == ROWS
    encoding = ENCODINGS.get(name, "utf-8-sig")
    header, _, rest = TABLES[name].decode(encoding).partition("\n")
    objects = [{"features": row} for row in cells(name)]
    listed = [{"features": list(row.values())} for row in cells(name)]
    with asking(served(drawn)) as http:
        for body, media in (
            (TABLES[name], "text/csv"),
            (f"{header}\n{rest}".encode(), "text/csv"),
            (f"{header.upper()}\n{rest}".encode(), "text/tab-separated-values"),
            (rest.encode(), "text/csv; charset=utf-8"),
            (json.dumps({"samples": objects}).encode(), "application/json"),
            (json.dumps({"samples": listed}).encode(), "application/json"),
        ):
            for got, wanted in zip(answered(http, body, media), right, strict=True):
                assert numbers(got) == pytest.approx(wanted, abs=1e-6)
        last = answered(http, _line(name, ROWS - 1).encode())
    assert numbers(last) == pytest.approx(right[-1], abs=1e-6)
    assert made.opened is not None
    assert made.opened.dataset is not None
    for i in (0, ROWS - 1):
        (own,) = own_inputs(made.opened.dataset, {"line": _line(name, i)})
        assert torch.equal(own[0], made.opened.dataset.inputs[i])


@pytest.mark.parametrize("name", TABLES)
def test_the_command_that_the_page_offers_sends_a_row_as_the_file_has_it(
    name: str, workspace: Path
) -> None:
    drawn = project(workspace, name)
    net = served(drawn)
    words = shlex.split(command(net.interface, net.facts["samples"], secured=False))
    body = words[words.index("-d") + 1]
    right = [numbers(each) for each in expected(subject_of(drawn))]
    with asking(net) as http:
        (got,) = answered(http, body.encode(), "application/json")
    assert any(numbers(got) == pytest.approx(each, abs=1e-6) for each in right)
    if name == "ISO dates":
        (sample,) = json.loads(body)["samples"]
        joined = [row["joined"] for row in cells(name)]
        assert sample["features"]["joined"] in joined


def _line(name: str, number: int) -> str:
    """A line of a table, as it stands in the file."""
    written = io.StringIO(newline="")
    row = cells(name)[number]
    separator = separator_of(name)
    csv.writer(written, delimiter=separator).writerow(row.values())
    return written.getvalue()
