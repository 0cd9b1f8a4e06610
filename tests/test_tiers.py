"""What the gate may take, by recorded durations, and that marks alone say what runs where."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import durations, flakes, tiers
from tests.tiers import ALL_ITEMS, part_of, tier_of

ROOT = Path(__file__).parents[1]
PROCESSES = 2
BUDGET_S = 660
COLLECTING_S = 20  # of each part


@pytest.fixture
def items(request: pytest.FixtureRequest) -> list[pytest.Item]:
    """All tests that were collected, whatever tier runs now."""
    return request.session.stash[ALL_ITEMS]


def test_the_gate_ends_within_eleven_minutes(items: list[pytest.Item]) -> None:
    """Mark what is too slow `slow`, or make it faster; `make durations` records anew."""
    known = json.loads(durations.FILE.read_text("utf-8"))
    took = dict.fromkeys(("together", "alone", "browser"), 0.0)
    for item in items:
        if tier_of(item) != "all":
            took[part_of(item)] += durations.seconds(known, item.nodeid)
    whole = took["alone"] + (took["together"] + took["browser"]) / PROCESSES + 3 * COLLECTING_S
    assert whole < BUDGET_S, took


def test_a_mark_and_nothing_else_says_what_runs_where(items: list[pytest.Item]) -> None:
    """Of the tests that are collected; a run of one file sees a part of it."""
    seen = {item.nodeid: (tier_of(item), part_of(item)) for item in items}
    expected = {
        "tests/test_tiers.py::test_the_gate_ends_within_eleven_minutes": ("check", "together"),
        "tests/projects/test_line.py::test_the_script_of_a_run_ends_with_its_weights[lenet_digits]":
            ("gate", "together"),
        "tests/projects/test_line.py::test_the_script_of_a_run_ends_with_its_weights[gan_digits]":
            ("all", "together"),
        "tests/core/worker/test_job_queue.py::test_a_run_waits_as_queued_with_its_place_and_begins"
        "_when_it_is_its_turn": ("gate", "alone"),
        "tests/browser/test_access.py::test_an_error_is_found_and_fixed_with_keys":
            ("all", "browser"),
        "tests/browser/test_runs_and_files.py::test_a_run_is_stopped_and_resumed":
            ("gate", "browser"),
    }  # fmt: skip
    there = expected.keys() & seen.keys()
    assert {name: seen[name] for name in there} == {name: expected[name] for name in there}


@pytest.mark.needs("sh")
def test_what_needs_a_program_that_is_here_runs() -> None:
    assert shutil.which("sh")


def test_a_missing_program_is_named_or_fails_where_all_must_be_there(
    items: list[pytest.Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    item = next(i for i in items if i.name == "test_what_needs_a_program_that_is_here_runs")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.delenv(tiers.ALL_PROGRAMS, raising=False)
    with pytest.raises(pytest.skip.Exception, match="sh is not installed"):
        tiers.pytest_runtest_setup(item)
    monkeypatch.setenv(tiers.ALL_PROGRAMS, "1")
    with pytest.raises(pytest.fail.Exception, match="sh is not installed"):
        tiers.pytest_runtest_setup(item)


FAILS_ONCE = """
import pathlib, pytest

@pytest.mark.alone
def test_once(tmp_path):
    tried = pathlib.Path(__file__).with_name("tried")
    first = not tried.exists()
    tried.touch()
    assert not first, "the canvas was not there"
"""


def tried(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of a folder by the rules of this project's tests."""
    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), str(folder)]
    return subprocess.run(
        [*command, "-p", "tests.tiers", *options],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_without_second_tries_a_test_that_fails_once_fails(tmp_path: Path) -> None:
    """As `make flakes` counts them."""
    (tmp_path / "test_first.py").write_text(FAILS_ONCE, "utf-8")
    run = tried(tmp_path, "-p", "no:rerunfailures")
    assert run.returncode == flakes.SOME_FAILED, run.stdout
    assert "1 failed" in run.stdout


def test_what_a_first_try_failed_of_stands_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "test_first.py").write_text(FAILS_ONCE, "utf-8")
    run = tried(tmp_path)
    assert run.returncode == 0, run.stdout
    assert "first try of" in run.stdout
    assert "AssertionError: the canvas was not there" in run.stdout
