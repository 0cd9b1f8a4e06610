"""A teacher helps a student that has few samples of its own: measured on the digits.

The teacher, two convolutions and a Linear, learned from all 1438 digits: 98.3 % right over the
seeds 0 to 5. The student, a Linear of 32 and one of 10, learns from 100 of them, nine to eleven
a class: 90.8 % right alone and 93.7 % when taught, its loss against the truth 0.311 and 0.206; no
seed gained less than 1.9 points. Where a student has all digits itself, a teacher does not help
it: eight hidden units in 60 epochs reach 94.8 % alone and 92.4 % when taught.
"""

from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from core.analyse import analyse_project
from core.prepare.create import prepare
from core.runs.listing import RunView
from tests.core.small_runs import project, train_here

SEEDS = (0, 1, 2)
IMAGE = {"image": {"block": "Input", "settings": {"shape": [1, 8, 8]}}}
HEAD = {"fc2": {"block": "Linear", "settings": {"out_features": 10}}, "out": {"block": "Output"}}
FLAT = {"flat": {"block": "flatten", "settings": {"start_dim": 1}}}


def chain(nodes: dict[str, Any]) -> dict[str, Any]:
    return {"nodes": nodes, "edges": [f"{a} -> {b}" for a, b in pairwise(nodes)]}


def convolution(channels: int) -> dict[str, Any]:
    settings = {"out_channels": channels, "kernel_size": 3, "padding": 1}
    return {"block": "Conv2d", "settings": settings}


TEACHER = chain(
    {
        **IMAGE,
        "conv1": convolution(16),
        "relu1": {"block": "ReLU"},
        "pool1": {"block": "MaxPool2d", "settings": {"kernel_size": 2}},
        "conv2": convolution(32),
        "relu2": {"block": "ReLU"},
        **FLAT,
        **HEAD,
    }
)
STUDENT = chain(
    {
        **IMAGE,
        **FLAT,
        "fc1": {"block": "Linear", "settings": {"out_features": 32}},
        "relu1": {"block": "ReLU"},
        **HEAD,
    }
)


def trained(net: dict[str, Any], runs: Path, limit: int | None, **training: Any) -> RunView:
    data = {"source": "digits"} | ({"limit": limit} if limit else {})
    found = project(net, data, threads=1, lr=0.005, **training)
    view = train_here(prepare(found, analyse_project(found), runs))
    assert view.state == "finished"
    return view


@pytest.mark.slow
def test_a_student_with_a_hundred_digits_is_better_with_a_teacher_than_alone(tmp_path: Path):
    alone: list[RunView] = []
    taught: list[RunView] = []
    for seed in SEEDS:
        runs = tmp_path / str(seed)
        teacher = trained(TEACHER, runs, None, epochs=8, batch_size=32, seed=seed)
        mine: dict[str, Any] = {"epochs": 100, "batch_size": 20, "seed": seed}
        alone.append(trained(STUDENT, runs, 100, **mine))
        taught.append(trained(STUDENT, runs, 100, distil={"run": teacher.name}, **mine))
    right = [mean(view.metrics["val_accuracy"] for view in views) for views in (alone, taught)]
    assert right[1] > right[0] + 0.015
    for before, after in zip(alone, taught, strict=True):
        assert after.metrics["val_loss"] < 0.85 * before.metrics["val_loss"]
