"""The best epochs are kept whole, a run branches off any of them, one batch is learnt by heart."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from core.analyse import analyse_project
from core.common.errors import CheckpointError, RunError, TrainingError
from core.engine.load_module import load_module
from core.prepare.branch import branch, branch_points
from core.prepare.create import prepare
from core.prepare.overfit_one_batch import overfit_one_batch, verdict
from core.project import write_text
from core.runs import checkpoint
from core.runs.listing import read_metrics, view_run
from tests.core.small_runs import project, table_net, train_here

Make = Callable[..., Path]


def epochs(run_dir: Path, name: str) -> list[float]:
    return [v for r in read_metrics(run_dir)[0] if r["kind"] == "epoch" for v in r[name]]


@pytest.mark.gate
def test_the_best_epochs_are_kept_whole_and_no_others(iris_run: Make) -> None:
    run_dir = iris_run(epochs=12, lr=0.02, keep_best=3, checkpoint_every_s=0.0, best_by="val_loss")
    assert train_here(run_dir).state == "finished"
    losses = epochs(run_dir, "val_loss")
    best = sorted(range(12), key=lambda n: losses[n])[:3]
    assert checkpoint.epochs(run_dir) == [f"epoch-{n + 1:06d}" for n in sorted(best, reverse=True)]
    found = checkpoint.load(run_dir, f"epoch-{best[0] + 1:06d}")
    assert (found["epoch"], found["batch"]) == (best[0] + 1, 0)
    weights = load_module(run_dir, "best").state_dict()
    assert all(torch.equal(found["model"][name], weights[name]) for name in weights)
    files = json.loads((run_dir / "ckpt" / "manifest.json").read_text())["files"]
    assert set(checkpoint.epochs(run_dir)) <= {entry["which"] for entry in files}


@pytest.mark.gate
def test_a_branch_ends_with_the_bits_of_the_run_it_came_from(small_run: Make) -> None:
    settings = {"keep_best": 2, "checkpoint_every_s": 0.0, "best_by": "last", "clip_norm": 1.0}
    whole = small_run(epochs=4, scheduler="OneCycleLR", **settings)
    train_here(whole)
    first = checkpoint.epochs(whole)[-1]
    assert [k.which for k in branch_points(whole)] == [
        "last",
        "previous",
        "epoch-000004",
        "epoch-000003",
    ]
    other = branch(whole, first)
    assert train_here(other).state == "finished"
    expected, found = (load_module(run, "last").state_dict() for run in (whole, other))
    assert all(torch.equal(expected[name], found[name]) for name in expected)
    assert epochs(other, "val_loss") == epochs(whole, "val_loss")
    lineage = {"run": whole.name, "checkpoint": first, "epoch": 3, "step": 69, "changes": {}}
    assert view_run(other).branch == lineage
    assert checkpoint.load(whole, "last")["epoch"] == 4


@pytest.mark.gate
def test_a_run_without_a_rate_branches_off_with_none(iris_run: Make) -> None:
    run_dir = iris_run(epochs=2, lr=0.0)
    train_here(run_dir)
    other = branch(run_dir, "last", {"epochs": 3})
    assert train_here(other).epoch == 3
    with pytest.raises(
        TrainingError, match="is 0, so it cannot be scaled to another rate"
    ) as found:
        branch(run_dir, "last", {"epochs": 3, "lr": 0.1})
    assert found.value.hint == "Start a new run with another learning rate."


def test_a_branch_may_train_longer_and_with_another_rate(iris_run: Make) -> None:
    run_dir = iris_run(epochs=3, lr=0.02)
    train_here(run_dir)
    with pytest.raises(TrainingError, match="Give the branch more than 3 epochs"):
        branch(run_dir, "last")
    other = branch(run_dir, "last", {"epochs": 5, "lr": 0.005})
    view = train_here(other)
    assert (view.state, view.epoch) == ("finished", 5)
    assert epochs(other, "lr") == [0.02, 0.02, 0.02, 0.005, 0.005]
    assert epochs(other, "val_loss")[:3] == epochs(run_dir, "val_loss")


def test_what_the_state_of_a_run_depends_on_stays(iris_run: Make) -> None:
    run_dir = iris_run(epochs=3, scheduler="CosineAnnealingLR")
    train_here(run_dir)
    with pytest.raises(TrainingError, match="so optimizer cannot change"):
        branch(run_dir, "last", {"optimizer": "SGD"})
    with pytest.raises(TrainingError, match=r"CosineAnnealingLR of .* depends on its epochs"):
        branch(run_dir, "last", {"epochs": 6})
    with pytest.raises(
        RunError, match=r"The best checkpoint of .* contains only weights, no optimiser state"
    ):
        branch(run_dir, "best")
    with pytest.raises(CheckpointError, match="There is no epoch-000009 checkpoint"):
        branch(run_dir, "epoch-000009")


@pytest.mark.gate
def test_a_kept_epoch_outlives_a_resume(small_run: Make) -> None:
    run_dir = small_run(epochs=6, keep_best=2, checkpoint_every_s=0.0, best_by="last")
    spec = json.loads((run_dir / "spec.json").read_text())
    spec["training"]["epochs"] = 3
    (run_dir / "spec.json").write_text(json.dumps(spec))
    train_here(run_dir)
    spec["training"]["epochs"] = 6
    (run_dir / "spec.json").write_text(json.dumps(spec))
    state = checkpoint.load(run_dir, "last")
    assert [place["epoch"] for place in state["top"]] == [3, 2]
    train_here(run_dir)
    assert checkpoint.epochs(run_dir) == ["epoch-000006", "epoch-000005"]


def text_of(**training: object) -> str:
    return write_text(project(table_net(4, 3), {"source": "iris"}, **training))


def test_a_network_that_can_learn_knows_one_batch_by_heart() -> None:
    torch.manual_seed(3)
    before = torch.get_rng_state()
    found = overfit_one_batch(text_of(lr=0.02))
    assert found["verdict"] == "by_heart"
    assert found["accuracy"] == 1.0
    assert found["message"].startswith("It can learn: the loss went from 1.")
    assert found["loss"][-1] < 0.1 * found["loss"][0]
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.gate
def test_a_network_that_cannot_learn_is_recognised() -> None:
    found = overfit_one_batch(text_of(lr=1e-9))
    assert found["verdict"] == "not"
    assert "It does not learn: the loss went from 1." in found["message"]
    assert overfit_one_batch(text_of(lr=1e38, optimizer="SGD"))["verdict"] == "diverged"


def test_a_loss_that_falls_a_little_is_slow() -> None:
    assert verdict([1.0, 0.6], None)["verdict"] == "slowly"
    assert verdict([1.0, 0.05], None)["verdict"] == "by_heart"
    assert verdict([1.0, 0.6], 1.0)["verdict"] == "by_heart"


def test_networks_that_play_against_each_other_are_refused() -> None:
    text = (Path(__file__).parents[3] / "projects" / "dcgan_digits.loom.json").read_text("utf-8")
    with pytest.raises(RunError, match="Adversarial networks"):
        overfit_one_batch(text)


def test_the_run_folder_of_a_branch_needs_a_whole_checkpoint(tmp_path: Path) -> None:
    found = project(table_net(4, 3), {"source": "iris"}, threads=1)
    run_dir = prepare(found, analyse_project(found), tmp_path)
    (run_dir / "ckpt").mkdir()
    with pytest.raises(CheckpointError, match="There is no last checkpoint"):
        branch(run_dir, "last")
    assert branch_points(run_dir) == []
    assert len(list(tmp_path.iterdir())) == 1
