"""What the Compare page calls settings and results: as a student knows them from other pages."""

import json
import os
from dataclasses import replace

import pytest

from app.pages.compare.labels import axes, cells_of, title_of
from app.services import paths
from core.graph import edits
from core.project import save_project


def test_settings_are_called_as_on_the_form_that_asks_for_them() -> None:
    names = ["lr", "batch_size", "optimizer", "patience", "data.validation", "data.source"]
    assert [title_of(name) for name in names] == [
        "Learning rate", "Batch size", "Optimiser", "Patience (epochs)",
        "Share of validation samples", "Data set",
    ]  # fmt: skip
    assert title_of("optimizer_settings.momentum") == "Optimiser: momentum"
    assert title_of("scheduler.name") == "Schedule"
    assert title_of("versions.torch") == "Version: torch"
    assert title_of("of_tomorrow.thing") == "of_tomorrow.thing"


def test_metrics_are_called_and_written_as_under_the_curves() -> None:
    assert title_of("best val_accuracy") == "Validation accuracy"
    assert title_of("best val_kl_loss") == "Validation loss of kl"
    aims = {"": "digit", "score_1": "score against 1"}
    assert title_of("best val_accuracy", aims) == "Validation accuracy of digit"
    assert title_of("best val_score_1_loss", aims) == "Validation loss of score against 1"
    assert title_of("best val_r2") == "Validation R²"
    assert cells_of("best val_accuracy", [0.98607, None]) == ["98.6%", ""]
    assert cells_of("best val_made_score_1_accuracy", [1.0]) == ["100.0%"]
    assert cells_of("best val_loss", [0.057061]) == ["0.05706"]
    assert cells_of("best_by", ["val_loss", "last"]) == ["validation loss", "the latest"]


def test_counts_times_and_switches_are_written_for_people() -> None:
    assert cells_of("params", [61706]) == ["61,706"]
    assert cells_of("seconds", [4.238, 75.9, 7384.0]) == ["4.2 s", "1 min 15 s", "2 h 3 min"]
    assert cells_of("deterministic", [True, False]) == ["on", "off"]


def test_drawings_are_distinguished_by_letters() -> None:
    assert cells_of("drawing", ["220b981a", "681a8975", "220b981a"]) == ["A", "B", "A"]


def test_an_axis_has_a_place_by_the_value_and_says_it_in_words() -> None:
    rate, seed = axes({"lr": [0.002, None], "seed": [0, 1]})
    assert rate == {
        "name": "Learning rate", "values": [0.002, None], "texts": ["0.002", ""], "powers": True,
    }  # fmt: skip
    assert not seed["powers"]
    assert axes({"optimizer_settings.weight_decay": [0.1, 0.01]})[0]["powers"]


@pytest.mark.gate
def test_what_was_drawn_differently_can_be_scrolled_by_keyboard(lenet) -> None:
    project = lenet.document.project
    for number, name in ((1, "conv1"), (2, "tanh1")):
        folder = paths.runs_dir() / f"lenet-{number:03}"
        folder.mkdir(parents=True)
        (folder / "spec.json").write_text(json.dumps({"project": project.name, "training": {}}))
        (folder / "status.json").write_text(json.dumps({"state": "finished", "attempt": 1}))
        drawn = replace(project, graph=edits.remove(project.graph, name))
        save_project(drawn, folder / "project.loom.json")
        os.utime(folder / "spec.json", (number, number))
    lenet.go("compare").assert_calm()
    (diff,) = [h.proto.body for h in lenet.at.get("html") if '<pre class="ll-diff"' in h.proto.body]
    assert 'tabindex="0"' in diff
    assert '<b class="came">+ tanh1</b>' in diff
    assert '<b class="went">- conv1</b>' in diff


def test_the_only_run_shows_what_to_do_next(lenet) -> None:
    folder = paths.runs_dir() / "lenet-001"
    folder.mkdir(parents=True)
    spec = {"project": lenet.document.project.name, "training": {}}
    (folder / "spec.json").write_text(json.dumps(spec))
    (folder / "status.json").write_text(json.dumps({"state": "finished", "attempt": 1}))
    lenet.go("compare").assert_calm()
    assert lenet.at.info[0].value.startswith("This is the only run so far. Change one thing")
