"""Every card on a few templates, each text executed alone by `python -I`, once for all tests."""

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core import open_project
from core.analyse import analyse_project, build, report_json
from core.data import load_project
from core.data.sources.io_spec import ends
from core.files import trust
from core.project import Project, read_text
from core.wings.cards.card import Card
from core.wings.cards.catalogue import CARDS
from core.wings.cards.drawing import Drawing
from core.wings.cards.run import block_of
from core.wings.cards.text import card_text

ROOT = Path(__file__).parents[3]
TEMPLATES = ("mlp_iris", "lenet_digits", "gpt_text")
"""A table, pictures and a text: the smallest of each."""
FURTHER = {"conv-bn-fusion": ("resnet_digits",), "conv-bn-function": ("resnet_digits",)}
"""Templates for cards that none of the three suits."""
OWN = "own_python"
"""A drawing with two blocks of its own, written in Python."""
DEAD = "dead_iris"
"""A drawing whose last hidden layer gives 0 for every sample."""
WRONG = "wrong_iris"
"""A drawing with a block of its own that calculates a square and has half its gradient."""
HALF = ["class Square(nn.Module):", "    def forward(self, x: Tensor) -> Tensor:",
        "        return x * x.detach()"]  # fmt: skip
SMALL = 4
"""Samples on gpt_text for cards whose numbers no test looks at there; it costs ten times LeNet."""
COUNTED_ON_TEXT = ("broadcasting", "sdpa-backends", "jagged-texts", "mixed-precision")
ALONE = Path(__file__).with_name("alone.py")


def project_of(template: str) -> Project:
    """A template; OWN; DEAD and WRONG, the MLP on iris with another block for an activation."""
    if template == OWN:
        return open_project(ROOT / "tests/files/v1/python.loom.json")
    if template not in (DEAD, WRONG):
        return open_project(ROOT / "projects" / f"{template}.loom.json")
    data = json.loads((ROOT / "projects" / "mlp_iris.loom.json").read_text("utf-8"))
    nodes = data["graph"]["nodes"]
    if template == WRONG:
        nodes["relu2"] = {"block": "Square"}
        data["composites"] = {"Square": {"python": HALF}}
        return read_text(json.dumps(data))
    nodes["relu2"] = {"block": "Threshold", "settings": {"threshold": 1e6, "value": 0.0}}
    return read_text(json.dumps(data))


@cache
def drawing_of(template: str) -> Drawing:
    project = project_of(template)
    with own_python(project):
        return Drawing(project, report_json(analyse_project(project)))


def own_python(project: Project) -> AbstractContextManager[None]:
    """Trust the Python of a drawing of ours, while it is analysed and written."""
    found = project.graph.composites.values()
    return trust.meanwhile(*(composite.python for composite in found if composite.python))


class Alone:
    """What texts say when they run alone: each is run when it is first asked for, by one process
    for each worker of the tests, and kept in a folder that all workers share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: subprocess.Popen[str] | None = None

    def values(self, card: str, template: str = "lenet_digits") -> Mapping[str, Any]:
        output = self.output(card, template)
        assert "error" not in output, output["error"]
        return output["values"]

    def output(self, card: str, template: str) -> Mapping[str, Any]:
        path = self.folder / f"{template}@{card}.py"
        with path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # the other worker may be at it
            if not path.with_suffix(".json").exists():
                small = template in ("gpt_text", "lstm_text") and card not in COUNTED_ON_TEXT
                self._run(path, replace(CARDS[card], batch=SMALL) if small else CARDS[card],
                          drawing_of(template))  # fmt: skip
        return json.loads(path.with_suffix(".json").read_text("utf-8"))

    def _run(self, path: Path, card: Card, drawing: Drawing) -> None:
        with own_python(drawing.project):
            text = card_text(card, drawing, block_of(card, drawing, "")).text
        path.write_text(text, "utf-8")
        path.with_suffix(".names").write_text(" ".join(card.variables), "utf-8")
        if self._process is None:
            command = [sys.executable, "-I", str(ALONE)]
            environment = os.environ | {"TORCHINDUCTOR_COMPILE_THREADS": "1"}
            self._process = subprocess.Popen(
                command, stdin=PIPE, stdout=PIPE, text=True, env=environment
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == f"{path}\n"

    def close(self) -> None:
        if self._process is not None:
            self._process.communicate()


@pytest.fixture(scope="session")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Alone]:
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cards"
    folder.mkdir(exist_ok=True)
    asked = Alone(folder)
    yield asked
    asked.close()


@dataclass(frozen=True)
class Subject:
    """A network and a batch made by what runs use, not by the text of a card."""

    model: nn.Module
    x: Tensor
    y: Tensor


def subject(card: str, template: str = "lenet_digits") -> Subject:
    """The model from its seed, and the batch that a card draws from the training samples."""
    project = open_project(ROOT / "projects" / f"{template}.loom.json")
    report = analyse_project(project)
    seed = project.training.get("seed", 0)
    torch.manual_seed(seed)
    model = build(str(report.source), report.class_name).eval()
    data = load_project(project, *ends(report.inputs, report.outputs), seed=seed)
    (x,), (y,) = data.all_training()
    rows = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))
    rows = rows[: CARDS[card].batch]
    return Subject(model, x[rows], y[rows])
