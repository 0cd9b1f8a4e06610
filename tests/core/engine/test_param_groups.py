"""Frozen blocks and blocks with a rate of their own: what of them learns, and the script's bits."""

import copy
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from core.analyse import analyse, analyse_project, build
from core.data import describe_project, ends
from core.engine import trainer
from core.engine.load_module import load_module
from core.engine.optim import configure_optimizers
from core.engine.param_groups import trainable_parameters
from core.engine.trainer import Trainer
from core.prepare.create import prepare
from core.project import Project
from core.script.notebook import write_notebook
from core.script.script import write_script
from core.settings.optimizers import OPTIMIZERS
from core.settings.validate import resolve
from core.worker import launch
from tests.core.script.alone import surroundings
from tests.core.small_runs import CHANCY_NET, project, train_here, until

DIGITS = {"source": "digits"}


def net(**marks: dict[str, Any]) -> dict[str, Any]:
    """The chancy net with marks on some of its blocks."""
    graph = copy.deepcopy(CHANCY_NET)
    for name, mark in marks.items():
        graph["nodes"][name] |= mark
    return graph


FROZEN = {"conv1": {"frozen": True}, "norm1": {"frozen": True}}
SLOW = {"fc1": {"lr_factor": 0.1}}


def made(found: Project, folder: Path) -> Path:
    return prepare(found, analyse_project(found), folder)


def weights(run: Path, which: str = "last") -> dict[str, torch.Tensor]:
    return load_module(run, which).state_dict()


def start_of(found: Project) -> dict[str, torch.Tensor]:
    """The weights that the seed gives."""
    torch.manual_seed(found.training["seed"])
    return build(analyse_project(found).source or "").state_dict()


def test_a_frozen_block_ends_with_the_bits_it_began_with(tmp_path: Path):
    found = project(net(**FROZEN), DIGITS, epochs=1, threads=1, seed=3, lr=0.01)
    run = made(found, tmp_path)
    assert train_here(run).state == "finished"
    before, after = start_of(found), weights(run)
    same = {key for key in after if torch.equal(before[key], after[key])}
    assert same == {
        "conv1.weight", "conv1.bias", "norm1.weight", "norm1.bias",
        "norm1.running_mean", "norm1.running_var", "norm1.num_batches_tracked",
    }  # fmt: skip


def test_frozen_blocks_count_as_not_trainable_and_the_source_stays():
    plain = project(CHANCY_NET, DIGITS)
    found = project(net(**FROZEN), DIGITS)
    report = analyse(found.graph)
    assert (report.total_params, report.trainable_params) == (1498, 1450)
    assert report.nodes["conv1"].trainable_params == 0
    assert report.source == analyse(plain.graph).source
    assert report.rates == {"conv1": 0.0, "norm1": 0.0}


def test_frozen_weights_are_in_no_optimiser_and_batch_norm_keeps_its_statistics():
    found = project(net(**FROZEN), DIGITS)
    report = analyse(found.graph)
    module: Any = build(report.source or "")
    training = resolve({}, "classification") | {"rates": report.rates}
    recipe = configure_optimizers(module, training, 10)
    held = {id(w) for group in recipe.optimisers[0].param_groups for w in group["params"]}
    assert held == {id(module.fc1.weight), id(module.fc1.bias)}
    assert not module.conv1.weight.requires_grad
    trainable_parameters(module, training)
    assert (module.norm1.training, module.drop1.training) == (False, True)


def test_a_factor_makes_a_group_whose_rate_the_schedule_moves_too():
    found = project(net(**SLOW), DIGITS)
    report = analyse(found.graph)
    cycle = {"lr": 0.5, "epochs": 2, "scheduler": {"name": "OneCycleLR"}}
    training = resolve(cycle, "classification") | {"rates": report.rates}
    recipe = configure_optimizers(build(report.source or ""), training, 10)
    for _ in range(6):
        recipe.optimisers[0].step()
        recipe.schedules[0].step()
    fast, slow = (group["lr"] for group in recipe.optimisers[0].param_groups)
    assert fast == pytest.approx(0.5, rel=0.1)
    assert slow == pytest.approx(fast / 10)


def test_a_run_with_all_blocks_frozen_says_what_to_do(tmp_path: Path):
    marks = {name: {"frozen": True} for name in ("conv1", "norm1", "fc1")}
    view = train_here(made(project(net(**marks), DIGITS), tmp_path))
    assert view.message == "All weights of the network are frozen."
    assert view.hint == "Unfreeze a block."


@pytest.mark.slow
@pytest.mark.parametrize("form", [write_script, write_notebook])
def test_scripts_and_notebooks_of_nothing_to_learn_say_what_to_do_as_the_run_does(form: Any):
    marks = {name: {"frozen": True} for name in ("conv1", "norm1", "fc1")}
    assert raised(form, project(net(**marks), DIGITS)) == (
        "All weights of the network are frozen. Unfreeze a block."
    )
    nodes = {"row": {"block": "Input", "settings": {"shape": [4]}}, "relu1": {"block": "ReLU"}}
    nodes["result"] = {"block": "Output"}
    bare = {"nodes": nodes, "edges": ["row -> relu1", "relu1 -> result"]}
    assert raised(form, project(bare, {"source": "iris", "target": "input"})) == (
        "The network has no weights to train. Add a layer with weights, such as Linear."
    )
    assert "requires_grad for" not in text_of(form, project(net(**SLOW), DIGITS))


