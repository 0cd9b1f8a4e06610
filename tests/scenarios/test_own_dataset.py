"""A run on a torch Dataset of one's own: trained, resumed, alone as a script, refused untrusted."""

from pathlib import Path
from typing import Any

import pytest
import torch

from core.analyse import analyse_project
from core.data.facts.metadata import read_own
from core.engine.load_module import load_module
from core.files import trust
from core.prepare.create import prepare
from tests.core.data.own_classes import FILE, TEXT, WAVES, write_classes
from tests.core.script.alone import run_alone
from tests.core.small_runs import project, table_net, train_here
from tests.scenarios.test_data_changed import stop_after_an_epoch


@pytest.fixture(autouse=True)
def home(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAYERLOOM_HOME", str(workspace / "home"))
    write_classes(workspace)


def run_on(workspace: Path, data: dict[str, Any] = WAVES, **training: Any) -> Path:
    facts = read_own(data)
    assert facts is not None
    net = table_net(facts.source.shape[0], len(facts.source.classes) or 1)
    found = project(net, data, epochs=3, batch_size=8, threads=1, lr=0.01, device="cpu", **training)
    return prepare(found, analyse_project(found), workspace / "runs")


def different(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> list[str]:
    assert list(one) == list(other)
    return [key for key in one if not torch.equal(one[key], other[key])]


@pytest.mark.gate
@pytest.mark.parametrize("data", [WAVES, WAVES | {"class": "Sums", "samples": 40}])
def test_it_trains_as_its_script_does_alone(
    data: dict[str, Any], workspace: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    run_dir = run_on(workspace, data, sampler="sequential", drop_last=True)
    assert train_here(run_dir).state == "finished"
    alone = tmp_path_factory.mktemp("alone")
    run_alone((run_dir / "script.py").read_text("utf-8"), alone)
    saved = torch.load(alone / "model.pt", weights_only=True)
    assert different(saved, load_module(run_dir, "best").state_dict()) == []


DRAWS = """\
from random import random

import torch
from numpy.random import rand
from torch.utils.data import Dataset

SHIFT = torch.rand(4) + random() + float(rand())


class Drawn(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        return torch.rand(4) + SHIFT + random() + float(rand()), index % 2
"""


@pytest.mark.slow
def test_what_it_draws_is_drawn_by_its_script_too_however_it_is_imported(
    workspace: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    write_classes(workspace, DRAWS)
    run_dir = run_on(workspace, {"source": "Dataset", "file": FILE})
    assert train_here(run_dir).state == "finished"
    alone = tmp_path_factory.mktemp("alone")
    run_alone((run_dir / "script.py").read_text("utf-8"), alone)
    saved = torch.load(alone / "model.pt", weights_only=True)
    assert different(saved, load_module(run_dir, "best").state_dict()) == []


@pytest.mark.gate
def test_it_goes_on_where_it_was_stopped(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, stopped = run_on(workspace), run_on(workspace)
    assert train_here(whole).state == "finished"
    stop_after_an_epoch(stopped, monkeypatch)
    assert train_here(stopped).state == "finished"
    assert different(*(load_module(r, "last").state_dict() for r in (whole, stopped))) == []


def test_a_run_does_not_begin_once_trust_is_taken_back(workspace: Path) -> None:
    run_dir = run_on(workspace)
    trust.forget(TEXT)
    view = train_here(run_dir)
    assert view.state == "failed"
    assert view.message == f"{FILE} contains Python code that you have not trusted yet."
    assert "layerloom trust FILE" in view.hint


def test_a_run_refuses_to_go_on_with_a_class_that_gives_other_samples(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir = run_on(workspace)
    stop_after_an_epoch(run_dir, monkeypatch)
    write_classes(workspace, TEXT.replace("math.pi", "3.0"))
    view = train_here(run_dir)
    assert view.state == "failed"
    assert view.message.startswith(
        f"{FILE} is not the data that this run started with: its checksum was "
    )
