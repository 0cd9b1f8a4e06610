"""Clicks, keys and seconds of the whole journeys: `python -m tests.bench.journeys [TEST...]`.

Runs the browser tests of the journeys, which count; kept in journeys.md. Seconds are wall time, on
whatever else the machine does; the goal is 60 for each on a machine at rest.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.bench.workbench import ROOT
from tests.browser.journey import FIGURES, GOAL_S

FILE = Path(__file__).with_name("journeys.md")
TESTS = (
    "tests/browser/test_journey_first_picture.py",
    "tests/browser/test_journey_iris_mouse.py",
    "tests/browser/test_journey_keyboard.py",
    "tests/browser/test_journey_own_csv.py::test_from_a_dropped_table_to_a_trained_network_taken_home",
    "tests/browser/test_journey_missing_values.py",
    "tests/browser/wings/lessons/test_learn_in_browser.py::test_the_first_lesson_from_the_start_page_to_its_end",
)


def measured(tests: Sequence[str]) -> list[dict[str, Any]]:
    """Run the journeys one after the other and return what each counted.

    Raises CalledProcessError where one does not come to its end.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "journeys.jsonl"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
        subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, FIGURES: str(file)})
        return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def table(rows: Sequence[dict[str, Any]], load: float) -> str:
    """The text of journeys.md."""
    day = datetime.now(UTC).date()
    lines = "\n".join(
        f"| {row['name']} | {row['clicks']} | {row['keys']} | {row['actions']} | "
        f"{row['most'] or ''} | "
        f"{row['drawn']:.0f} | {row['end']:.0f} |"
        for row in rows
    )
    return (
        "# From nothing to a trained network\n\n"
        f"Measured on {day} by `python -m tests.bench.journeys` on {os.cpu_count()} processors "
        f"(load before: {load:.1f}). Goal: {GOAL_S} s each on a machine at rest. "
        "A dropped file counts as a click, an answer of a lesson as a key. An action is a click, "
        "a key, or a line that is typed and entered; beyond those at most the journey fails.\n\n"
        "| journey | clicks | keys | actions | at most | drawn, s | end, s |\n"
        "|---|---|---|---|---|---|---|\n"
        f"{lines}\n"
    )


def main(tests: Sequence[str] = ()) -> None:
    """Measure, print it and, where all journeys were made, write it down."""
    load = os.getloadavg()[0]
    text = table(measured(tests or TESTS), load)
    sys.stdout.write(text)
    if not tests:
        FILE.write_text(text, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
