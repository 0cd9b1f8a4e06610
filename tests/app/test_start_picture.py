"""What the start page plays: weights that a run of the template had, epoch by epoch."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from app.shell import recording
from core.analyse import analyse_project
from core.prepare.create import prepare
from core.project import open_project
from core.project.templates import load_template
from core.worker import main

ROOT = Path(__file__).parents[2]


def test_the_recorded_weights_fit_the_template_and_the_epochs_rise() -> None:
    recorded = json.loads(recording.FILE.read_text("utf-8"))
    nodes = open_project(ROOT / "projects" / "mlp_spirals.loom.json").graph.nodes
    widths = [2, *(nodes[layer].settings["out_features"] for layer in recording.LAYERS)]
    sizes = [size for n, m in pairwise(widths) for size in (n * m, m)]
    assert all([len(part) for part in frame] == sizes for frame in recorded["frames"])
    assert len(recorded["epochs"]) == len(recorded["frames"]) <= recording.FRAMES
    assert recorded["epochs"] == sorted(set(recorded["epochs"]))
    assert recorded["epochs"][0] == 0
    assert len(recorded["points"]) == len(recorded["classes"]) == 400


def test_early_epochs_are_shown_densely_and_the_last_always() -> None:
    shown = recording.epochs_shown(list(range(0, 252, 2)))
    assert shown[:4] == [0, 2, 4, 6]
    assert shown[-1] == 250
    assert shown[1] - shown[0] < shown[-1] - shown[-2]


@pytest.mark.gate
def test_a_run_is_recorded_as_it_learned(tmp_path: Path) -> None:
    project = load_template("mlp_spirals")
    project = replace(project, training={**project.training, "epochs": 2, "threads": 1})
    run = prepare(project, analyse_project(project), tmp_path)
    assert main.main(run) == 0
    recorded: dict[str, Any] = recording.record(run)
    assert recorded["epochs"] == [0, 1, 2]
    assert [len(part) for part in recorded["frames"][0]] == [32, 16, 256, 16, 32, 2]
