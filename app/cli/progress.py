"""Watching a run from the terminal: a bar on a screen, a line per epoch elsewhere."""

import shutil
import sys
import time
from typing import Any

from app.cli import output
from core.runs.duration import duration
from core.tasks.metric_labels import shown

BAR = 24
LONG_S = 2.0  # after which a run in preparation reports what it prepares


class Progress:
    """Draws what a run reports, on standard error."""

    def __init__(self) -> None:
        self.on_screen = sys.stderr.isatty()
        self.width = 0
        self.warned = set[str]()
        self.doing, self.since = "", time.monotonic()
        self.printed = set[tuple[int, int]]()

    def state(self, view: Any, before: str = "") -> None:
        """Redraw the bar from a view of the run. A file or pipe gets no bar."""
        if self.on_screen:
            self._line(before + bar(view))

    def phase(self, view: Any) -> None:
        """Write what a run that has not begun yet is doing, where that takes a while; each once."""
        doing = view.phase or view.message
        if doing != self.doing:
            self.doing, self.since = doing, time.monotonic()
        elif doing and time.monotonic() - self.since > LONG_S and doing not in self.warned:
            self.clear()
            output.say(f"{view.name}: {doing}{'' if doing.endswith('.') else '…'}")
            self.warned.add(doing)

    def epoch(self, record: dict[str, Any]) -> None:
        """Write the line of each epoch in a record, each once in an attempt."""
        self.clear()
        for values in rows(record):
            key = record.get("attempt", 0), values.get("epoch", 0)
            if key not in self.printed:
                output.say(epoch_line(values))
                self.printed.add(key)

    def warnings(self, view: Any) -> None:
        """Write what a run warns of, each once."""
        for text in view.warnings:
            self._warn(text)
        self.waits(view)

    def waits(self, view: Any, which: str = "") -> None:
        """Say once that a run waits for room on the disk. which: of several, "trial 3: "."""
        if view.disk_full:
            self._warn(f"{which}{view.message} {view.hint}")

    def _warn(self, text: str) -> None:
        if text not in self.warned:
            self.clear()
            output.say(f"warning: {text}")
            self.warned.add(text)

    def clear(self) -> None:
        """Take the bar away, so that a line can be written."""
        if self.on_screen and self.width:
            self._line("")
            sys.stderr.write("\r")

    def _line(self, text: str) -> None:
        text = output.one_line(text)[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)


def rows(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Split a columnar record into one dictionary per point."""
    columns = {name: values for name, values in record.items() if isinstance(values, list)}
    count = max((len(values) for values in columns.values()), default=0)
    return [{n: v[i] for n, v in columns.items() if i < len(v)} for i in range(count)]


def bar(view: Any) -> str:
    """Write `epoch 3/12  ████░░░░  loss 0.231  8 s left`."""
    share = view.step / view.steps if view.steps else 0.0
    full = round(BAR * min(max(share, 0.0), 1.0))
    left = "" if view.left_s is None else f"  {duration(view.left_s)} left"
    return (
        f"{view.state}  epoch {view.epoch}/{view.epochs}  {'█' * full}{'░' * (BAR - full)}"
        f"  step {view.step}/{view.steps}{left}"
    )


def epoch_line(values: dict[str, Any]) -> str:
    """Write the metrics of one epoch in a line."""
    parts = [f"epoch {values.get('epoch', '?'):>3}"]
    for name, value in values.items():
        if isinstance(value, float) and name.startswith(("train_", "val_")):
            parts.append(f"{name} {number(name, value)}")
    return "  ".join(parts)


def number(name: str, value: float) -> str:
    """Write a metric: shares in per cent, with a digit more than on pages; others as there."""
    return shown(name, value, decimals=2)