def text_of(form: Any, found: Project) -> str:
    report = analyse_project(found)
    info = describe_project(found, *ends(report.inputs, report.outputs))
    return form(found, report, info)


def raised(form: Any, found: Project) -> str:
    """What is said when the training of a file begins."""
    text = text_of(form, found)
    if form is write_notebook:
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells)
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 1
    return done.stderr.splitlines()[-1].removeprefix("ValueError: ")


def test_a_block_frozen_at_random_weights_is_warned_of_with_a_way_out():
    report = analyse_project(project(net(**FROZEN), DIGITS))
    found = next(w for w in report.warnings if w.code == "frozen_by_chance")
    assert found.message.startswith("conv1 and norm1 are frozen at random initial weights")
    assert [edit["node"] for edit in found.fixes[0]["edits"]] == ["conv1", "norm1"]


def test_frozen_blocks_that_start_from_weights_are_warned_of_only_where_left_out():
    def warned(**start: Any) -> list[str]:
        found = project(net(**FROZEN), DIGITS, start_from={"run": "net-001", **start})
        return [w.node for w in analyse_project(found).warnings if w.code == "frozen_by_chance"]

    assert warned() == []
    assert warned(leave_out=["norm1", "fc1"]) == ["norm1"]


SETTINGS = [
    pytest.param({}, id="adamw"),
    pytest.param({"optimizer": "Muon", "decay_of": "matrices"}, id="muon"),
    pytest.param({"scheduler": "OneCycleLR", "optimizer": "SGD", "lr": 0.05, "clip_norm": 1.0,
                  "decay_of": "matrices", "ema_decay": 0.9}, id="cycle"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("settings", SETTINGS)
def test_the_script_of_such_a_run_ends_with_its_bits(settings: dict[str, Any], tmp_path: Path):
    marks = {**FROZEN, **SLOW}
    graph = net(**marks)
    graph["nodes"]["fc0"] = {"block": "Linear", "settings": {"out_features": 12}}
    graph["edges"] = [e for e in graph["edges"] if e != "flat -> fc1"] + [
        "flat -> fc0",
        "fc0 -> fc1",
    ]
    found = project(graph, DIGITS, epochs=2, threads=1, seed=1, **settings)
    run = made(found, tmp_path)
    assert train_here(run).state == "finished"
    done = subprocess.run(
        [sys.executable, "-I", str(run / "script.py"), "--device", "cpu"],
        cwd=tmp_path, env=surroundings(tmp_path), capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    saved, best = torch.load(tmp_path / "model.pt", weights_only=True), weights(run, "best")
    assert [key for key in best if not torch.equal(best[key], saved[key])] == []


@pytest.mark.slow
def test_such_a_run_goes_on_to_the_bits_of_one_that_never_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    found = project(net(**FROZEN, **SLOW), DIGITS, epochs=2, threads=1, checkpoint_every_s=0.0)
    whole, broken = made(found, tmp_path), made(found, tmp_path)
    assert train_here(whole).state == "finished"
    step, last = Trainer.make_step, broken / "ckpt" / "last.pt"

    def cut(self: Trainer, group: Sequence[torch.Tensor]) -> None:
        if self.step >= 30:
            if not last.exists():
                until(broken, lambda _: last.exists())
            raise RuntimeError("cut off")
        step(self, group)

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "make_step", cut)
        patch.setattr(trainer, "TICK_S", 0.0)
        assert train_here(broken).state == "failed"
    launch.request(broken, "run", **{"attempt": 2, "from": "last"})
    assert train_here(broken).state == "finished"
    expected, got = weights(whole), weights(broken)
    assert [key for key in expected if not torch.equal(expected[key], got[key])] == []


@pytest.mark.parametrize("decay_of", ["all", "matrices"])
@pytest.mark.parametrize("name", list(OPTIMIZERS))
def test_every_optimiser_steps_slower_where_all_blocks_have_a_factor(name: str, decay_of: str):
    if decay_of == "matrices" and "weight_decay" not in {s.name for s in OPTIMIZERS[name].settings}:
        pytest.skip("it has no weight decay")
    given = {"optimizer": name, "decay_of": decay_of, "lr": 0.1}
    rates = {"0": 0.5, "1": 0.0}
    training = resolve(given, "classification") | {"rates": rates}
    module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2))
    before = copy.deepcopy(module.state_dict())
    recipe = configure_optimizers(module, training, 1)
    assert recipe.lr == 0.1
    module(torch.randn(5, 3)).square().sum().backward()
    for optimiser in recipe.optimisers:
        optimiser.step()
    moved = {key for key, value in module.state_dict().items() if not value.equal(before[key])}
    assert moved == {"0.weight", "0.bias"}
    lrs = {g["lr"] for o in recipe.optimisers for g in o.param_groups if g["params"]}
    assert lrs == {0.05}
