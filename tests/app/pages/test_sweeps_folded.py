"""The trials of a sweep are one row in lists of runs, and a press away."""

import json
import os

import pytest

from app.cli import main
from app.services import paths

BEST = {"metric": "val_accuracy", "value": 0.95, "metrics": {"val_accuracy": 0.95}}


def made(name, number, sweep="", **status):
    """A run that has ended, of a sweep or by itself; a larger number is newer."""
    folder = paths.runs_dir() / name
    folder.mkdir(parents=True)
    spec = {"project": "LeNet on digits", "training": {"epochs": 1}}
    if sweep:
        spec["sweep"] = {"name": sweep, "trial": number, "settings": {"lr": 0.1}}
    (folder / "spec.json").write_text(json.dumps(spec))
    known = {"state": "finished", "attempt": 1, "epoch": 1, **status}
    (folder / "status.json").write_text(json.dumps(known))
    os.utime(folder / "spec.json", (number, number))


@pytest.fixture
def swept(workspace):
    """A run, then a sweep of four trials, one of which failed."""
    made("lenet-001", 1)
    for number in (2, 3, 4):
        made(f"lenet-{number:03}", number, "rates", **({"best": BEST} if number == 3 else {}))
    made("lenet-005", 5, "rates", state="failed")


@pytest.fixture
def tab(swept, lenet):
    return lenet


def buttons(tab, prefix):
    return [b.key.removeprefix(prefix) for b in tab.at.button if (b.key or "").startswith(prefix)]


def ticked(tab):
    return [box.label for box in tab.at.checkbox if box.value]


def fold(tab):
    (button,) = (b for b in tab.at.button if (b.key or "").startswith("fold_"))
    return button


@pytest.mark.slow
def test_train_lists_a_sweep_as_one_row_and_its_trials_at_a_press(tab):
    tab.go("train").press("run_lenet-001").assert_calm()
    assert fold(tab).label == "rates · 4 trials"
    assert buttons(tab, "run_lenet-") == ["001"]
    assert "<b>95.0%</b>" in " ".join(block.proto.body for block in tab.at.get("html"))
    fold(tab).click().run()
    tab.assert_calm()
    assert buttons(tab, "run_lenet-") == ["005", "004", "003", "002", "001"]
    tab.press("run_lenet-004")
    fold(tab).click().run()
    assert buttons(tab, "run_lenet-") == ["004", "001"], "the run that the page shows stays"


@pytest.mark.slow
def test_my_work_folds_a_sweep_too(tab):
    tab.go("work")
    next(b for b in tab.at.button if (b.key or "").startswith("work_runs_")).click().run()
    assert buttons(tab, "work_show_") == ["lenet-001"]
    fold(tab).click().run()
    tab.assert_calm()
    assert len(buttons(tab, "work_show_")) == 5


def test_compare_ticks_the_best_trials_and_lists_them_best_first(tab):
    tab.go("compare").assert_calm()
    assert len(tab.at.checkbox) == 3, "two that are ticked, and the run by itself"
    fold(tab).click().run()
    assert next(box.label for box in tab.at.checkbox) == "lenet-003"
    next(b for b in tab.at.button if (b.key or "").startswith("compare_best_")).click().run()
    tab.assert_calm()
    assert ticked(tab) == ["lenet-003", "lenet-005", "lenet-004", "lenet-002"]


def test_the_command_lists_a_sweep_as_one_line_and_each_trial_on_request(swept, capsys):
    runs = ["runs", "--runs", str(paths.runs_dir())]
    assert main(runs) == 0
    written = capsys.readouterr()
    lines = written.out.splitlines()
    assert len(lines) == 3, "the head, the sweep, the run"
    assert lines[1].startswith("rates: 4 trials")
    assert "3 finished, 1 failed" in lines[1]
    assert "`layerloom runs --trials` lists each trial of a sweep." in written.err
    assert main([*runs, "--trials"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 6
