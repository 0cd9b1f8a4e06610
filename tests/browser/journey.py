"""Journeys of the browser tests: clicks, keys and seconds are counted, and printed at the end.

A drag counts as one click, and so does a file that is dropped; a key pressed or typed as one key,
and so does the answer to a lesson's question. An action is a click, a key, or a line that is typed
and entered.
"""

import json
import os
import re
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page

GOAL_S = 60
FIGURES = "LAYERLOOM_JOURNEYS"
"""The variable that names a file; a line of JSON is added to it at the end of each journey."""


class Journey:
    """One way through the workbench; it begins when it is made.

    most: the actions it may take, 0 where nothing is promised. within_lines: of the keys, those
    that belong to a line beyond its first.
    """

    def __init__(self, name: str, most: int = 0) -> None:
        self.name, self.most, self.clicks, self.keys = name, most, 0, 0
        self.within_lines = 0
        self.start = time.monotonic()
        self.reached: dict[str, float] = {}

    @property
    def actions(self) -> int:
        """Clicks, keys and lines so far."""
        return self.clicks + self.keys - self.within_lines

    def line(self, text: str) -> None:
        """Count a line that is typed and entered."""
        self.keys += len(text) + 1
        self.within_lines += len(text)

    def click(self, *targets: Locator) -> None:
        """Click one thing after the other, each as soon as it can be clicked."""
        for target in targets:
            self.clicks += 1
            target.click()

    def mark(self, what: str) -> None:
        """Note how many seconds it took until here."""
        self.reached[what] = round(time.monotonic() - self.start, 1)

    def end(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Print what was counted, also where output is captured; fail where it is too much."""
        self.mark("end")
        row = {"name": self.name, "most": self.most, "clicks": self.clicks, "keys": self.keys}
        row["actions"] = self.actions
        row |= self.reached
        if file := os.environ.get(FIGURES):
            with Path(file).open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(row) + "\n")
        hands = " and ".join(f"{row[k]} {k}" for k in ("clicks", "keys") if row[k])
        marks = ", ".join(f"{what} after {spent:.0f} s" for what, spent in self.reached.items())
        with capsys.disabled():
            sys.stdout.write(f"\n{self.name}: {hands}; {marks} (goal: {GOAL_S} s)\n")
        assert not self.most or self.actions <= self.most


def run_of(page: Page, runs: Path) -> Path:
    """The folder of the run that the address of the Train page names."""
    page.wait_for_url(re.compile(r"/train.*run=[\w-]+"))
    [name] = re.findall(r"run=([\w-]+)", page.url)
    return runs / name


def accuracy(run: Path, file: str = "final.json") -> float:
    """How much of the validation samples a run got right."""
    return float(json.loads((run / file).read_text("utf-8"))["metrics"]["val_accuracy"])
