"""Runs beside each other: in what they differ, which is best, what people wrote on them."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import RunError
from core.runs.compare_runs import best_of, differing_settings, outcomes
from core.runs.run_notes import RunNotes, read_notes, write_notes


def run(folder: Path, name: str, training: dict[str, Any], best: dict[str, Any] | None) -> Path:
    path = folder / name
    path.mkdir()
    spec = {"training": training, "data": {"source": "iris", "summary": "150 flowers"}}
    (path / "spec.json").write_text(json.dumps({**spec, "params": 67, "threads": 1}))
    status = {"state": "finished", "elapsed_s": 2.5, "best": best}
    (path / "status.json").write_text(json.dumps(status))
    return path


def accuracy(value: float) -> dict[str, Any]:
    return {"metric": "val_accuracy", "value": value, "metrics": {"val_accuracy": value}}


def test_only_what_differs_is_listed_nested_settings_by_their_path(tmp_path: Path) -> None:
    runs = [
        run(tmp_path, "a", {"lr": 0.1, "epochs": 3, "optimizer_settings": {}}, accuracy(0.9)),
        run(tmp_path, "b", {"lr": 0.01, "epochs": 3, "optimizer_settings": {"momentum": 0.9}},
            accuracy(0.95)),
    ]  # fmt: skip
    assert differing_settings(runs) == {
        "lr": [0.1, 0.01],
        "optimizer_settings.momentum": [None, 0.9],
    }
    assert outcomes(runs) == {
        "best val_accuracy": [0.9, 0.95],
        "params": [67, 67],
        "seconds": [2.5, 2.5],
    }
    assert best_of(runs) == 1


def test_a_teacher_and_a_start_are_settings_in_which_runs_differ(tmp_path: Path) -> None:
    distil = {"run": "big-001", "which": "best", "temperature": 4.0, "alpha": 0.9}
    start = {"run": "first-001", "which": "last", "leave_out": ["head", "norm"]}
    runs = [
        run(tmp_path, "a", {"distil": None, "start_from": None}, accuracy(0.9)),
        run(tmp_path, "b", {"distil": distil, "start_from": start}, accuracy(0.95)),
    ]
    assert differing_settings(runs) == {
        "distil.run": [None, "big-001"],
        "distil.which": [None, "best"],
        "distil.temperature": [None, 4.0],
        "distil.alpha": [None, 0.9],
        "start_from.run": [None, "first-001"],
        "start_from.which": [None, "last"],
        "start_from.leave_out": [None, "head, norm"],
    }


def test_the_lowest_loss_is_best_and_runs_of_different_kinds_have_no_best(tmp_path: Path) -> None:
    def loss(value: float) -> dict[str, Any]:
        return {"metric": "val_loss", "value": value, "metrics": {}}

    runs = [run(tmp_path, name, {}, loss(value)) for name, value in (("a", 0.3), ("b", 0.2))]
    assert best_of(runs) == 1
    assert best_of([*runs, run(tmp_path, "c", {}, accuracy(0.9))]) is None
    assert best_of(runs[:1]) is None


def test_a_run_that_has_no_result_yet_does_not_count(tmp_path: Path) -> None:
    runs = [
        run(tmp_path, "a", {}, accuracy(0.7)),
        run(tmp_path, "b", {}, None),
        run(tmp_path, "c", {}, accuracy(0.6)),
    ]
    assert best_of(runs) == 0
    assert outcomes(runs)["best val_accuracy"] == [0.7, None, 0.6]


def test_notes_and_tags_are_kept_and_too_much_is_refused(tmp_path: Path) -> None:
    marks = RunNotes("Smaller steps.", ("baseline", "for the report"), pinned=True)
    write_notes(tmp_path, marks)
    assert read_notes(tmp_path) == marks
    with pytest.raises(RunError, match="Keep it under 4000"):
        write_notes(tmp_path, RunNotes("x" * 4001))
    with pytest.raises(RunError, match="at most 12 tags of 30 characters"):
        write_notes(tmp_path, RunNotes(tags=("x" * 31,)))
    assert read_notes(tmp_path) == marks


@pytest.mark.parametrize("text", ["", "[]", '{"note": 3, "tags": "a"}', '{"tags": [1, " "]}', "{"])
def test_marks_that_are_none_are_empty(tmp_path: Path, text: str) -> None:
    (tmp_path / "marks.json").write_text(text)
    assert read_notes(tmp_path) == RunNotes()


def test_equally_good_runs_have_no_single_best(tmp_path: Path) -> None:
    values = {"a": 0.7, "b": 0.9, "c": 0.9}
    runs = [run(tmp_path, name, {}, accuracy(value)) for name, value in values.items()]
    assert best_of(runs) is None
    assert best_of(runs[:2]) == 1
