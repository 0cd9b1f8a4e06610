"""Every way of looking, on every kind of data: an answer, or a refusal that says why."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import DataError
from core.common.network_ref import ProjectRef
from core.graph import Edge, Graph, Node
from core.insight.attribution.methods import METHODS
from core.insight.attribution.subject import NotExplained
from core.insight.look.catalogue import LOOKS, look
from core.insight.look.view import LookRequest
from core.project import Project, write_text
from tests.core.data.own_classes import FILE, write_classes
from tests.core.data.own_sets import write_arrays, write_pictures, write_table
from tests.wing_parts import rows

PICTURES = {"source": "ImageFolder", "root": "data/shapes"}
TABLE = {"source": "CSV", "file": "data/flowers.csv"}
Case = tuple[dict[str, Any], tuple[int, ...], int]
CASES: dict[str, Case] = {
    "own pictures": (PICTURES, (3, 8, 8), 3),
    "own pictures, normalised": ({**PICTURES, "normalize": True}, (1, 8, 8), 3),
    "own table": (TABLE, (5,), 2),
    "own numbers": ({**TABLE, "target_column": "petal width"}, (6,), 1),
    "own arrays": ({"source": "NPZ", "file": "data/cells.npz", "columns": ["images"],
                    "target_column": "labels"}, (3, 8, 8), 2),
    "own Dataset": ({"source": "Dataset", "file": FILE, "class": "Pictures", "samples": 24},
                    (1, 6, 6), 3),
    "own series": ({"source": "Dataset", "file": FILE, "class": "Waves", "samples": 24}, (8,), 2),
    "own text": ({"source": "text", "file": "data/poem.txt"}, (6,), 0),
    "drawn again": ({**PICTURES, "target": "input"}, (3, 8, 8), 192),
    "embedded pictures": ({"source": "digits", "limit": 60}, (1, 8, 8), 10),
    "embedded table": ({"source": "iris"}, (4,), 3),
    "points": ({"source": "moons"}, (2,), 2),
    "windows": ({"source": "rides"}, (56,), 7),
}  # fmt: skip
QUICK = ("own pictures", "points")
SLOW_WAYS = ("profile", "memory", "similarity", "probe", "occlusion")
FOLLOWED = ("film",)  # needs the epochs of a run
ROWS = ("own table", "own numbers", "own series", "own text", "embedded table", "points", "windows")
REFUSALS = {
    *((case, "attention") for case in CASES),  # these networks have none
    *((case, "boundary") for case in CASES if case != "points"),
    *((case, "gradcam") for case in ROWS),
    *(("own text", way) for way in ("probe", "excite")),
    *(("drawn again", way) for way in METHODS),
    *((case, "calibration") for case in ("own numbers", "own text", "drawn again", "windows")),
    *((case, "masks") for case in CASES),  # nor does one of them predict the class of each pixel
    *((case, "forecast") for case in CASES if case != "windows"),
    *((case, way) for case in CASES for way in rows("looks", "REFUSED")),
    *((case, "roc") for case, (_, _, outputs) in CASES.items() if outputs != 2),
}
"""What cannot be answered: no maps, no plane, no classes, no training."""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one data set of each kind."""
    folder = tmp_path_factory.mktemp("workspace")
    write_pictures(folder / "data" / "shapes", 5, (12, 10))
    write_table(folder / "data" / "flowers.csv")
    write_arrays(folder / "data" / "cells.npz")
    write_classes(folder)
    (folder / "data" / "poem.txt").write_text("the sea is wide and the sky is high. " * 40)
    return folder


def project(case: str) -> str:
    """A small network on the data, with a layer whose channels can be excited."""
    data, shape, outputs = CASES[case]
    if case == "own text":
        chain = {
            "entry": Node("Input", {"shape": shape, "dtype": "int64"}),
            "hidden": Node("Embedding", {"num_embeddings": 32, "embedding_dim": 8}),
            "fc": Node("Linear", {"out_features": 14}),
            "out": Node("Output"),
        }
    else:
        picture = len(shape) == 3
        chain = {
            "entry": Node("Input", {"shape": shape}),
            "hidden": Node("Conv2d", {"out_channels": 4, "kernel_size": 3})
            if picture
            else Node("Linear", {"out_features": 8}),
            "relu": Node("ReLU"),
            **({"flat": Node("flatten", {"start_dim": 1})} if picture else {}),
            "fc": Node("Linear", {"out_features": outputs}),
            "out": Node("Output"),
        }
    names = list(chain)
    wires = tuple(Edge(a, "output", b, "input") for a, b in pairwise(names))
    return write_text(Project(name=case, graph=Graph(chain, wires), data=data))


def marked(case: str, way: str) -> Any:
    quick = case in QUICK and way not in SLOW_WAYS
    return pytest.param(case, way, marks=() if quick else pytest.mark.slow)


@pytest.mark.parametrize(
    ("case", "way"), [marked(case, way) for case in CASES for way in LOOKS if way not in FOLLOWED]
)
def test_each_way_answers_or_says_why_not(
    case: str, way: str, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(workspace))
    monkeypatch.delenv("LAYERLOOM_PYTHON", raising=False)
    block = "hidden" if way in ("excite", "probe", "embedding") else ""
    ref = ProjectRef(project(case))
    other = ref if way == "similarity" else None
    asked = LookRequest(way, block=block, other=other)
    if (case, way) in REFUSALS:
        with pytest.raises((NotExplained, DataError), match=r"\.$"):
            look(ref, asked)
        return
    found = look(ref, asked)
    assert found.lines
    assert all(line.strip() for line in found.lines)
