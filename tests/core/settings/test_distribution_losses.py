"""Counts by PoissonNLLLoss, a mean and its variance by GaussianNLLLoss, labels that weigh."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from core.analyse import analyse_project
from core.common.errors import RunError, TrainingError
from core.data import ends
from core.data.batches.dataset import load_project
from core.engine.load_module import load_module
from core.prepare.create import prepare
from core.project import Project
from core.script.lightning import write_lightning
from core.settings.validate import resolve
from core.worker.error_messages import explain
from tests.core.script.alone import run_alone
from tests.core.small_runs import project, table_net, train_here

RATE = {
    "nodes": {
        "row": {"block": "Input", "settings": {"shape": [10]}},
        "norm": {"block": "BatchNorm1d"},
        "fc1": {"block": "Linear", "settings": {"out_features": 1}},
        "rate": {"block": "Output"},
    },
    "edges": ["row -> norm", "norm -> fc1", "fc1 -> rate"],
}
SPREAD = {
    "nodes": {
        "row": {"block": "Input", "settings": {"shape": [10]}},
        "fc1": {"block": "Linear", "settings": {"out_features": 8}},
        "relu": {"block": "ReLU"},
        "fc_mean": {"block": "Linear", "settings": {"out_features": 1}},
        "fc_var": {"block": "Linear", "settings": {"out_features": 1}},
        "positive": {"block": "Softplus"},
        "mean": {"block": "Output"},
        "var": {"block": "Output"},
    },
    "edges": [
        "row -> fc1",
        "fc1 -> relu",
        "relu -> fc_mean",
        "relu -> fc_var",
        "fc_mean -> mean",
        "fc_var -> positive",
        "positive -> var",
    ],
}
COUNTS = {"source": "diabetes", "normalize": False}
TERM = {"output": ["mean", "var"], "target": "label", "loss": "GaussianNLLLoss"}
BRIEF: dict[str, Any] = {"epochs": 3, "threads": 1, "device": "cpu"}


def validation(found: Project) -> tuple[torch.Tensor, torch.Tensor, float]:
    """Rows to validate with, their targets, and the target's unit."""
    report = analyse_project(found)
    data = load_project(found, *ends(report.inputs, report.outputs), 0)
    (inputs,), (targets,) = data.all_validation()
    return inputs, targets, data.target_std


def alike(run_dir: Path, script: str, folder: Path, view: Any, metric: str = "val_mae") -> None:
    """A script by itself prints what the run measured, and keeps the same weights."""
    printed = run_alone(script, folder)
    assert f"validation loss {view.metrics['val_loss']:.4f}" in printed
    assert f"{view.metrics[metric]:.4g}" in printed
    saved = torch.load(folder / "model.pt", weights_only=True)
    best = load_module(run_dir, "best").state_dict()
    assert [key for key in best if not torch.equal(best[key], saved[key])] == []


@pytest.mark.gate
def test_counts_are_learned_by_the_logarithm_of_their_rate(tmp_path: Path) -> None:
    found = project(RATE, COUNTS, loss="PoissonNLLLoss", lr=0.3, **BRIEF)
    run_dir = prepare(found, analyse_project(found), tmp_path / "runs")
    view = train_here(run_dir)
    assert (view.state, view.warnings) == ("finished", ())
    inputs, targets, _ = validation(found)
    with torch.no_grad():
        log_rates = load_module(run_dir, "last")(inputs)
    assert view.metrics["val_mae"] == pytest.approx(float((log_rates.exp() - targets).abs().mean()))
    assert view.metrics["val_loss"] == pytest.approx(float(nn.PoissonNLLLoss()(log_rates, targets)))
    (made,) = sorted((run_dir / "live" / "made").glob("*.npz"))[-1:]
    numbers = np.load(made)["numbers_said"]
    assert numbers[:5] == pytest.approx(log_rates.exp().flatten()[:5].numpy(), rel=1e-5)
    assert '"said":"' in (run_dir / "live" / "mistakes.json").read_text()
    alike(run_dir, (run_dir / "script.py").read_text(), tmp_path, view)


