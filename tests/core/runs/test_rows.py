"""The rows of a list of runs: the trials of a sweep are one, and a stranger's spec breaks none."""

from pathlib import Path
from typing import Any

from core.runs.files import write_json
from core.runs.listing import RunView, view_run
from core.runs.rows import rows


def trial(number: int, value: float | None, sweep: str = "rates", **more: Any) -> RunView:
    best = None if value is None else {"metric": "val_accuracy", "value": value}
    name = f"lenet-{number:03}"
    return RunView(Path(name), name, "finished", best=best, sweep=sweep, **more)


def test_the_trials_of_a_sweep_are_one_row_where_the_first_of_them_stands() -> None:
    views = [trial(5, 0.9), trial(4, 0.8, ""), trial(3, 0.95), trial(2, 0.7), trial(1, 0.6, "")]
    listed = rows(views)
    names = [(row.sweep, [view.name for view in row.views]) for row in listed]
    assert names == [
        ("rates", ["lenet-005", "lenet-003", "lenet-002"]),
        ("", ["lenet-004"]),
        ("", ["lenet-001"]),
    ]
    assert listed[0].best.name == "lenet-003"
    assert listed[0].count == "3 trials"


def test_a_single_trial_and_a_pinned_one_are_runs_like_others() -> None:
    assert [row.sweep for row in rows([trial(1, 0.9)])] == [""]
    listed = rows([trial(3, 0.9), trial(2, 0.8), trial(1, 0.7)], apart=["lenet-002"])
    assert [(row.sweep, len(row.views)) for row in listed] == [("rates", 2), ("", 1)]


def test_sweeps_of_one_name_from_two_bundles_are_two_rows_with_keys_of_their_own() -> None:
    own = [trial(number, 0.9) for number in (1, 2)]
    brought = [trial(number, 0.9, brought="ann.loom.zip") for number in (3, 4)]
    first, second = rows([*own, *brought])
    assert first.sweep == second.sweep == "rates"
    assert first.key != second.key


def test_states_are_counted_the_most_frequent_first() -> None:
    views = [trial(1, None), trial(2, 0.9), trial(3, 0.9)]
    views[0] = RunView(Path("a"), "a", "failed", sweep="rates")
    (row,) = rows(views)
    assert row.states == (("finished", 2), ("failed", 1))


def test_a_view_knows_its_sweep_and_takes_no_other_thing_for_one(tmp_path: Path) -> None:
    for name, entry in (("a", {"name": "rates", "trial": 3}), ("b", "rates"), ("c", None)):
        (tmp_path / name).mkdir()
        write_json(tmp_path / name / "spec.json", {"project": "LeNet", "sweep": entry})
    found = [view_run(tmp_path / name).sweep for name in "abc"]
    assert found == ["rates", "", ""]
