"""Every bar of the lessons is reached by really training, and what the texts tell comes out."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import torch
from sklearn.datasets import load_wine
from torch import nn

from core.analyse import analyse, analyse_project, build
from core.prepare.create import prepare
from core.runs.listing import RunView, list_runs
from core.wings.lessons import list_lessons, start
from core.wings.lessons.goals import met, runs_of
from tests.core.small_runs import train_here
from tests.wings.lessons.solutions import along

LESSONS = {lesson.name: lesson for lesson in list_lessons()}
TRAINING = [name for name, x in LESSONS.items() if any(step.train for step in x.steps)]
_ROOM = TemporaryDirectory()


def train(folder: Path, project) -> RunView:
    """Train a project as the page does, though in this process."""
    train_here(prepare(project, analyse_project(project), folder / "runs"))
    return list_runs(folder / "runs")[0]


@cache
def trained(name: str) -> dict[str, RunView]:
    """Go through a lesson: the run of each step that trains."""
    folder = Path(_ROOM.name) / name
    folder.mkdir()
    training = {step.name for step in LESSONS[name].steps if step.train}
    return {
        step: train(folder, project) for step, project in along(LESSONS[name]) if step in training
    }


@pytest.mark.slow(keep=["01_one_neuron"])
@pytest.mark.parametrize("name", TRAINING)
def test_every_goal_is_reached_by_doing_what_the_steps_say(name: str) -> None:
    lesson, seen = LESSONS[name], []
    for step in lesson.steps:
        if step.train:
            assert not all(met(goal, seen).verdict.holds for goal in step.train), step.name
            seen = [trained(name)[step.name], *seen]
            mine = runs_of(seen, {lesson.title}, 0.0)
            found = [met(goal, mine).verdict for goal in step.train]
            assert all(verdict.holds for verdict in found), found


def best(name: str, step: str, metric: str) -> float:
    return (trained(name)[step].best or {})["metrics"][metric]


def last(name: str, step: str, metric: str) -> float:
    return trained(name)[step].metrics[metric]


@pytest.mark.slow
def test_one_neuron_comes_close_to_a_network_with_eighty_times_as_many_parameters(tmp_path) -> None:
    whole = train(tmp_path, start(LESSONS["01_one_neuron"])).best or {}
    assert abs(whole["metrics"]["val_r2"] - best("01_one_neuron", "train", "val_r2")) < 0.05
    assert 897 // 11 == 81


@pytest.mark.slow
def test_raw_numbers_get_stuck_and_one_block_helps() -> None:
    assert last("06_normalisation", "stuck", "val_loss") > 0.5
    assert best("06_normalisation", "stuck", "val_loss") > 0.2
    assert last("06_normalisation", "train", "val_loss") < 0.1


@pytest.mark.slow
def test_dropout_keeps_the_end_better_for_patients_not_seen() -> None:
    apart, together = (last("07_overfitting", s, "val_loss") for s in ("apart", "train"))
    assert apart > 0.8
    assert together < 0.65
    assert last("07_overfitting", "apart", "train_loss") < 0.2


@pytest.mark.slow
def test_too_large_a_rate_is_as_right_as_one_answer_and_too_small_a_one_is_slow() -> None:
    assert last("08_learning_rate", "large", "val_accuracy") < 0.2
    assert 0.2 < best("08_learning_rate", "small", "val_accuracy") < 0.85
    assert best("08_learning_rate", "good", "val_accuracy") > 0.95


@pytest.mark.slow
def test_without_short_cuts_the_deep_network_is_worse() -> None:
    cut = best("09_residual", "worse", "val_accuracy")
    assert best("09_residual", "train", "val_accuracy") - cut > 0.02


def test_layers_without_a_bend_are_one_layer() -> None:
    torch.manual_seed(0)
    layers = [nn.Linear(4, 16), nn.Linear(16, 16), nn.Linear(16, 3)]
    weight = layers[2].weight @ layers[1].weight @ layers[0].weight
    zero = torch.zeros(1, 4)
    straight = nn.Sequential(*layers)
    flowers = torch.randn(8, 4)
    torch.testing.assert_close(straight(flowers), flowers @ weight.T + straight(zero))


def reach(*kernels: int) -> int:
    """How many pixels a side one answer of these convolutions sees, told by the gradient."""
    layers = [nn.Conv2d(1, 1, k, padding=k // 2, bias=False) for k in kernels]
    for layer in layers:
        nn.init.ones_(layer.weight)
    image = torch.zeros(1, 1, 15, 15, requires_grad=True)
    nn.Sequential(*layers)(image)[0, 0, 7, 7].backward()
    assert image.grad is not None
    return int((image.grad[0, 0, 7] != 0).sum())


def test_two_filters_of_three_see_as_far_as_one_of_five() -> None:
    assert reach(3, 3) == 5 == reach(5)
    assert reach(3) == 3


def test_the_largest_hue_and_proline_are_as_the_lesson_says() -> None:
    wine = load_wine()
    largest = dict(zip(wine.feature_names, np.max(wine.data, axis=0), strict=True))
    assert largest["hue"] == 1.71
    assert largest["proline"] == 1680


def test_batch_norm_brings_a_batch_to_mean_0_and_spread_1() -> None:
    torch.manual_seed(0)
    out = nn.BatchNorm1d(3)(torch.randn(500, 3) * torch.tensor([1.0, 50.0, 900.0]) + 7)
    torch.testing.assert_close(out.mean(0), torch.zeros(3), atol=1e-5, rtol=0)
    torch.testing.assert_close(out.std(0), torch.ones(3), atol=0.01, rtol=0)


def test_dropout_lets_everything_through_after_training() -> None:
    drop, ones = nn.Dropout(0.5), torch.ones(1000)
    assert (drop(ones) == 0).any()
    assert (drop.eval()(ones) == 1).all()


def test_the_residual_lesson_has_sixteen_convolutions_in_its_stages() -> None:
    project = dict(along(LESSONS["09_residual"]))["deep"]
    report = analyse(project.graph)
    convolutions = [p for p, n in report.nodes.items() if n.block == "Conv2d" and "stage" in p]
    assert len(convolutions) == 16


def test_heads_cost_nothing() -> None:
    report = analyse(start(LESSONS["11_attention"]).graph)
    assert report.nodes["encoder"].params == 17_088


def test_a_lstm_has_four_gates_and_a_gru_three() -> None:
    sizes = {kind: kind(8, 48).weight_ih_l0.shape[0] // 48 for kind in (nn.GRU, nn.LSTM)}
    assert sizes == {nn.GRU: 3, nn.LSTM: 4}


def test_every_lesson_builds() -> None:
    for lesson in LESSONS.values():
        report = analyse(start(lesson).graph, lesson.title)
        assert report.source is not None
        assert build(report.source, report.class_name) is not None