@pytest.mark.gate
def test_a_mean_and_its_variance_are_learned_together(tmp_path: Path) -> None:
    found = project(SPREAD, {"source": "diabetes"}, losses=[TERM], lr=0.05, **BRIEF)
    run_dir = prepare(found, analyse_project(found), tmp_path / "runs")
    view = train_here(run_dir)
    assert (view.state, view.task, view.warnings) == ("finished", "regression", ())
    inputs, targets, unit = validation(found)
    with torch.no_grad():
        mean, var = load_module(run_dir, "last")(inputs)
    loss = nn.GaussianNLLLoss()(mean, targets, var)
    assert view.metrics["val_loss"] == pytest.approx(float(loss), rel=1e-5)
    error = float((mean - targets).abs().mean()) * unit
    assert view.metrics["val_mae"] == pytest.approx(error, rel=1e-5)
    assert '"said":"' in (run_dir / "live" / "mistakes.json").read_text()
    script = (run_dir / "script.py").read_text()
    assert "nn.GaussianNLLLoss()(mean, label, var)" in script
    alike(run_dir, script, tmp_path, view)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("training", "line"),
    [
        (
            {
                "loss": "BCEWithLogitsLoss",
                "loss_settings": {"pos_weight": [1, 2.5, *[0.5] * 8]},
                "class_weights": [2, *[1] * 9],
            },
            "pos_weight=torch.tensor(",
        ),
        (
            {"loss": "MultiLabelSoftMarginLoss", "class_weights": "balanced"},
            "counts = train[-1].sum(0).clamp_min(1)",
        ),
    ],
)
def test_a_script_weighs_labels_as_its_run_does(
    training: dict[str, Any], line: str, tmp_path: Path
) -> None:
    found = project(table_net(128, 10), {"source": "digit_pairs"}, **training, **BRIEF)
    run_dir = prepare(found, analyse_project(found), tmp_path / "runs")
    view = train_here(run_dir)
    assert (view.state, view.warnings) == ("finished", ())
    script = (run_dir / "script.py").read_text()
    assert line in script
    alike(run_dir, script, tmp_path, view, "val_f1")


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (
            project(table_net(10, 1), {"source": "diabetes"}, loss="PoissonNLLLoss"),
            "PoissonNLLLoss needs counts, but data.normalize standardises the targets. Set"
            " data.normalize to false.",
        ),
        (
            project(SPREAD, {"source": "diabetes"}, losses=[{**TERM, "output": "mean"}]),
            "training.losses[0]: GaussianNLLLoss reads 2 Outputs but receives 1. Write it as"
            ' {"output": "logits", "target": "label", "loss": "CrossEntropyLoss"}.',
        ),
        (
            project(table_net(10, 1), {"source": "diabetes"}, loss="GaussianNLLLoss"),
            "GaussianNLLLoss does not fit the data: the task is regression. Choose MSELoss,"
            " L1Loss, SmoothL1Loss, HuberLoss, PoissonNLLLoss.",
        ),
    ],
)
def test_what_they_need_is_checked_before_a_run(
    found: Project, message: str, tmp_path: Path
) -> None:
    with pytest.raises(TrainingError) as caught:
        prepare(found, analyse_project(found), tmp_path)
    assert str(caught.value) == message


def test_a_mean_needs_a_variance_of_its_own_shape(tmp_path: Path) -> None:
    wide = {**SPREAD["nodes"], "fc_var": {"block": "Linear", "settings": {"out_features": 2}}}
    found = project({**SPREAD, "nodes": wide}, {"source": "diabetes"}, losses=[TERM])
    with pytest.raises(TrainingError) as caught:
        prepare(found, analyse_project(found), tmp_path)
    assert str(caught.value) == (
        "training.losses[0]: GaussianNLLLoss needs a variance for each mean, but mean is (N, 1) and"
        " var (N, 2). Give both the same out_features."
    )


def test_numbers_below_0_that_are_no_count_no_rate_and_no_variance_are_refused(
    tmp_path: Path,
) -> None:
    bare = {**SPREAD["nodes"], "positive": {"block": "Softsign"}}
    cases: list[tuple[Project, str, str]] = [
        (
            project({**SPREAD, "nodes": bare}, {"source": "diabetes"}, losses=[TERM], **BRIEF),
            "GaussianNLLLoss needs variances of 0 or more but receives -",
            "End the network with Softplus.",
        ),
        (
            project(
                RATE,
                COUNTS,
                loss="PoissonNLLLoss",
                loss_settings={"log_input": False},
                **BRIEF,
            ),
            "PoissonNLLLoss needs rates of 0 or more but receives -",
            "End the network with Softplus, or set log_input to true.",
        ),
    ]
    for found, message, hint in cases:
        view = train_here(prepare(found, analyse_project(found), tmp_path / "runs"))
        assert (view.state, view.step, view.hint) == ("failed", 0, hint)
        assert view.message.startswith(message)


def test_a_variance_that_falls_below_0_later_is_explained_in_words() -> None:
    with pytest.raises(ValueError, match="negative") as caught:
        nn.GaussianNLLLoss()(torch.zeros(1), torch.zeros(1), -torch.ones(1))
    error: RunError = explain(caught.value, {}, 1)
    assert str(error) == (
        "GaussianNLLLoss needs variances of at least 0 but received a negative"
        " one. Put a Softplus before the Output of the variance."
    )


def test_a_loss_that_only_ranks_labels_is_refused_for_its_reason() -> None:
    with pytest.raises(TrainingError) as caught:
        resolve({"loss": "MultiLabelMarginLoss"}, "labels")
    assert str(caught.value) == (
        "MultiLabelMarginLoss is not offered: it only ranks the labels: it does not change"
        " when all scores rise together, so no score shows whether a label is present. Choose"
        " BCEWithLogitsLoss."
    )


def test_a_lightning_script_is_written_for_a_mean_and_its_variance() -> None:
    found = project(SPREAD, {"source": "diabetes"}, losses=[TERM], **BRIEF)
    report = analyse_project(found)
    from core.data import describe_project

    info = describe_project(found, *ends(report.inputs, report.outputs))
    assert "nn.GaussianNLLLoss()(mean, label, var)" in write_lightning(found, report, info)
