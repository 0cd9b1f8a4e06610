"""The logger of a run: metrics.jsonl, events.jsonl, TensorBoard, status.json and final.json."""

import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from core.engine.nonfinite import exploded
from core.engine.trainer import Trainer
from core.runs import checkpoint
from core.runs.curves import CurveKeeper
from core.runs.full_disk import is_full
from core.runs.jsonl import Lines, number
from core.runs.status import COMPILE_S, LATE, MOST_LATE, Status
from core.worker import processes
from core.worker.checkpoint_writer import CheckpointWriter
from core.worker.tensorboard import TensorBoardLogger
from core.worker.throttle import Eta

COMPILES = "In its first epoch the network is compiled again for the last, smaller batch."
EACH = 10_000  # epochs that TensorBoard gets one by one: some 2 MB, and 35 µs each
THINNED = (
    f"TensorBoard gets each epoch up to {EACH:,}, every 2nd up to {2 * EACH:,}, every 4th up to "
    f"{4 * EACH:,}, and so on; metrics.jsonl has them all."
)


class RunLogger:
    """Writes the files of a run that only grow, and its status. None of them may end the run."""

    def __init__(self, run_dir: Path, status: Status, engine: Trainer) -> None:
        self.run_dir, self.status, self.engine = run_dir, status, engine
        self.metrics = Lines(run_dir / "metrics.jsonl")
        self.curves = CurveKeeper(run_dir / "metrics.jsonl", status.attempt)
        self.events = Lines(run_dir / "events.jsonl")
        self.board = TensorBoardLogger(run_dir, engine.step)
        if self.board.problem:
            status.warn(self.board.problem)
        self.before_s = float(status.fields["elapsed_s"])
        self.started = time.monotonic()
        self.unwritten: list[tuple[Lines, Mapping[str, Any]]] = []  # for which there is no room
        late = status.fields[LATE] if isinstance(status.fields[LATE], list) else []
        status.fields[LATE] = []
        for record in late:
            self._append(self.events, record)
        self.ended: list[tuple[Mapping[str, Any], float]] = []
        self.first_epoch = engine.epoch
        self.exploded = ""  # how the losses of the newest epoch are far too large
        self.explosions: list[str] = []  # for which there is a warning
        self.skipped = engine.skips.total if engine.skips else 0
        self.rest()

    def rest(self) -> None:
        """Begin to measure speed anew: it did not train for a while."""
        self.pace, self.pulse = Eta(self.engine.step), ThroughputMonitor(self.engine.step)

    @property
    def elapsed_s(self) -> float:
        """Seconds of training over all attempts."""
        return self.before_s + time.monotonic() - self.started

    def event(self, kind: str, message: str, **more: Any) -> None:
        """Write down that something happened."""
        line = {"attempt": self.status.attempt, "kind": kind, "at": round(time.time(), 3)}
        line |= {"epoch": self.engine.epoch, "step": self.engine.step, "message": message, **more}
        self._append(self.events, line)

    def _append(self, lines: Lines, record: Mapping[str, Any]) -> None:
        self.unwritten.append((lines, record))
        self.catch_up()

    def catch_up(self) -> bool:
        """Write the lines that wait for room on the disk, in their order; whether all are written.

        Another fault costs the line, never the run.
        """
        while self.unwritten:
            lines, record = self.unwritten[0]
            try:
                lines.write(record)
                if lines is self.metrics:
                    self.curves.add(record, lines.size)
            except OSError as error:
                if is_full(error):
                    return False
                text = f"{lines.path.name} could not be written: {error.strerror}."
                self.status.warn(f"{text} Training goes on without it.")
            self.unwritten.pop(0)
        return True

    def note_late(self) -> None:
        """Keep events for which there is still no room in the status, for the next attempt."""
        late = [record for lines, record in self.unwritten if lines is self.events]
        self.status.fields[LATE] = late[-MOST_LATE:]

    def epoch(self, record: Mapping[str, Any]) -> None:
        """Remember the metrics of an epoch; they are whole when they are written."""
        self.ended.append((record, self.elapsed_s))
        if not math.isfinite(record["val_loss"]):
            text = f"The validation loss of epoch {record['epoch']} is not a finite number."
            self.event("not_finite", text)
            self.status.warn(text)

    def flush(self, batch_size: int) -> Mapping[str, list[Any]]:
        """Write the steps and epochs since the last time; returns the steps."""
        points = self.engine.drain_metrics()
        attempt, rows = self.status.attempt, self._epoch_rows()
        points["loss"] = [number(loss) for loss in points["loss"]]
        if points["step"]:
            self._append(self.metrics, {"attempt": attempt, "kind": "step", **points})
        pulse = self.pulse.read(self.engine.gradient_norm(), self.engine.step, batch_size)
        if pulse:
            self._append(self.metrics, {"attempt": attempt, "kind": "pulse", **pulse})
        if rows:
            columns = {name: [row.get(name) for row in rows] for name in rows[0]}
            self._append(self.metrics, {"attempt": attempt, "kind": "epoch", **columns})
            self._note_metrics(rows[-1])
            self._log_exploded(rows[-1])
        if points["step"]:
            newest = {"loss": points["loss"][-1], "lr": number(points["lr"][-1])}
            self.status.fields["metrics"] = self.status.fields["metrics"] | newest
        self.board.points(points)
        self.board.pulse(pulse)
        self._log_to_board(rows)
        self._log_skipped()
        return points

    def _log_to_board(self, rows: list[dict[str, Any]]) -> None:
        """Give TensorBoard the epochs, of a very long run fewer, and the last one always."""
        for row in rows:
            if on_board(row["epoch"]) or row["epoch"] == self.engine.training["epochs"]:
                self.board.epoch(row)
            if row["epoch"] == EACH + 1:
                self.event("thinned", THINNED)

    def _epoch_rows(self) -> list[dict[str, Any]]:
        """The epochs since the last time as they are written."""
        rows: list[dict[str, Any]] = []
        for record, elapsed_s in self.ended:
            row = {k: v if isinstance(v, int) else number(v) for k, v in record.items()}
            rows.append({**row, "elapsed_s": number(elapsed_s)})
        self.ended = []
        return rows

    def _note_metrics(self, row: Mapping[str, Any]) -> None:
        # An epoch's rate is that of the step to come; the newest is the one that a step has used.
        metrics = {k: v for k, v in row.items() if k not in ("epoch", "step", "lr")}
        self.status.fields["metrics"] = self.status.fields["metrics"] | metrics

    def _log_exploded(self, row: Mapping[str, Any]) -> None:
        before, self.exploded = self.exploded, exploded(self.engine.accumulator.first, row)
        if self.exploded and not before:
            self.event("exploded", self.exploded)
            self.status.warn(self.exploded)
            self.explosions.append(self.exploded)

    def _log_skipped(self) -> None:
        skips = self.engine.skips
        if skips and skips.total > self.skipped:
            count = skips.total - self.skipped
            text = f"{count} {'step was' if count == 1 else 'steps were'} left out, the last one "
            text += f"step {skips.last}: the gradient was not finite."
            self.event("skipped", text, skipped=skips.total)
            self.skipped = skips.total

    def write_status(self, state: str, saver: CheckpointWriter) -> None:
        """Write how the run stands."""
        engine = self.engine
        if self.board.problem:
            self.status.warn(self.board.problem)
        if saver.failure:
            self.status.warn(f"A checkpoint could not be written: {saver.failure}.")
        if engine.processes > 1:
            self.status.fields["ranks"] = self._rank_fields(state)
        if engine.skips and engine.skips.total:
            self.status.fields["skipped"] = engine.skips.total
        speed = self.pace.status_fields(engine.step, engine.steps)
        if engine.training["compile"] == "on":
            compiles = engine.epoch == self.first_epoch and state == "running"
            if speed and compiles:
                speed["hang_after_s"] = max(speed["hang_after_s"], COMPILE_S)
            if compiles or self.status.fields["message"] == COMPILES:
                self.status.fields["message"] = COMPILES if compiles else ""
        self.status.write(
            state=state,
            epoch=engine.epoch,
            epochs=engine.training["epochs"],
            step=engine.step,
            steps=engine.steps,
            elapsed_s=round(self.elapsed_s, 3),
            best=best_so_far(engine.best),
            checkpoint=saver.saved,
            **speed,
        )

    def _rank_fields(self, state: str) -> list[dict[str, Any]]:
        """The processes of the run as the status lists them."""
        alive, step = state in ("running", "paused"), self.engine.step
        records = processes.needed().described(self.run_dir)
        return [{**record, "step": step, "alive": alive} for record in records]


