"""A run that trains in one process with others: its set-up, and its loop, which never waits."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.engine.member import Member
from core.runs.accelerations import read_accelerations, write_accelerations
from core.runs.files import THREADS, TOGETHER, read_json, write_json
from core.settings import accelerations
from core.worker.attempt import Attempt
from core.worker.begin import note_start, ready, restored
from core.worker.build import TrainerSource, Training, checked, choose_threads, on_device, settled
from core.worker.run_inputs import RunInputs, read
from core.worker.run_loop import FLUSH_S, FLUSH_SHARE, JUDGE_S, JUDGE_SHARE, RunLoop
from core.worker.run_writers import open_writers
from core.worker.setup import LoopReporter
from core.worker.throttle import ViewThrottle

LOOK_S = 0.2  # between two looks at the requests to a run
ALL = 4  # times the share of its time that one run alone writes, for all of them
NOT_ALONE = "It trains together with other runs; together.json records how steps are made."
ROUNDED = "It adds numbers in another order than a run alone, so the last digits may differ."


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
        if now < self.next_look and not self.engine.diverged and not self.stop_signal:
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
        self.event("paused", f"Paused at step {self.engine.step}; the other runs continue.")
        return "paused"


@dataclass
class MemberRun:
    """One of several runs, ready to train. plan: the content of together.json."""

    attempt: Attempt
    trainer: Member
    loop: MemberLoop
    plan: Mapping[str, Any]

    def settle(self, compiled: bool, why: str, took_s: float) -> None:
        """Write down how its steps are made, for all attempts; report it."""
        count = len(self.plan["runs"])
        before, self.plan = self.plan, {**self.plan, "compiled": compiled, "why": why}
        if self.plan != before:
            write_json(self.attempt.run_dir / TOGETHER, self.plan, durable=True)
        self.trainer.together = how_made(self.plan)
        self.loop.fingerprint["together"] = self.trainer.together
        status = self.attempt.status
        if before.get("compiled") and not compiled:
            status.fields["exact"] = False
            status.warn(f"Resumed, but not bit for bit. {why}")
        text = f"Trains in one process with {count - 1} other run{'s' if count != 2 else ''}"
        made = (
            f": their joint step is compiled, which took {took_s:.3g} s. {ROUNDED}"
            if compiled
            else f". {why}"
        )
        self.attempt.event("together", text + made, runs=count, compiled=compiled)


def prepare_member(attempt: Attempt) -> MemberRun:
    """Read the run, build from what was read, report; anew each time.

    Raises RunError, or whatever else went wrong.
    """
    plan = read_json(attempt.run_dir / TOGETHER)
    inputs, state = read(attempt)
    training = _built(inputs, attempt, str(plan["runs"][0]))
    trainer = training.trainer
    trainer.together = how_made(plan)
    fingerprint_now = restored(training, state, attempt.status)
    note_start(training, attempt)
    known = ready(training, fingerprint_now)
    writers = open_writers(attempt.run_dir, attempt.status, known)
    loop = MemberLoop(attempt.run_dir, attempt.status, known, writers)
    trainer.capture_rng_states()
    attempt.reporter = LoopReporter(training, loop, attempt.status)
    return MemberRun(attempt, trainer, loop, plan)


def _built(inputs: RunInputs, attempt: Attempt, first: str) -> Training[Member]:
    """Build a member. All compute with as many threads as the first, which tries them out."""
    source = on_device(inputs, attempt)
    training = checked(source, _calculated(source, attempt), Member, attempt)
    first_dir = inputs.run_dir.parent / first
    if first_dir != inputs.run_dir and (known := read_json(first_dir / THREADS)):
        write_json(inputs.run_dir / THREADS, known, durable=True)
    choose_threads(training, attempt)
    return training


def _calculated(source: TrainerSource, attempt: Attempt) -> dict[str, Any]:
    """The settings of a member: no step of its own is compiled."""
    settings = settled(source, attempt)
    if settings["compile_step"] == "off":
        return settings
    modes = read_accelerations(attempt.run_dir)
    modes["compile_step"] = accelerations.Acceleration(False, NOT_ALONE)
    write_accelerations(attempt.run_dir, modes)
    return accelerations.resolve_accelerations(settings, modes)


def how_made(plan: Mapping[str, Any]) -> str:
    """How the steps of a run are made, as a fingerprint tells it."""
    if not plan.get("compiled"):
        return "alone"  # in its turn, as it is written: to the bit what it would be by itself
    return f"{len(plan['runs'])} at once"
