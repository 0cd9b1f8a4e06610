"""The focal loss: the cross entropy where gamma is 0, and a run of it ends as its scripts do."""

import json
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from core.analyse import analyse_project
from core.data.facts.info import describe_project
from core.data.sources.io_spec import ends
from core.engine.load_module import load_module
from core.prepare.create import prepare
from core.script.lightning import write_lightning
from core.script.notebook import write_notebook
from core.tasks.focal_loss import FocalLoss
from tests.core.script.alone import run_like_many
from tests.core.small_runs import project, table_net, train_here

WEIGHTS = torch.tensor([1.0, 2.0, 0.5, 3.0])


@pytest.mark.parametrize("weight", [None, WEIGHTS], ids=["even", "weighed"])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_without_gamma_it_is_the_cross_entropy(weight: Tensor | None, reduction: str) -> None:
    scores = torch.randn(6, 4, 3, generator=torch.Generator().manual_seed(0))
    target = torch.arange(18).reshape(6, 3) % 4
    target[0, 0] = -100
    found = FocalLoss(0.0, weight=weight, reduction=reduction)(scores, target)
    wanted = nn.CrossEntropyLoss(weight=weight, reduction=reduction)(scores, target)
    torch.testing.assert_close(found, wanted)


def test_a_sample_that_is_known_counts_a_hundredth() -> None:
    scores, target = torch.tensor([[0.9, 0.1]]).log(), torch.tensor([0])
    assert float(FocalLoss()(scores, target)) == pytest.approx(0.01 * 0.1053605, rel=1e-4)
    assert float(FocalLoss(gamma=1.0)(scores, target)) == pytest.approx(0.1 * 0.1053605, rel=1e-4)


def test_a_sample_that_is_certain_has_no_gradient_that_is_no_number() -> None:
    scores = torch.tensor([[100.0, 0.0]], requires_grad=True)
    FocalLoss(gamma=0.5)(scores, torch.tensor([0])).backward()
    assert scores.grad is not None
    assert scores.grad.tolist() == [[0.0, 0.0]]


@pytest.mark.slow
def test_a_run_ends_with_the_weights_of_its_script(tmp_path: Path) -> None:
    settings = {"loss": "FocalLoss", "loss_settings": {"gamma": 1.5}, "class_weights": "balanced"}
    found = project(table_net(4, 3), {"source": "iris"}, **settings, epochs=2, threads=1, lr=0.01)
    report = analyse_project(found)
    run = prepare(found, report, tmp_path / "runs", {"device": "cpu"})
    view = train_here(run)
    assert view.state == "finished"
    script = (run / "script.py").read_text("utf-8")
    assert "criterion = FocalLoss(gamma=1.5, weight=weight)" in script
    run_like_many(script, tmp_path)
    alone = torch.load(tmp_path / "model.pt", weights_only=True)
    trained = load_module(run, "best").state_dict()
    assert alone.keys() == trained.keys()
    assert [key for key in alone if not torch.equal(alone[key], trained[key])] == []


def test_notebook_and_lightning_have_it_word_for_word() -> None:
    found = project(table_net(4, 3), {"source": "iris"}, loss="FocalLoss")
    report = analyse_project(found)
    info = describe_project(found, *ends(report.inputs, report.outputs))
    cells = json.loads(write_notebook(found, report, info))["cells"]
    notebook = "\n".join("".join(cell["source"]) for cell in cells)
    for text in (notebook, write_lightning(found, report, info)):
        assert text.count("class FocalLoss(nn.Module):") == 1
        assert "criterion = FocalLoss()" in text
