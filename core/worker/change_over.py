"""The change of a run from calculated to compiled steps, once these are ready and pay.

Training begins at once. A helper compiles meanwhile; the run waits for nothing but the moment in
which it takes over what was compiled. From which step on is written down before the first compiled
step is made, so whoever goes on with the run changes over at that very step.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.common.memory import available_bytes
from core.engine.trainer import Trainer
from core.runs.accelerations import read_accelerations, write_accelerations
from core.runs.files import MODES
from core.runs.status import Status
from core.settings import accelerations
from core.worker import child_process

BEGIN_S = 3.0  # of training, which tell how long the rest takes
LEAST_S = 45.0  # of training left, for which a helper is started
SLOW_STEP_S, SLOW_LEAST_S = 0.05, 240.0
"""A slow step is mostly arithmetic, which compiling makes no faster, and the helper takes memory
and caches from it (measured on ResNet-18: 4 s of a run): more has to be left."""
AGAIN_S = 10.0
NEEDED_BYTES = 3 << 30  # of a compiler
GAIN = 0.95  # share of the time that a step must come down to
MARGIN = 2.0  # times what taking over costs that must be saved
BUSY = 75  # exit status of a helper while another compiles for the same user
Tell = Callable[..., None]


@dataclass(frozen=True)
class CompileReport:
    """What was compiled. Seconds of a calculated and of a compiled step, and of taking it over.

    kept: whether another process finds it compiled. why: what kept it from being compiled.
    """

    calculated_s: float = 0.0
    compiled_s: float = 0.0
    ready_s: float = 0.0
    kept: bool = False
    why: str = ""


class ChangeOver:
    """Looks, between two steps, whether to compile and to change over."""

    def __init__(
        self,
        run_dir: Path,
        engine: Trainer,
        status: Status,
        lines: Mapping[str, tuple[int, ...]],
        tell: Tell,
    ) -> None:
        """lines: of the source, by node. tell: writes an event."""
        self.run_dir, self.engine, self.status = run_dir, engine, status
        self.lines, self.tell = lines, tell
        modes = read_accelerations(run_dir)
        self.open = bool(modes) and modes["compile_step"].open
        self.helper: child_process.Process[bytes] | None = None
        self.rest()

    def rest(self) -> None:
        """Begin to measure speed anew: it did not train for a while."""
        self.begun, self.first = time.monotonic(), self.engine.step
        self.next = self.begun + BEGIN_S

    @property
    def step_s(self) -> float:
        """Seconds of a step so far; 0 before the first."""
        done = self.engine.step - self.first
        return (time.monotonic() - self.begun) / done if done > 0 else 0.0

    @property
    def left_s(self) -> float:
        """Seconds that the rest of the run takes at its speed so far."""
        return self.step_s * (self.engine.steps - self.engine.step)

    def ready(self) -> CompileReport | None:
        """What was compiled where that is done and pays; starts a helper where it may."""
        if not self.open or time.monotonic() < self.next:
            return None
        if self.helper is None:
            self._begin()
            return None
        code = self.helper.poll()
        if code is None:
            return None
        found = self._heard(self.helper, code)
        return found if found and self._pays(found) else None

    def _begin(self) -> None:
        """Start a helper where enough is left of the run, and enough memory is free."""
        free = available_bytes()
        least = SLOW_LEAST_S if self.step_s > SLOW_STEP_S else LEAST_S
        if self.left_s < least or (free is not None and free < NEEDED_BYTES):
            self.next = time.monotonic() + AGAIN_S
            return
        pipe, command = child_process.PIPE, helper_command(self.run_dir)
        try:
            self.helper = child_process.start(command, stdin=pipe, stdout=pipe, stderr=None)
        except OSError as error:
            self.settle(f"No process could be started to compile the step: {error.strerror}.")

    def _heard(self, helper: child_process.Process[bytes], code: int) -> CompileReport | None:
        """The result of a helper that has ended; None where there is nothing to continue with."""
        self.helper = None
        output = helper.communicate()[0].splitlines()
        if code == BUSY:  # it compiles for another run
            self.next = time.monotonic() + AGAIN_S
            return None
        try:
            return CompileReport(**json.loads(output[-1]))
        except (IndexError, TypeError, ValueError):
            why = f"The process that compiles the step ended with status {code}; see log.txt."
            self.settle(why, final=code >= 0)  # else somebody ended it: the machine, perhaps
            return None

    def _pays(self, report: CompileReport) -> bool:
        """Whether what is left gains from it; else that is written down."""
        if report.why:
            self.settle(f"The step could not be compiled: {report.why.rstrip('.')}.")
        elif not report.kept:
            self.settle("The compiled step could not be saved for the run.")
        elif not self.pays(report.calculated_s, report.compiled_s):
            self.settle(slow(report.calculated_s, report.compiled_s))
        elif self._saved_s(report) < MARGIN * report.ready_s:
            self.settle("Too little of the run is left for compiling to pay.", final=False)
        else:
            return True
        return False

    @staticmethod
    def pays(calculated_s: float, compiled_s: float) -> bool:
        """Whether compiled steps are faster by more than chance."""
        return compiled_s <= GAIN * calculated_s

    def _saved_s(self, report: CompileReport) -> float:
        """Seconds that compiled steps save of what is left, at the speed of the run."""
        return self.left_s * (1 - report.compiled_s / report.calculated_s)

    def change(self) -> None:
        """Take over what was compiled, check and time it here, and write down from which step."""
        engine = self.engine
        engine.capture(lines=self.lines)
        if engine.captured is None:
            self.settle(f"The step could not be compiled: {engine.uncaptured.rstrip('.')}.")
            return
        calculated_s, compiled_s = engine.captured.timed()
        if not self.pays(calculated_s, compiled_s):
            engine.captured = None
            self.settle(slow(calculated_s, compiled_s))
            return
        times = round(calculated_s / compiled_s, 1)
        why = (
            f"From step {engine.step + 1:,} on, {times:g} times as fast: a step takes "
            f"{1000 * compiled_s:.3g} ms instead of {1000 * calculated_s:.3g} ms."
        )
        self.open = False
        if not self._write(accelerations.Acceleration(True, why, engine.step)):
            engine.captured = None
            return
        engine.captured_from = engine.step
        self.status.fields["compiled"] = {"from_step": engine.step + 1, "times": times}
        self.tell("compiled", f"Steps are compiled. {why}", from_step=engine.step, times=times)

    def settle(self, why: str, final: bool = True) -> None:
        """Steps stay calculated. final: for all attempts to come."""
        self.open = False
        if final:
            self._write(accelerations.Acceleration(False, why))

    def _write(self, mode: accelerations.Acceleration) -> bool:
        """Write down how steps are made; False where the disk refuses that."""
        modes = read_accelerations(self.run_dir) | {"compile_step": mode}
        try:
            write_accelerations(self.run_dir, modes)
        except OSError as error:
            self.status.warn(f"{MODES} could not be written: {error.strerror}.")
            return False
        return True

    def close(self) -> None:
        """End the helper."""
        if self.helper:
            self.helper.kill()
            self.helper.communicate()
            self.helper = None


def helper_command(run_dir: Path) -> list[str]:
    """What compiles the step of a run, in a process of its own."""
    return child_process.module("core.worker.compile_ahead", str(run_dir))


def slow(calculated_s: float, compiled_s: float) -> str:
    """That compiled steps are no faster, with both times."""
    return (
        f"A compiled step takes {1000 * compiled_s:.3g} ms, one that is not compiled "
        f"{1000 * calculated_s:.3g} ms, so steps are not compiled."
    )
