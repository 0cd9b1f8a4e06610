"""Runs learn, look the same whether watched or not, and say how far they are."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch import nn

from core.analyse import analyse_project
from core.engine.load_module import load_module
from core.engine.trainer import DeviceSplit, Trainer
from core.prepare.create import prepare
from core.runs.listing import read_metrics
from core.settings.validate import resolve
from core.tasks.readings.classes import ClassScores
from core.worker import live_views
from tests.core.single_output import measure_for, single_loss
from tests.core.small_runs import project, table_net, train_here

Make = Callable[..., Path]


def run_of(
    graph: Mapping[str, Any], data: Mapping[str, Any], folder: Path, **training: Any
) -> Path:
    found = project(dict(graph), dict(data), threads=1, **training)
    return prepare(found, analyse_project(found), folder)


def weights(run_dir: Path) -> dict[str, torch.Tensor]:
    return load_module(run_dir, "last").state_dict()


def engine(samples: int = 32, **training: Any) -> Trainer:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 4))
    part = DeviceSplit((torch.randn(samples, 6),), (torch.randint(0, 4, (samples,)),))
    settings = resolve({"batch_size": 8, **training}, "classification")
    return Trainer(net, settings, (part, part), single_loss(settings, ClassScores()))


@pytest.mark.gate
def test_it_overfits_32_samples() -> None:
    found = engine(lr=0.01, epochs=60)
    list(found.fit())
    assert found.record["train_accuracy"] == 1.0
    assert found.record["val_loss"] < 0.05


def test_a_last_batch_of_one_sample_joins_the_one_before() -> None:
    found = engine(samples=33, epochs=1)
    assert found.steps == 4
    list(found.fit())
    assert found.drain_metrics()["step"] == [1, 2, 3, 4]


def test_the_training_loss_of_an_epoch_is_the_mean_over_its_samples() -> None:
    found = engine(samples=20, epochs=1, lr=0.0)
    list(found.fit())
    assert found.record["train_loss"] == pytest.approx(found.record["val_loss"], rel=1e-6)
    assert found.record["train_accuracy"] == found.record["val_accuracy"]


def test_clipping_bounds_the_gradient() -> None:
    found = engine(epochs=1, optimizer="SGD", lr=1.0, clip_norm=1e-6)
    before = [w.clone() for w in found.recipe.weights]
    list(found.fit())
    moved = torch.stack([(a - b).norm() for a, b in zip(before, found.recipe.weights, strict=True)])
    assert 0 < moved.norm() <= 4.1e-6


def test_metrics_of_each_task_are_right() -> None:
    two = torch.tensor([[2.0, 1.0], [0.0, 3.0], [5.0, 0.0]])
    classes = measure_for("classification", "CrossEntropyLoss", torch.tensor([0, 0, 0]))
    assert classes.values(classes.sums(two, torch.tensor([0, 1, 1]))) == {
        "accuracy": pytest.approx(2 / 3)
    }
    true = torch.tensor([[1.0], [2.0], [6.0]])
    line = measure_for("regression", "MSELoss", true, unit=10.0)
    found = line.values(line.sums(true + torch.tensor([[1.0], [-1.0], [0.0]]), true))
    assert found == {"mae": pytest.approx(20 / 3), "r2": pytest.approx(1 - 2 / 14)}
    mask = torch.tensor([[[1.0, 1.0], [0.0, 0.0]]])
    seen = measure_for("segmentation", "BCEWithLogitsLoss", mask)
    logits = torch.tensor([[[4.0, -1.0], [2.0, -3.0]]])
    assert seen.values(seen.sums(logits, mask)) == {"accuracy": 0.5, "iou": 1 / 3}
    yes = measure_for("classification", "BCEWithLogitsLoss", torch.tensor([[0.0]]))
    sums = yes.sums(torch.tensor([[0.2], [-0.2]]), torch.tensor([[1.0], [1.0]]))
    assert yes.values(sums) == {"accuracy": 0.5}


@pytest.mark.gate
def test_watching_does_not_change_a_run(small_run: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_views, "PROBE_S", 0.0)
    monkeypatch.setattr(live_views, "PROBE_SHARE", 1e9)
    monkeypatch.setattr("core.engine.trainer.TICK_S", 0.0)
    alone, watched = small_run(histograms=False), small_run(histograms=True)
    (watched / "viewer").touch()
    for run_dir in (alone, watched):
        assert train_here(run_dir).state == "finished"
    assert not list((alone / "live/features").iterdir())
    assert len(list((watched / "live/features").iterdir())) == 5
    first, second = weights(alone), weights(watched)
    assert all(torch.equal(first[name], second[name]) for name in first)
    for kind, names in {"step": ("step", "loss"), "epoch": ("train_loss", "val_loss")}.items():
        for name in names:
            one, two = (
                [v for r in read_metrics(d)[0] if r["kind"] == kind for v in r[name]]
                for d in (alone, watched)
            )
            assert one == two


def test_live_files_hold_what_the_last_validation_gave(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_views, "PROBE_S", 0.0)
    monkeypatch.setattr(live_views, "PROBE_SHARE", 1e9)
    run_dir = small_run()
    (run_dir / "viewer").touch()
    view = train_here(run_dir)
    found = json.loads((run_dir / "live/confusion.json").read_text())
    matrix = np.array(found["matrix"])
    assert matrix.sum() == 359
    assert found["classes"] == [str(digit) for digit in range(10)]
    assert np.trace(matrix) / 359 == pytest.approx(view.metrics["val_accuracy"], rel=1e-5)
    worst = json.loads((run_dir / "live/mistakes.json").read_text())["items"]
    losses = [item["loss"] for item in worst]
    assert losses == sorted(losses, reverse=True)
    assert all(item["target"] != item["predicted"] for item in worst)
    with np.load(run_dir / "live/mistakes.npz", allow_pickle=False) as arrays:
        assert arrays["inputs"].shape == (len(worst), 1, 8, 8)
    with np.load(run_dir / "live/filters.npz", allow_pickle=False) as arrays:
        assert str(arrays["node"]) == "conv1"
        expected = load_module(run_dir, "last").get_submodule("conv1").weight
        assert np.array_equal(arrays["weight"], expected.detach().numpy())
    with np.load(run_dir / "live/features/relu1.npz", allow_pickle=False) as arrays:
        assert arrays["value"].shape == (8, 4, 6, 6)
        assert arrays["value"].min() == 0.0
    health = json.loads((run_dir / "live/health.json").read_text())["nodes"]
    assert health.keys() == {"conv1", "norm1", "relu1", "drop1", "fc1"}
    assert 0 < health["relu1"]["zeros"] < 1
    assert list((run_dir / "probe").glob("*.npz"))


@pytest.mark.gate
@pytest.mark.parametrize("target", ["input", "mask"])
def test_images_are_learned_and_the_worst_kept_with_what_was_wanted(
    tmp_path: Path, target: str
) -> None:
    graph = {
        "nodes": {
            "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
            "conv1": {"block": "Conv2d", "settings": {"out_channels": 1, "kernel_size": 3,
                                                      "padding": 1}},
            "result": {"block": "Output"},
        },
        "edges": ["image -> conv1", "conv1 -> result"],
    }  # fmt: skip
    data = {"source": "digits", "target": target, "noise": 0.1}
    run_dir = run_of(graph, data, tmp_path, epochs=2)
    view = train_here(run_dir)
    assert view.state == "finished"
    expected = {"input": "val_mae", "mask": "val_iou"}[target]
    assert 0 <= view.metrics[expected] <= 1
    with np.load(run_dir / "live/mistakes.npz", allow_pickle=False) as arrays:
        assert arrays["targets"].shape == arrays["outputs"].shape == (24, 1, 8, 8)


def test_regression_tells_its_error_in_the_unit_of_the_target(tmp_path: Path) -> None:
    run_dir = run_of(table_net(10, 1), {"source": "diabetes"}, tmp_path, epochs=30, lr=0.01)
    view = train_here(run_dir)
    assert 35 < view.metrics["val_mae"] < 60
    assert 0.2 < view.metrics["val_r2"] < 0.7
    assert view.best is not None
    assert view.best["metric"] == "val_loss"


@pytest.mark.gate
def test_the_best_weights_are_those_of_the_best_epoch(small_run: Make) -> None:
    run_dir = small_run(epochs=4)
    view = train_here(run_dir)
    values = [
        v for r in read_metrics(run_dir)[0] if r["kind"] == "epoch" for v in r["val_accuracy"]
    ]
    assert view.best is not None
    assert view.best["value"] == max(values)
    module = load_module(run_dir, "best")
    assert not module.training
    final = json.loads((run_dir / "final.json").read_text())
    assert final["best"]["value"] == max(values)
    assert final["metrics"]["val_accuracy"] == values[-1]
    assert final["checkpoints"][0] == "last"
    assert final["time"]["elapsed_s"] > 0


def test_tensorboard_reads_scalars_graph_histograms_samples_and_settings(small_run: Make) -> None:
    run_dir = small_run(histograms=True)
    train_here(run_dir)
    events = EventAccumulator(str(run_dir / "tensorboard"), size_guidance={"scalars": 0})
    events.Reload()
    tags = events.Tags()
    assert {"step/loss", "step/lr", "epoch/val_accuracy", "hparam/val_loss"} <= set(tags["scalars"])
    assert [e.step for e in events.Scalars("epoch/val_loss")] == [23, 46]
    assert "conv1.weight" in tags["histograms"]
    assert [(e.step, e.width) for e in events.Images("samples")] == [(0, 8 * 8)]
    names = {node.name: node for node in events.Graph().node}
    assert list(names) == ["image", "conv1", "norm1", "relu1", "drop1", "flat", "fc1", "logits"]
    assert list(names["norm1"].input) == ["conv1"]
    dims = names["conv1"].attr["_output_shapes"].list.shape[0].dim
    assert [d.size for d in dims] == [-1, 4, 6, 6]
    assert "_hparams_/session_start_info" in events.summary_metadata
