"""A first network for own data: of a template, fitted, without an error, and undone in one step."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.services import documents, first_network, training
from core.data import DataError, read_settings
from core.data.facts.metadata import read_own
from core.project.values import frozen
from tests.core.data.own_sets import write_pictures, write_table
from tests.core.data.series_files import WORN, write_rides

pytestmark = pytest.mark.usefixtures("workspace")


def table(workspace: Path, target: str) -> dict:
    rows = [f"{i % 7}.5,{i % 5}.25,{target.format(i % 3)}" for i in range(40)]
    write_table(workspace / "data/leaves.csv", "\n".join(["a,b,kind", *rows]))
    return {"source": "CSV", "file": "data/leaves.csv"}


def arrays(workspace: Path, *shape: int, answers: type = int) -> dict:
    write_table(workspace / "data/empty.csv")
    x, y = np.zeros((40, *shape), np.float32), (np.arange(40) % 4).astype(answers)
    np.savez(workspace / "data/cells.npz", x=x, y=y)
    return {"source": "NPZ", "file": "data/cells.npz"}


def folder(workspace: Path, *size: int) -> dict:
    write_pictures(workspace / "data/shapes", 2, (size[0], size[1]))
    return {"source": "ImageFolder", "root": "data/shapes"}


def text(workspace: Path) -> dict:
    write_table(workspace / "data/poem.txt", "to be or not to be " * 200)
    return {"source": "text", "file": "data/poem.txt"}


def series(workspace: Path) -> dict:
    write_rides(workspace)
    return {**WORN, "ahead": 3}


@pytest.mark.gate
@pytest.mark.parametrize(
    ("data", "first", "last", "loss"),
    [
        (lambda w: table(w, "k{}"), {"shape": (2,)}, 3, "CrossEntropyLoss"),
        (lambda w: table(w, "{}.5"), {"shape": (2,)}, 1, "MSELoss"),
        (lambda w: arrays(w, 30), {"shape": (30,)}, 4, "CrossEntropyLoss"),
        (lambda w: arrays(w, 8, 8), {"shape": (1, 8, 8)}, 4, "CrossEntropyLoss"),
        (lambda w: arrays(w, 3, 200, 120), {"shape": (3, 64, 64)}, 4, "CrossEntropyLoss"),
        (lambda w: arrays(w, 8, 8, answers=float), {"shape": (1, 8, 8)}, 1, "MSELoss"),
        (lambda w: folder(w, 20, 16), {"shape": (3, 32, 32)}, 3, "CrossEntropyLoss"),
        (lambda w: folder(w, 90, 120), {"shape": (3, 64, 64)}, 3, "CrossEntropyLoss"),
        (text, {"shape": (64,), "dtype": "int64"}, 7, "CrossEntropyLoss"),
        (series, {"shape": (7, 2)}, 3, "MSELoss"),
    ],
    ids=["classes", "number", "wide", "small pictures", "large pictures", "number of pictures",
         "folder", "folder of large ones", "text", "series"],
)  # fmt: skip
def test_it_fits_the_data_without_an_error_and_can_be_trained(workspace, data, first, last, loss):
    document = documents.empty()
    chosen = data(workspace)
    read_own(chosen)
    document.replace(replace(document.project, data=frozen(chosen)))
    first_network.make(document)
    graph = document.project.graph
    nodes = list(graph.nodes.values())
    assert dict(nodes[0].settings) == first
    assert nodes[-2].settings["out_features"] == last
    assert document.project.data == frozen(chosen)
    fit = training.fit(document)
    assert (fit.problem, training.problem(document.project, fit)) == ("", "")
    assert fit.info is not None
    assert fit.info.losses[0] == loss
    assert document.project.training["epochs"] > 0


def test_a_drawing_is_replaced_and_the_projects_name_stays():
    document = documents.from_template("lenet_digits")
    document.replace(replace(document.project, data=frozen({"source": "iris"})))
    before = document.session.epoch
    first_network.make(document)
    assert document.session.epoch == before + 1  # one step for the canvas, which it undoes as one
    assert [node.block for node in document.project.graph.nodes.values()][:2] == ["Input", "Linear"]
    assert document.project.name == "LeNet on digits"


def test_there_is_none_for_what_no_template_is_for(workspace: Path):
    assert not first_network.can_make(read_settings({"source": "dates"}))
    assert not first_network.can_make(read_settings({"source": "digits", "target": "pair"}))
    document = documents.empty()
    document.change(data={"source": "dates"})
    with pytest.raises(DataError, match="There is no template for dates"):
        first_network.make(document)
