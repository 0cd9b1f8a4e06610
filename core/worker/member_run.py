"""A run that trains in one process with others: its set-up, and its loop, which never waits."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from core.engine import accelerations
from core.engine.member import Member
from core.engine.trainer import Trainer
from core.runs.files import THREADS, TOGETHER, read_json, write_json
from core.runs.status import Status
from core.worker.run_loop import FLUSH_S, FLUSH_SHARE, JUDGE_S, JUDGE_SHARE, RunLoop
from core.worker.setup import RunSetup
from core.worker.throttle import ViewThrottle

LOOK_S = 0.2  # between two looks at what a run is asked for
ALL = 4  # times the share of its time that one run alone writes, for all of them
NOT_ALONE = "It trains together with other runs; together.json says how steps are made."


class MemberLoop(RunLoop):
    """The loop of one of several runs. It writes more seldom, and a pause ends its part."""

    engine: Member

    def among(self, many: int, settle: Callable[[], None]) -> None:
        """Share the process with others. settle: puts the gradients where views look for them."""
        self.settle, self.next_look = settle, 0.0
        share = min(1.0, ALL / many)
        self.flushing = ViewThrottle(FLUSH_S, FLUSH_SHARE * share)
        self.judging = ViewThrottle(JUDGE_S, JUDGE_SHARE * share)

    def _look(self, moment: str) -> str:
        now = time.monotonic()
        if now < self.next_look and not self.engine.diverged and not self.asked:
            return ""
        self.next_look = now + LOOK_S
        self.settle()
        if self.engine.diverged:
            self.flush()
        return super()._look(moment)

    def end(self) -> str:
        """As for a run alone, with the gradients of its last step."""
        self.settle()
        return super().end()

    def _pause(self) -> str:
        """Others go on: it leaves with a checkpoint, and resumes in a process of its own."""
        self.event("paused", f"Paused at step {self.engine.step}; it leaves the others.")
        return "paused"


class MemberSetup(RunSetup):
    """The set-up of one of several runs. plan: what together.json says."""

    kind, loop = Member, MemberLoop
    engine: Member

    def __init__(
        self, run_dir: Path, spec: Mapping[str, Any], status: Status, stop: list[Any]
    ) -> None:
        super().__init__(run_dir, spec, status, stop)
        self.plan: dict[str, Any] = read_json(run_dir / TOGETHER)

    @property
    def member_loop(self) -> MemberLoop:
        """Its loop, once it is prepared."""
        assert isinstance(self.run_loop, MemberLoop)
        return self.run_loop

    def _choose_threads(self) -> None:
        """All compute with as many as the first, which tries them out."""
        first = self.run_dir.parent / str(self.plan["runs"][0])
        if first != self.run_dir and (known := read_json(first / THREADS)):
            write_json(self.run_dir / THREADS, known, durable=True)
        super()._choose_threads()

    def _choose_accelerations(self) -> None:
        super()._choose_accelerations()
        if self.training["compile_step"] != "off":
            modes = accelerations.read_accelerations(self.run_dir)
            modes["compile_step"] = accelerations.Acceleration(False, NOT_ALONE)
            accelerations.write_accelerations(self.run_dir, modes)
            self.training = accelerations.resolve_accelerations(self.training, modes)

    def _capture_step(self, engine: Trainer) -> bool:
        return False

    def _begin(self, engine: Trainer, state: dict[str, Any] | None) -> None:
        assert isinstance(engine, Member)
        self.engine = engine
        engine.together = how_made(self.plan)
        super()._begin(engine, state)
        engine.capture_rng_states()

    def settle(self, compiled: bool, why: str, took_s: float) -> None:
        """Write down how its steps are made, for all attempts; tell it."""
        count = len(self.plan["runs"])
        before, self.plan = self.plan, {**self.plan, "compiled": compiled, "why": why}
        if self.plan != before:
            write_json(self.run_dir / TOGETHER, self.plan, durable=True)
        self.engine.together = how_made(self.plan)
        self.member_loop.fingerprint["together"] = self.engine.together
        if before.get("compiled") and not compiled:
            self.status.fields["exact"] = False
            self.status.warn(f"Continues, but not bit for bit. {why}")
        text = f"Trains in one process with {count - 1} other run{'s' if count != 2 else ''}"
        made = (
            f": a step of all is compiled, which took {took_s:.3g} s." if compiled else f". {why}"
        )
        self.event("together", text + made, runs=count, compiled=compiled)


def how_made(plan: Mapping[str, Any]) -> str:
    """How the steps of a run are made, as a fingerprint tells it."""
    if not plan.get("compiled"):
        return "alone"  # in its turn, as it is written: to the bit what it would be by itself
    return f"{len(plan['runs'])} at once"
