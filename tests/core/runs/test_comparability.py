"""What runs are judged on: only what is judged by and on the same compares."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.project import open_project, save_project
from core.runs.best import best_first, best_run, judged_apart
from core.runs.comparability import JudgedOn, difference, groups, judged_on
from core.runs.compare_runs import differing_settings, standing
from core.runs.listing import RunView

ROOT = Path(__file__).resolve().parents[3]


def of(source: dict[str, Any], training: dict[str, Any] | None = None, **kept: str) -> JudgedOn:
    return judged_on({"data": source, "training": training or {}}, {"judged_on": kept})


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ({}, {"validation": 0.5}, "on different splits of the data"),
        ({}, {"validation": 0.2}, ""),
        ({}, {"limit": 50, "transform": [], "summary": "50 flowers"}, ""),
        ({}, {"source": "wine"}, "on different data"),
        ({}, {"target": "input"}, "by different targets"),
        ({}, {"noise": 0.3}, "with different noise on the inputs"),
        ({"folds": 5, "fold": 1}, {"folds": 5, "fold": 2}, "on different splits of the data"),
        ({"folds": 5, "validation": 0.5}, {"folds": 5}, ""),
        ({"test": 0.2}, {}, "on different splits of the data"),
    ],
)
def test_settings_tell_where_nothing_was_written_down(
    first: dict[str, Any], second: dict[str, Any], why: str
) -> None:
    one, other = (of({"source": "iris"} | each) for each in (first, second))
    assert difference(one, other, "val_accuracy") == why


def test_a_seed_chooses_the_samples_but_not_those_of_the_makers() -> None:
    def seeds(source: str, **more: Any) -> str:
        one, other = (of({"source": source, **more}, {"seed": seed}) for seed in (0, 1))
        return difference(one, other, "val_accuracy")

    assert seeds("iris") == "on different splits of the data"
    assert seeds("MNIST") == ""
    assert seeds("MNIST", validation=0.1) == "on different splits of the data"
    assert seeds("MNIST", test="makers") == "on different splits of the data"


def test_what_was_written_down_goes_before_the_settings() -> None:
    table = {"source": "CSV", "file": "a.csv"}
    first = of(table, {"seed": 0}, data="one", samples="s")
    assert difference(first, of(table, {"seed": 1}, data="one", samples="s"), "val_mae") == ""
    assert (
        difference(first, of(table, data="one", samples="t"), "val_mae") == "on different samples"
    )
    assert difference(first, of(table, data="two", samples="s"), "val_mae") == "on different data"
    moved = of({**table, "file": "b.csv"}, data="one", samples="s")
    assert difference(first, moved, "val_mae") == ""
    fewer = of({**table, "columns": ["x"]}, data="two", samples="s")
    assert difference(first, fewer, "val_mae") == ""


@pytest.mark.parametrize(
    "training", [{"loss": "MSELoss"}, {"class_weights": "balanced"}, {"loss_settings": {"beta": 2}}]
)
def test_only_a_loss_depends_on_how_it_is_measured(training: dict[str, Any]) -> None:
    pair = of({"source": "iris"}), of({"source": "iris"}, training)
    assert difference(*pair, "val_loss") == "by different losses"
    assert difference(*pair, "val_accuracy") == ""


def test_runs_come_in_groups_that_compare() -> None:
    iris, wine = of({"source": "iris"}), of({"source": "wine"})
    judged = [(iris, "val_accuracy"), (wine, "val_accuracy"), (iris, "val_accuracy")]
    assert groups([*judged, (iris, "val_loss")]) == [0, 1, 0, 2]


def a_run(folder: Path, name: str, value: float, data: dict[str, Any]) -> Path:
    path = folder / name
    path.mkdir()
    spec = {"data": data, "source_sha256": name.encode().hex()}
    (path / "spec.json").write_text(json.dumps(spec))
    best = {"metric": "val_accuracy", "value": value}
    (path / "status.json").write_text(json.dumps({"best": best}))
    return path


def test_each_group_has_its_best_and_all_together_none(tmp_path: Path) -> None:
    iris, half = {"source": "iris"}, {"source": "iris", "validation": 0.5}
    runs = [
        a_run(tmp_path, "a", 0.8, iris),
        a_run(tmp_path, "b", 0.9, iris),
        a_run(tmp_path, "c", 0.99, half),
        a_run(tmp_path, "d", 1.0, {"source": "wine"}),
    ]
    found = standing(runs)
    assert (found.best, found.groups, found.bests) == (None, ((0, 1), (2,), (3,)), (1, None, None))
    assert found.sentences(["a", "b", "c", "d"]) == [
        "No best run: they were judged on different splits of the data and on different data "
        "(a, b | c | d).",
        "Best of a, b: b",
    ]
    assert standing(runs[:2]).sentences(["a", "b"]) == ["Best run: b"]


def test_lists_rank_what_compares_with_the_newest_run_first() -> None:
    def view(name: str, value: float, judged: JudgedOn) -> RunView:
        best = {"metric": "val_accuracy", "value": value}
        return RunView(Path(name), name, "finished", best=best, judged=judged)

    iris, half = of({"source": "iris"}), of({"source": "iris", "validation": 0.5})
    views = [view("c", 0.8, iris), view("b", 1.0, half), view("a", 0.9, iris)]
    assert [each.name for each in best_first(views)] == ["a", "c", "b"]
    best = best_run(views)
    assert best is not None
    assert best.name == "a"
    assert judged_apart(views) == 1


def test_one_drawing_by_two_names_is_one_drawing(tmp_path: Path) -> None:
    runs = [a_run(tmp_path, name, 0.9, {"source": "iris"}) for name in ("a", "b", "c")]
    project = open_project(ROOT / "projects" / "lenet_digits.loom.json")
    other = open_project(ROOT / "projects" / "autoencoder_digits.loom.json")
    named = [project, replace(project, name="Another name"), other]
    for run, each in zip(runs, named, strict=True):
        save_project(each, run / "project.loom.json")
    assert differing_settings(runs[:2]) == {}
    assert differing_settings(runs) == {"drawing": ["61", "61", "63"]}