def on_board(epoch: int) -> bool:
    """Whether TensorBoard gets an epoch, counted from 1; see `THINNED`."""
    return epoch % (1 << ((epoch - 1) // EACH).bit_length()) == 0


class ThroughputMonitor:
    """Gradient norm and samples per second (Lightning: ThroughputMonitor)."""

    def __init__(self, step: int) -> None:
        self.step, self.at = step, time.monotonic()

    def read(self, norm: Tensor | None, step: int, batch_size: int) -> dict[str, list[Any]]:
        """One point: the L2 norm of all gradients of the last step, (), and samples per second.

        Empty where there was no step.
        """
        now, before = time.monotonic(), self.step
        speed = (step - before) * batch_size / max(now - self.at, 1e-9)
        self.step, self.at = step, now
        if step <= before or norm is None:
            return {}
        return {
            "step": [step],
            "grad_norm": [number(float(norm))],
            "samples_per_s": [number(speed)],
        }


MAIN = ("loss", "optimizer", "lr", "epochs", "batch_size", "seed", "clip_norm", "clip_value")


def final_record(run_dir: Path, status: Mapping[str, Any], engine: Trainer) -> dict[str, Any]:
    """Final and best metrics, checkpoints, and where the time went."""
    return {
        "state": status["state"],
        "attempt": status["attempt"],
        "epoch": engine.epoch,
        "step": engine.step,
        "metrics": status["metrics"],
        "best": best_so_far(engine.best),
        **({"test": status["test"]} if status.get("test") else {}),
        "checkpoints": checkpoint.intact(run_dir),
        "exact": status.get("exact", True),
        "time": {
            "elapsed_s": status["elapsed_s"],
            "validation_s": round(engine.validation_s, 3),
            "steps_per_s": status.get("steps_per_s"),
        },
    }


def best_so_far(best: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The best epoch as pages show it."""
    if not best:
        return None
    shown = {k: best[k] for k in ("metric", "epoch", "step")} | {"value": number(best["value"])}
    return shown | {"metrics": {k: number(v) for k, v in best["metrics"].items()}}


def main_settings(training: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that TensorBoard compares runs by."""
    settings = {name: training[name] for name in MAIN}
    return settings | {"scheduler": (training["scheduler"] or {}).get("name", "none")}
