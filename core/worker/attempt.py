"""One attempt of a run: where its stages report, and how its errors are worded."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import torch

from core.analyse import Report
from core.common.errors import Diverged, RunError
from core.runs import jsonl
from core.runs.full_disk import is_full
from core.runs.status import LATE, MOST_LATE, Status
from core.settings.launcher import RANKED, Launcher
from core.settings.schema import defaults
from core.worker import error_messages, processes


@dataclass(frozen=True)
class ErrorContext:
    """What error messages name. lines: of the source, by node; need: bytes of a step, `fixed` of
    them whatever the batch."""

    batch_size: int = 0
    lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    need: int = 0
    fixed: int = 0


class Reporter(Protocol):
    """Where an attempt reports while it is in one stage."""

    def event(self, kind: str, message: str, **more: Any) -> None:
        """Write down that something happened."""
        ...

    def note_late(self) -> None:
        """Keep events that could not be written for the next attempt."""
        ...

    def origin(self, diverged: Diverged) -> dict[str, Any] | None:
        """Where a run began to diverge; None where that is not known."""
        ...


class SetupReporter:
    """Before there is a run loop."""

    def __init__(self, run_dir: Path, status: Status) -> None:
        self.run_dir, self.status = run_dir, status

    def event(self, kind: str, message: str, **more: Any) -> None:
        """Append an event to events.jsonl; on a full disk the status keeps it."""
        line = {"attempt": self.status.attempt, "kind": kind, "at": round(time.time(), 3)}
        line |= {"message": message, **more}
        try:
            jsonl.Lines(self.run_dir / "events.jsonl").write(line)
        except OSError as error:
            if is_full(error):
                self.status.fields[LATE] = [*self.status.fields[LATE], line][-MOST_LATE:]
                return
            self.status.warn(f"events.jsonl could not be written: {error.strerror}.")

    def note_late(self) -> None:
        """The status has them already."""

    def origin(self, diverged: Diverged) -> dict[str, Any] | None:
        """None: no step of the run was made."""
        return None


class Attempt:
    """One attempt of a run. reporter: that of the stage it has reached. world: the number of its
    processes. began_ranked: whether an earlier attempt had several."""

    def __init__(self, run_dir: Path, spec: Mapping[str, Any], status: Status) -> None:
        self.run_dir, self.spec, self.status = run_dir, spec, status
        self.settings: Mapping[str, Any] = defaults() | spec.get("training", {})
        self.threads = torch.get_num_threads()
        self.world = processes.world()
        self.began_ranked = bool(spec.get(RANKED))
        self.context = ErrorContext(self.settings.get("batch_size", 0))
        self.reporter: Reporter = SetupReporter(run_dir, status)
        self._events_written: set[str] = set()

    @property
    def ranked(self) -> bool:
        """Whether its steps are made as several processes make them, even where it is the only one
        now: then it goes on with any number of them. Raises RunError."""
        return max(self.world, Launcher.read(self.spec).world) > 1 or self.began_ranked

    @property
    def sharded(self) -> bool:
        """Whether each of its processes keeps a part of the weights. Raises RunError."""
        return self.world > 1 and Launcher.read(self.spec).sharding == "fsdp"

    def know_network(self, report: Report) -> None:
        """Let error messages name blocks of this network from here on."""
        fixed = error_messages.fixed_bytes(report)
        self.context = replace(self.context, lines=report.lines, fixed=fixed)

    def know_need(self, need: int) -> None:
        """Let error messages give the bytes that a step was estimated to need."""
        self.context = replace(self.context, need=need)

    def event(self, kind: str, message: str, **more: Any) -> None:
        """Write down that something happened."""
        self.reporter.event(kind, message, **more)

    def event_once(self, kind: str, message: str) -> None:
        """Write an event of a kind once, however often the attempt is prepared."""
        if kind not in self._events_written:
            self._events_written.add(kind)
            self.event(kind, message)

    def explain(self, error: BaseException) -> RunError:
        """The error in a student's words."""
        known = self.context
        return error_messages.explain(error, known.lines, known.batch_size, known.need, known.fixed)

    def origin(self, diverged: Diverged) -> dict[str, Any] | None:
        """Where a run began to diverge; None where that is not known."""
        return self.reporter.origin(diverged)
