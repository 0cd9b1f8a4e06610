"""Runs of a sweep are found together, and compared by what was searched."""

import json
from pathlib import Path
from typing import Any

from core.runs.compare_runs import differing_settings
from core.wings.sweep.listing import searched, sweeps_of


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")


def a_run(runs: Path, name: str, lr: float, **more: Any) -> Path:
    write(runs / name / "spec.json", {"training": {"lr": lr}, **more})
    return runs / name


def a_sweep(runs: Path, name: str, trials: Any) -> None:
    write(runs / "sweeps" / name / "sweep.json", {})
    write(runs / "sweeps" / name / "results.json", {"trials": trials})


def test_the_runs_of_each_sweep_come_in_the_order_of_its_results(tmp_path: Path) -> None:
    a_sweep(tmp_path, "b", [{"run": "net-002"}, {"run": "net-001"}, {"run": "net-002"},
                            {"run": None}])  # fmt: skip
    a_sweep(tmp_path, "a", [{"run": "net-003"}])
    assert sweeps_of(tmp_path) == {"a": ["net-003"], "b": ["net-002", "net-001"]}


def test_files_that_no_sweep_wrote_are_passed_over(tmp_path: Path) -> None:
    assert sweeps_of(tmp_path / "none") == {}
    a_sweep(tmp_path, "odd name", [{"run": "net-001"}])
    for number, trials in enumerate((None, 3, ["net-001"], [{"run": 5}], [{}])):
        a_sweep(tmp_path, f"odd-{number}", trials)
    write(tmp_path / "sweeps" / "list" / "results.json", [])
    assert sweeps_of(tmp_path) == {}


def test_what_was_searched_is_listed_for_runs_of_one_sweep_only(tmp_path: Path) -> None:
    one = {"sweep": {"name": "one", "trial": 1, "settings": {"lr": 0.1, "fc1.out_features": 8}}}
    two = {"sweep": {"name": "one", "trial": 2, "settings": {"lr": 0.2, "fc1.out_features": 9}}}
    first, second = a_run(tmp_path, "a", 0.1, **one), a_run(tmp_path, "b", 0.2, **two)
    other, odd = a_run(tmp_path, "c", 0.3), a_run(tmp_path, "d", 0.3, sweep=[1])
    assert searched([first, second]) == ["lr", "fc1.out_features"]
    assert searched([first, other]) == []
    assert searched([first, odd]) == []
    assert searched([]) == []


def test_settings_of_blocks_that_were_searched_are_among_the_differences(tmp_path: Path) -> None:
    trial = {"name": "one", "trial": 1, "settings": {"lr": 0.1, "fc1.out_features": 8}}
    first = a_run(tmp_path, "a", 0.1, sweep=trial)
    second = a_run(tmp_path, "b", 0.2)
    assert differing_settings([first, second]) == {"lr": [0.1, 0.2], "fc1.out_features": [8, None]}
