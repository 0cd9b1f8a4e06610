"""The change from calculated to compiled steps: when it comes, what it writes down, what it costs.

The compiler and the process that calls it are left out; `tests/scenarios/test_resume.py` has both.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.engine.compiled_step import CompiledStep
from core.runs.checkpoint import load
from core.runs.files import read_json
from core.runs.listing import read_events, view_run
from core.worker import change_over
from tests.core.engine.test_compiled_step import as_noted
from tests.core.small_runs import train_here
from tests.gpu.engines import apart

Make = Callable[..., Path]
FASTER = {"calculated_s": 0.002, "compiled_s": 0.001, "ready_s": 0.0, "kept": True, "why": ""}


@pytest.fixture(autouse=True)
def _compiles_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.engine.compiled_step.inductor", as_noted)
    monkeypatch.setattr("core.settings.accelerations.cpp_compiler", lambda: "/usr/bin/g++")
    monkeypatch.setattr("core.engine.trainer.TICK_S", 0.0)
    monkeypatch.setattr(CompiledStep, "timed", lambda _: (0.002, 0.001))
    for name in ("BEGIN_S", "LEAST_S", "SLOW_LEAST_S", "AGAIN_S"):
        monkeypatch.setattr(change_over, name, 0.0)


def helper_says(patch: pytest.MonkeyPatch, **more: Any) -> None:
    """Let what compiles ahead be a process that says so at once."""
    words = f"print({json.dumps(json.dumps(FASTER | more))})"
    patch.setattr(change_over, "helper_command", lambda _: [sys.executable, "-c", words])


def how(run_dir: Path) -> dict[str, Any]:
    return read_json(run_dir / "modes.json")["compile_step"]


@pytest.mark.gate
def test_a_run_changes_over_and_whoever_goes_on_with_its_plan_is_the_same_to_the_bit(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper_says(monkeypatch)
    run_dir = small_run(compile_step="auto", epochs=60)
    assert train_here(run_dir).state == "finished"
    mode, (said,) = how(run_dir), [e for e in read_events(run_dir) if e["kind"] == "compiled"]
    step = mode["from_step"]
    assert mode["on"] is True
    assert 0 < step < 60 * 23
    assert mode["why"] == (
        f"From step {step + 1:,} on, 2 times as fast: a step takes 1 ms instead of 2 ms."
    )
    assert said["message"] == f"Steps are compiled. {mode['why']}"
    assert view_run(run_dir).compiled == {"from_step": step + 1, "times": 2.0}
    again = small_run(compile_step="auto", epochs=60)
    (again / "modes.json").write_text((run_dir / "modes.json").read_text())
    assert train_here(again).state == "finished"
    assert apart(load(run_dir, "last")["model"], load(again, "last")["model"]) == 0.0
    assert how(again) == mode


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (
            {"compiled_s": 0.00195},
            "A compiled step takes 1.95 ms, one that is not compiled 2 ms, so"
            " steps are not compiled.",
        ),
        ({"why": "no g++"}, "The step could not be compiled: no g++."),
        ({"kept": False}, "The compiled step could not be saved for the run."),
        ({}, "The process that compiles the step ended with status 3; see log.txt."),
    ],
)
def test_without_gain_steps_stay_calculated_and_the_run_says_why(
    small_run: Make, monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any], why: str
) -> None:
    helper_says(monkeypatch, **answer)
    if not answer:
        fails = [sys.executable, "-c", "raise SystemExit(3)"]
        monkeypatch.setattr(change_over, "helper_command", lambda _: fails)
    run_dir = small_run(compile_step="auto", epochs=60)
    assert train_here(run_dir).state == "finished"
    assert how(run_dir) == {"on": False, "why": why}
    assert view_run(run_dir).compiled is None


@pytest.mark.parametrize(
    "wanted",
    [{"SLOW_STEP_S": 1e9, "LEAST_S": 1e9}, {"SLOW_STEP_S": 0.0, "SLOW_LEAST_S": 1e9}],
    ids=["any", "slow"],
)
def test_a_run_that_is_short_for_its_steps_starts_no_helper(
    small_run: Make, monkeypatch: pytest.MonkeyPatch, wanted: dict[str, float]
) -> None:
    for name, value in wanted.items():
        monkeypatch.setattr(change_over, name, value)
    monkeypatch.setattr(change_over, "helper_command", lambda _: 1 / 0)
    run_dir = small_run(compile_step="auto", epochs=2)
    assert train_here(run_dir).state == "finished"
    assert how(run_dir)["from_step"] is None


@pytest.mark.gate
def test_too_little_that_is_left_is_no_reason_for_the_next_attempt(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper_says(monkeypatch, ready_s=1e6)
    run_dir = small_run(compile_step="auto", epochs=60)
    train_here(run_dir)
    assert how(run_dir) == {
        "on": False,
        "why": "Steps are not compiled yet; they are compiled in the background if the"
        " run is long enough.",
        "from_step": None,
    }


@pytest.mark.gate
def test_what_is_planned_and_cannot_be_compiled_any_more_is_calculated_and_said(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper_says(monkeypatch)
    run_dir = small_run(compile_step="auto", epochs=60)
    train_here(run_dir)
    monkeypatch.setattr("core.engine.compiled_step.inductor", lambda *_: 1 / 0)
    plan = (run_dir / "modes.json").read_text()
    again = small_run(compile_step="auto", epochs=3)
    (again / "modes.json").write_text(plan)
    assert train_here(again).state == "finished"
    assert how(again) == {
        "on": False,
        "why": "The step could not be compiled: division by zero",
    }
