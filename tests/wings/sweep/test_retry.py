"""Trials that failed: counted, told with their reason, and tried again in their place."""

from pathlib import Path

from core.wings.sweep import claims, files, results, start, trials
from core.wings.sweep.counts import among, counts, outcome_of
from tests.core.small_runs import project, table_net

IRIS = project(table_net(4, 3), {"source": "iris"}, optimizer="SGD", epochs=2, threads=1)

ROWS = [
    {"trial": 2, "state": "finished", "reason": ""},
    {"trial": 1, "state": "failed", "reason": "Something went wrong.\nValueError: 121 steps"},
    {"trial": 3, "state": "failed", "reason": "other"},
]


def test_who_looks_reads_how_many_failed_and_the_last_line_of_the_first_error() -> None:
    assert counts(ROWS) == {"finished": 1, "pruned": 0, "failed": 2, "unfinished": 0}
    assert outcome_of(ROWS, 3) == "1 of 3 finished, 2 failed: ValueError: 121 steps"
    assert outcome_of(ROWS[:1], 1) == ""
    assert among(ROWS) == " of 1 that finished; 2 failed"


def test_a_trial_that_failed_is_tried_again_in_its_place(tmp_path: Path) -> None:
    asked = start.request_of(IRIS, None, ["lr=0.1..0.2"], 2, {}, together="off")
    folder = files.entered(tmp_path / "runs", asked, IRIS)
    with start.open_study(folder, folder.parents[1]) as sweep:
        first = claims.draw(sweep)
        assert first is not None
        trials.prune_failed(sweep, first, "no memory")
        left = claims.trials_left(sweep)
        assert claims.retry_failed(sweep) == 1
        assert claims.retry_failed(sweep) == 0
        assert claims.trials_left(sweep) == left + 1
        again = claims.draw(sweep)
        assert again is not None
        assert again.params == first.params
        assert trials.make(sweep, again) is not None  # no twin of the one that failed
        rows = results.document(sweep)["trials"]
        assert [(row["trial"], row["again"], row["state"]) for row in rows] == [
            (2, 1, "unfinished")
        ]
        assert results.total(sweep) == sweep.request.trials
