"""Inputs that receive some columns or some categories of one table are fed by its own rows."""

import json
from pathlib import Path

import pytest
import torch

from core.data.batches.file_rows import row_of
from core.data.facts.metadata import read_own
from core.export.interface import interface_of
from core.export.subject import subject_of
from core.graph import Edge, Graph, Node
from core.insight.one_sample.custom_input import own_inputs, ways
from core.project import Project
from core.samples.contract import openapi
from core.samples.inputs import RequestError, read

ODD = ("a, b", 'the "old"', "x=y", "(none)")
LINES = [
    f'2023-0{i % 5 + 1}-{i + 1:02},"{ODD[i % 4].replace(chr(34), chr(34) * 2)}",{i},{i % 2}'
    for i in range(12)
]
TEXT = "\n".join(["day,odd,size,y", *LINES]) + "\n"
FIRST, SECOND = ["day (days)", "odd=a, b", "odd=x=y"], ["size", "day (month)", "day (days)"]


@pytest.fixture
def opened(workspace: Path):
    file = workspace / "data/parts.csv"
    file.parent.mkdir(exist_ok=True)
    file.write_text(TEXT, "utf-8")
    inputs = {"first": FIRST, "second": SECOND}
    data = {"source": "CSV", "file": "data/parts.csv", "inputs": inputs}
    read_own(data)
    nodes = {
        "first": Node("Input", {"shape": (3,)}),
        "second": Node("Input", {"shape": (3,)}),
        "both": Node("cat", {"dim": 1}),
        "fc": Node("Linear", {"out_features": 1}),
        "out": Node("Output"),
    }
    wires = (
        Edge("first", "output", "both", "tensors.0"),
        Edge("second", "output", "both", "tensors.1"),
        Edge("both", "output", "fc", "input"),
        Edge("fc", "output", "out", "input"),
    )
    graph = Graph(nodes, wires)
    return subject_of(Project(name="P", graph=graph, data=data, training={"loss": "MSELoss"}))


def test_lines_of_the_file_feed_every_input(opened) -> None:
    dataset, interface = opened.opened.dataset, interface_of(opened).json()
    for body in (TEXT, "\n".join(LINES), TEXT.replace(",y\n", ",why\n")):
        columns = read(interface, "text/csv", body.encode(), 12).columns
        for values, own in zip(columns, dataset.all_inputs, strict=True):
            assert values is not None
            assert torch.equal(values, own)


def test_a_category_is_one_field_whichever_of_it_an_input_receives(opened) -> None:
    first, second = interface_of(opened).json()["inputs"]
    day, odd = first["fields"]
    assert (day["name"], day["parts"], day["places"]) == ("day", ["days"], [0])
    assert (odd["words"], odd["others"], odd["places"]) == (
        ["a, b", "x=y"], ["(none)", 'the "old"'], [1, 2],
    )  # fmt: skip
    assert [field["name"] for field in second["fields"]] == ["day", "size"]
    document = openapi(interface_of(opened).json(), "t", "a", 4, False)
    row = document["components"]["schemas"]["Sample"]["properties"]["first"]["anyOf"][0]
    assert row["properties"]["odd"] == {"enum": ["a, b", "x=y", "(none)", 'the "old"']}
    assert "text/csv" in document["paths"]["/predict"]["post"]["requestBody"]["content"]


def test_json_and_v_take_the_same_words(opened) -> None:
    dataset, interface = opened.opened.dataset, interface_of(opened).json()
    names = [field["name"] for field in ways(dataset)["fields"]]
    assert names == ["day", "odd", "size"]
    for i in (0, 1, 2, 3):
        right = tuple(x[i : i + 1] for x in dataset.all_inputs)
        word, day = ODD[i % 4], LINES[i][:10]
        first = {"day": day, "odd": word}
        sample = {"first": first, "second": {"size": str(i), "day": day}}
        for sent in (sample, {**sample, "first": {**first, "size": 9, "y": 1}}):
            body = json.dumps({"samples": [sent]}).encode()
            columns = read(interface, "application/json", body, 4).columns
            assert [x.tolist() for x in columns if x is not None] == [x.tolist() for x in right]
        own = own_inputs(dataset, {"cells": [day, word, str(i)]})
        assert all(map(torch.equal, own, right))
        shown = row_of(dataset, right)["cells"]
        assert (shown[0], shown[2]) == (day, str(i))
        assert all(map(torch.equal, own_inputs(dataset, {"cells": shown}), right))


def test_a_word_that_the_file_does_not_have_is_named(opened) -> None:
    body = json.dumps({"samples": [{"first": {"day": "2023-01-01", "odd": "new"}, "second": {}}]})
    with pytest.raises(RequestError, match="first has odd 'new', which is not in the training"):
        read(interface_of(opened).json(), "application/json", body.encode(), 4)
