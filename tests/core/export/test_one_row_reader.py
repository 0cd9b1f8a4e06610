"""Lines of a table as people save it give the run's own input where they are sent later."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import torch

from core.data.facts.metadata import read_own
from core.export.interface import interface_of
from core.export.subject import subject_of
from core.graph import Edge, Graph, Node
from core.project import Project
from core.samples.contract import openapi
from core.samples.inputs import RequestError, read
from tests.core.data.table_spellings import SPELLINGS
from tests.core.export.test_one_picture_reader import Reader

MISSED = {
    "nulls of a database": {"a": "mean", "b": "mean"},
    "missing numbers": {"a": "mean", "b": "mean"},
    "missing words": {"a": "mean", "city": "missing"},
    "rows without a target": {"y": "drop"},
}
MORE = {
    "missing words": {"missing": ["unknown", "?"]},
    "names of rows from R": {"columns": ["w"]},
    "row numbers": {"columns": ["width"]},
    "an open end": {"categories": ["doors"]},
    "a word for more": {"categories": ["seats"]},
    "ages in steps": {"categories": ["age"]},
}


def project(workspace: Path, name: str) -> Project:
    spelled = SPELLINGS[name]
    file = workspace / "data/lines.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(spelled.content)
    data = {"source": "CSV", "file": "data/lines.csv", "normalize": True, **MORE.get(name, {})}
    data |= {"fill": MISSED[name]} if name in MISSED else {}
    read_own(data)
    classes = len(spelled.classes)
    nodes = {
        "row": Node("Input", {"shape": (len(spelled.features),)}),
        "fc": Node("Linear", {"out_features": classes or 1}),
        "out": Node("Output"),
    }
    wires = (Edge("row", "output", "fc", "input"), Edge("fc", "output", "out", "input"))
    loss = "CrossEntropyLoss" if classes else "MSELoss"
    return Project(
        name="Lines",
        graph=Graph(nodes, wires),
        data=data,
        training={"loss": loss, "epochs": 1},
    )


def agree(name: str, workspace: Path, more: Mapping[str, Reader] | None = None) -> None:
    """Whether lines of a file are read as the run reads them. more: other readers."""
    subject = subject_of(project(workspace, name))
    assert subject.opened is not None
    dataset, interface = subject.opened.dataset, interface_of(subject).json()
    assert dataset is not None
    content = SPELLINGS[name].content
    for reader, known in ((read, interface), *(each(subject) for each in (more or {}).values())):
        (values,) = reader(known, "text/csv", content, 64).columns
        assert values is not None
        if name == "rows without a target":
            values = values[[0, 2, 3]]
        assert torch.equal(values, dataset.inputs), name


@pytest.mark.parametrize("name", SPELLINGS)
def test_the_lines_of_a_file_are_read_as_the_run_reads_them(name: str, workspace: Path) -> None:
    agree(name, workspace)


def dated(workspace: Path):
    file = workspace / "data/dates.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = "2023-10-19,17,no 2023-02-02,97,yes 2023-03-02,32,no 2023-08-19,63,yes".split()
    file.write_text("\n".join(["joined,income,buys", *lines]), "utf-8")
    data = {"source": "CSV", "file": "data/dates.csv", "normalize": False}
    read_own(data)
    nodes = {
        "row": Node("Input", {"shape": (4,)}),
        "fc": Node("Linear", {"out_features": 2}),
        "out": Node("Output"),
    }
    wires = (Edge("row", "output", "fc", "input"), Edge("fc", "output", "out", "input"))
    training = {"loss": "CrossEntropyLoss"}
    made = Project(name="D", graph=Graph(nodes, wires), data=data, training=training)
    return interface_of(subject_of(made)).json()


ROW = [19649.0, 10.0, 3.0, 17.0]  # 2023-10-19 was a Thursday


@pytest.mark.parametrize(
    ("media", "body"),
    [
        ("text/csv", b"2023-10-19,17,no\n"),
        ("text/csv", b"2023-10-19,17\n"),
        ("text/csv", b"income;joined\n17;2023-10-19\n"),
        ("text/csv", b"\xef\xbb\xbfjoined,income,buys\r\n2023-10-19,17,no\r\n"),
        ("text/csv; charset=utf-16-le", "joined,income\n2023-10-19,17".encode("utf-16-le")),
        ("text/csv", b"joined (days),joined (month),joined (weekday),income\n19649,10,3,17\n"),
        ("application/json", b'{"samples": [{"row": {"joined": "2023-10-19", "income": 17}}]}'),
        ("application/json", b'{"samples": [{"row": ["2023-10-19", 17]}]}'),
        ("application/json", b'{"samples": [{"row": [19649, 10, 3, 17]}]}'),
    ],
)
def test_a_date_is_sent_in_the_words_of_the_file(workspace: Path, media: str, body: bytes) -> None:
    (values,) = read(dated(workspace), media, body, 4).columns
    assert values is not None
    assert values.tolist() == [ROW]


def test_what_cannot_be_read_is_named(workspace: Path) -> None:
    interface = dated(workspace)
    said = "row needs a date for joined, written as 1999-12-31, but receives '19.10.2023'"
    for body, message in (
        (b"19.10.2023,17,no\n", said),
        (b"joined,income\n2023-10-19,17\n2023-10-19\n", "Row 2 of row has 1 cells but needs 2"),
        (b"joined,wage\n2023-10-19,17\n", "row has no column 'income'"),
        (b"joined,income\n2023-10-19,much\n", "needs a number for income but receives 'much'"),
    ):
        with pytest.raises(RequestError, match=message):
            read(interface, "text/csv", body, 4)
    row = openapi(interface, "t", "a", 4, False)["components"]["schemas"]["Sample"]
    assert row["properties"]["row"]["anyOf"][0]["properties"]["joined"] == {
        "type": "string", "description": "a date written as %Y-%m-%d",
    }  # fmt: skip
