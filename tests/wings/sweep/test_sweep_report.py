"""What `layerloom sweep` prints of trials with one objective and with several."""

import pytest

from app.wings.sweep import report as sweep_report

ACCURACY = {"name": "val_accuracy", "words": "validation accuracy", "direction": "maximize",
            "unit": "", "kind": "metric"}  # fmt: skip
PARAMS = {**ACCURACY, "name": "params", "words": "parameters", "direction": "minimize",
          "kind": "cost"}  # fmt: skip


def trial(number: int, accuracy: float | None, params: float, **more: object) -> dict:
    values = {"val_accuracy": accuracy, "params": params}
    return {"trial": number, "state": "finished", "value": accuracy, "values": values,
            "run": f"net-{number:03d}", "settings": {"fc1.out_features": 8}, "epoch": 2,
            "seconds": 3.0, "as": None, "reason": "", **more}  # fmt: skip


def test_a_trial_is_a_line_with_every_objective() -> None:
    line = sweep_report.line(trial(3, 0.9721, 1591.0), [ACCURACY, PARAMS], 30)
    assert line == (
        "trial  3/30  val_accuracy 97.21%, params 1,591  3 s  fc1.out_features=8  (net-003)"
    )


def test_a_pruned_trial_says_why() -> None:
    why = "not in the best third at epoch 3 (ASHA)"
    row = trial(1, None, 5.0, state="pruned", epoch=3, reason=why)
    assert sweep_report.outcome(row, [ACCURACY]) == f"pruned at epoch 3 ({why})"


def test_an_error_is_written_out_once() -> None:
    reasons: dict[str, int] = {}
    rows = [trial(n, None, 5.0, state="failed", reason="fc1 has no size.") for n in (2, 5)]
    found = [sweep_report.repeated_reason(row, reasons)["reason"] for row in rows]
    assert found == ["fc1 has no size.", "as trial 2"]


def test_the_front_is_marked_in_the_table_and_listed(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [trial(2, 0.9, 131.0), trial(1, 0.8, 35.0), trial(3, 0.7, 67.0)]
    sweep_report.print_results({
        "goal": {"metric": "val_accuracy", "direction": "maximize"}, "trials": rows,
        "objectives": [ACCURACY, PARAMS], "front": [2, 1], "best": rows[0], "fixed": {},
        "importances": None, "file": "", "search": [],
    })  # fmt: skip
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == [
        "trial", "val_accuracy", "params", "front", "state", "fc1.out_features", "run",
    ]  # fmt: skip
    assert [("*" in line) for line in lines[1:4]] == [True, True, False]
    assert "Front of val_accuracy and params: trial 2 (90.00%, 131), trial 1 (80.00%, 35)" in lines
    assert "Best by val_accuracy: trial 2, 90.00%" in lines
