"""A NaN that a block makes at any learning rate is blamed on the block, by everything that judges.

The drawing of a public report: iris, normalised, through a logarithm.
"""

from pathlib import Path

import pytest

from app.cli import train, watch_run
from core.analyse import analyse_project
from core.prepare.create import prepare
from core.runs.verdict import verdict_of
from tests.core.small_runs import project, train_here

DRAWN = {
    "nodes": {
        "row": {"block": "Input", "settings": {"shape": [4]}},
        "ln": {"block": "log"},
        "fc1": {"block": "Linear", "settings": {"out_features": 3}},
        "logits": {"block": "Output"},
    },
    "edges": ["row -> ln", "ln -> fc1", "fc1 -> logits"],
}


@pytest.mark.parametrize("lr", [0.001, 0.000001])
def test_verdict_remedy_and_command_begin_from_the_block(
    run_folders: Path, lr: float, capsys: pytest.CaptureFixture[str]
) -> None:
    made = project(DRAWN, {"source": "iris", "normalize": True}, epochs=3, threads=1, lr=lr)
    run_dir = prepare(made, analyse_project(made), run_folders)
    view = train_here(run_dir)
    capsys.readouterr()
    verdict = verdict_of(run_dir, view)
    assert (view.state, verdict.kind, verdict.title) == (
        "failed",
        "exploded",
        "Not a number from ln",
    )
    assert verdict.reason.startswith("In step 1 the output of ln has ")
    assert "; its inputs range from -" in verdict.reason
    assert "needs numbers above 0" in verdict.reason
    assert [dict(each.changes) for each in verdict.remedies] == [{"ln.block": "Identity"}]
    assert watch_run.report_end(view, verdict) == 1
    told = capsys.readouterr().err
    assert "Verdict: Not a number from ln. In step 1 the output of ln has " in told
    assert told.rstrip().endswith("Try: --set ln.block=Identity")
    assert "lr=" not in told
    assert "Lower the learning rate" not in told
    assert told.splitlines()[1].startswith("In step 1 the output of ln has ")
    assert train.final(run_dir, view)["verdict"]["remedies"] == [
        {"title": "Leave out ln", "set": {"ln.block": "Identity"}}
    ]
