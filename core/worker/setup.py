"""The set-up of a run: read its folder, build what learns, begin the loop that trains."""

import signal
from dataclasses import asdict, dataclass
from typing import Any

from core.common.errors import Diverged
from core.engine.anomaly import Replay, find_origin
from core.engine.fingerprint import RANDOM
from core.runs import checkpoint
from core.runs.status import Status
from core.worker.attempt import Attempt
from core.worker.begin import begin
from core.worker.build import Training, build
from core.worker.run_inputs import read
from core.worker.run_loop import RunLoop

FIND_S = 120.0  # of silence that looking for the origin of a fault may take
CALCULATED = dict.fromkeys(("compile", "compile_step", "cuda_graph"), "off")


@dataclass(frozen=True)
class LoopReporter:
    """Where an attempt reports once it trains."""

    training: Training[Any]
    loop: RunLoop
    status: Status

    def event(self, kind: str, message: str, **more: Any) -> None:
        """Write an event, with epoch and step."""
        self.loop.event(kind, message, **more)

    def note_late(self) -> None:
        """Keep events that could not be written for the next attempt."""
        self.loop.journal.note_late()

    def origin(self, diverged: Diverged) -> dict[str, Any] | None:
        """Where it began that a run diverged: a replay from the last checkpoint."""
        self.status.write(phase="looking for the block where it began", hang_after_s=FIND_S)
        self.loop.saver.wait()
        source = self.training.source
        replay = source.make(Replay, {**self.training.settings, **CALCULATED})
        run_dir, network = source.inputs.run_dir, source.inputs.network
        if "last" in checkpoint.intact(run_dir):
            replay.load_state_dict(checkpoint.load(run_dir, "last"))
        replay.lines, replay.source = network.report.lines, network.source
        replay.graph = network.project.graph
        origin = find_origin(replay, diverged.step)
        return asdict(origin) if origin else None


def prepare(attempt: Attempt) -> RunLoop:
    """Read a run, build from what was read, report; anew each time.

    Raises RunError, or whatever else went wrong.
    """
    inputs, state = read(attempt)
    if state and RANDOM in state["fingerprint"]:
        attempt.began_ranked = True
    training = build(inputs, attempt)
    loop = begin(training, state, attempt)
    attempt.reporter = LoopReporter(training, loop, attempt.status)
    return loop


def stop_on_signal(loop: RunLoop, stop: list[Any]) -> None:
    """Let a signal stop the run: one that comes later, or came during the set-up (`stop`)."""

    def ask(*_: Any) -> None:
        loop.stop_signal = "SIGTERM"

    signal.signal(signal.SIGTERM, ask)
    if stop:
        ask()
