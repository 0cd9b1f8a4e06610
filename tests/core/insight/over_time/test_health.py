"""Marks of health: measured as by a plain script, where a network is sick, offering what helps."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn import functional as F

from core.analyse import analyse_project
from core.engine.load_module import load_module
from core.graph import Graph, Node
from core.insight.load_model import open_run
from core.insight.over_time.marks import Mark, marks, remedies
from core.insight.over_time.vitals import SAMPLES, Vitals, vitals
from core.prepare.create import prepare
from core.project import Project
from core.project.templates import load_template
from core.project.values import frozen
from core.runs import epoch_weights
from core.runs.verdict_facts import Facts, read_facts
from core.settings.override import put
from tests.core.insight.over_time.sick_networks import CASES
from tests.core.small_runs import train_here

DYING = CASES[0].project


def run_of(project: Project, folder: Path, epochs: int) -> Path:
    training = frozen({**project.training, "epochs": epochs, "threads": 1})
    changed = Project(**{**vars(project), "training": training})
    run = prepare(changed, analyse_project(changed), folder)
    assert train_here(run).state == "finished"
    return run


def looked(run: Path, epoch: int) -> tuple[dict[str, Vitals], list[Mark]]:
    network = open_run(run, f"epoch-{epoch:06d}")
    norms = epoch_weights.read_notes(epoch_weights.path_of(run, epoch))["norms"]
    inputs = [column[:SAMPLES] for column in network.dataset.all_validation()[0]]
    found = vitals(network, inputs, norms)
    return found, marks(found, network.project.graph, read_facts(run))


@pytest.fixture(scope="module")
def dying(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three ReLU layers at a rate of 0.3 with Adam, three epochs."""
    return run_of(DYING, tmp_path_factory.mktemp("runs"), 3)


def test_measures_are_those_of_a_plain_script(dying: Path):
    found, _ = looked(dying, 3)
    net: Any = load_module(dying, "epoch-000003")
    x = open_run(dying).dataset.all_validation()[0][0][:128].flatten(1)
    with torch.no_grad():
        hidden = F.linear(x, net.b2.weight, net.b2.bias)
        active = hidden.relu()
    assert found["b2"].spread == pytest.approx(hidden.std(correction=0).item(), rel=1e-5)
    assert found["b3"].dead == (active == 0).all(dim=0).double().mean().item() > 0.5
    assert found["b3"].units == 64
    norms = epoch_weights.read_notes(epoch_weights.path_of(dying, 3))["norms"]["b2.weight"]
    measured = found["b2"].weight, found["b2"].gradient, found["b2"].update
    assert measured == pytest.approx(tuple(norms))
    assert found["b2"].update_ratio == pytest.approx(norms[2] / norms[0])


@pytest.mark.gate
def test_a_dying_network_is_marked_and_what_its_mark_offers_helps(dying: Path, tmp_path: Path):
    _, seen = looked(dying, 3)
    mark = next(each for each in seen if each.path == "b3")
    share = mark.words.removesuffix(" dead")
    assert mark.text == (
        f"{share} of the units of b3 are 0 for every sample: no gradient passes "
        "through them, so they no longer learn."
    )
    assert [(r.title, dict(r.changes)) for r in mark.remedies] == [
        ("Learning rate 0.003", {"lr": 0.003})
    ]
    other = run_of(put(DYING, mark.remedies[0].changes), tmp_path, 6)
    assert read_facts(dying).column("val_accuracy")[-1] < 0.3
    assert read_facts(other).column("val_accuracy")[-1] > 0.85
    assert looked(other, 6)[1] == []


@pytest.mark.gate
@pytest.mark.parametrize("name", ["mlp_iris", "gru_digits"])
def test_a_template_that_learns_has_no_mark(name: str, tmp_path: Path):
    run = run_of(load_template(name), tmp_path, 3)
    assert [looked(run, epoch)[1] for epoch in (1, 3)] == [[], []]


def test_a_deep_network_of_sigmoids_is_offered_relu(tmp_path: Path):
    case = next(each for each in CASES if "Adam" in each.name and "Sigmoid ten" in each.name)
    _, seen = looked(run_of(case.project, tmp_path, 1), 1)
    assert {"vanishing", "same"} >= {mark.kind for mark in seen} >= {"vanishing"}
    offered = seen[0].remedies[0]
    assert offered.title == "Replace them with ReLU"
    assert offered.changes["b3.block"] == "ReLU"
    assert len(offered.changes) == 10


@pytest.mark.gate
@pytest.mark.parametrize(
    ("place", "kind", "offered"), [(13, "exploding", {"clip_norm": 1.0}), (18, "exploding", {})]
)
def test_shorter_gradients_are_offered_only_to_a_run_that_still_guesses(
    place: int, kind: str, offered: dict[str, float], tmp_path: Path
):
    """Inputs that are not scaled: a run that got beyond the simple rule was not made better."""
    run = run_of(CASES[place].project, tmp_path, 40)
    seen = [mark for epoch in (1, 20, 40) for mark in looked(run, epoch)[1]]
    assert kind in {mark.kind for mark in seen}
    changes = [dict(remedy.changes) for mark in seen for remedy in mark.remedies]
    assert all(each == offered for each in changes)
    assert bool(changes) == bool(offered)


@pytest.mark.parametrize(
    ("block", "settings", "changed"),
    [
        ("ReLU", {}, True),
        ("ReLU6", {}, False),
        ("Threshold", {"threshold": 0, "value": 0}, True),
        ("Threshold", {"threshold": 1, "value": -4}, False),
    ],
)
def test_only_what_is_a_relu_is_replaced_with_a_leaky_one(
    block: str, settings: dict[str, Any], changed: bool
) -> None:
    graph = Graph({"act": Node(block, settings)}, ())
    found = remedies("dead", {"dead"}, graph, Facts({"optimizer": "Adam"}))
    assert [dict(each.changes) for each in found] == [{"act.block": "LeakyReLU"}] * changed
