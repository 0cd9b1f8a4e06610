"""A sweep as a page sees it: how it stands, its curves, and what its folder may hold."""

import json

import pytest

from app.services import paths
from app.wings.sweep import service as sweeps
from core.common.errors import SweepError
from core.wings.sweep import files

ASKED = {"file": "", "project_sha256": "0", "search": ["lr=0.001..0.1:log"], "trials": 3, "seed": 0,
         "prune": True, "fixed": {}, "name": "s"}  # fmt: skip
GOAL = {"metric": "val_loss", "direction": "minimize"}


@pytest.fixture
def folder(workspace):
    """The folder of a sweep of an older version, which knows no document."""
    made = paths.runs_dir() / "sweeps" / "s"
    made.mkdir(parents=True)
    (made / files.ASKED).write_text(json.dumps(ASKED))
    return made


def results(folder, *rows, **more):
    document = {"goal": GOAL, "trials": list(rows), **more}
    (folder / files.RESULTS).write_text(json.dumps(document))


def test_a_sweep_that_only_was_asked_for_is_stopped_with_what_its_process_printed(folder):
    (folder / files.LOG).write_text("Sweep s\nerror: iris is not on this machine.\n")
    view = sweeps.look("s")
    assert (view.state, view.total, view.trials) == ("stopped", 3, ())
    assert view.message == "iris is not on this machine."
    assert view.request.document == ""
    assert (view.keys, view.powers) == (["lr"], ["lr"])
    assert view.best is None


def test_trials_come_with_their_curves_and_a_sweep_ends_when_all_have(folder):
    run = paths.runs_dir() / "net-001"
    run.mkdir()
    record = {"attempt": 1, "kind": "epoch", "epoch": [1, 2, 3], "val_loss": [0.5, None, 0.25]}
    (run / "metrics.jsonl").write_text(json.dumps(record) + "\n")
    row = {"trial": 1, "state": "finished", "value": 0.25, "run": "net-001", "settings": {"lr": 1}}
    results(folder, row, total=1)
    view = sweeps.look("s")
    assert view.state == "finished"
    assert view.trials[0]["curve"] == {"x": [1, 3], "y": [0.5, 0.25]}
    assert view.best is view.trials[0]
    results(folder, row, {**row, "trial": 2, "state": "unfinished", "value": None}, total=2)
    assert sweeps.look("s").state == "stopped"


def test_what_is_no_result_does_no_harm(folder):
    results(folder, 7, {"trial": "x", "run": "../../etc", "settings": 3, "state": []}, total="many")
    view = sweeps.look("s")
    assert view.trials == (
        {"trial": "x", "run": "../../etc", "state": [], "settings": {}, "live": False,
         "values": {}, "curve": {"x": [], "y": []}},
    )  # fmt: skip
    with pytest.raises(SweepError, match=r"Trial 1 of s is not running\."):
        sweeps.stop_trial("s", 1)


@pytest.mark.parametrize("name", ["none", "..", "../s", ""])
def test_a_name_of_no_sweep_is_refused(name, folder):
    with pytest.raises(SweepError, match="There is no sweep"):
        sweeps.look(name)
