"""The loop of a run: drives `Trainer.fit`, logs, checkpoints, obeys control.json."""

import os
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.common.errors import FolderGone, RunError
from core.data.facts.loss_terms import aims_of
from core.engine.nonfinite import LOWER
from core.engine.nonfinite_errors import REFUSALS
from core.engine.precision import release_cache
from core.engine.step_errors import is_memory
from core.runs.files import folder_identity, read_json, write_bytes, write_json
from core.runs.full_disk import is_full, wait_for_room
from core.runs.run_state import resume_hint
from core.runs.status import COMPILE_S, COMPILING, Status
from core.tasks.metric_labels import judged_by
from core.worker import job_queue
from core.worker.final_test import note_test
from core.worker.machine import queue_folder
from core.worker.run_logger import final_record, main_settings
from core.worker.run_writers import Ready, RunWriters
from core.worker.throttle import ViewThrottle

FLUSH_S, FLUSH_SHARE = 0.15, 0.01
JUDGE_S, JUDGE_SHARE = 1.0, 0.005
OBEY_S, AGAIN_S = 0.05, 0.2
EPOCH_CHECKPOINT_S = 5.0
HOLD_S = 600.0
LAST_TRIES = 2  # a disk that refuses once may have had a bad moment: nothing comes after this one


class KeptSpec:
    """Remembers what spec.json holds, with what others add, and puts it back where it is torn.

    One that is gone is not made anew: the folder is being deleted then.
    """

    def __init__(self, run_dir: Path) -> None:
        self.path = run_dir / "spec.json"
        self._stamp: tuple[int, int, int] | None = None
        self._content = b""
        self.mend()

    def mend(self) -> bool:
        """Whether the file was torn and has been put back; on a full disk the next call tries."""
        with suppress(OSError):
            stamp = self._look()
            if stamp == self._stamp:
                return False
            if read_json(self.path):
                self._stamp, self._content = stamp, self.path.read_bytes()
            elif self._content:
                write_bytes(self.path, self._content)
                self._stamp = self._look()
                return True
        return False

    def _look(self) -> tuple[int, int, int]:
        status = self.path.stat()
        return status.st_ino, status.st_size, status.st_mtime_ns


class RunLoop:
    """Drives an engine and writes metrics, status, checkpoints and live views."""

    def __init__(self, run_dir: Path, status: Status, ready: Ready, writers: RunWriters) -> None:
        self.run_dir, self.status = run_dir, status
        self.identity, self.spec = folder_identity(run_dir), KeptSpec(run_dir)
        self.engine = engine = ready.engine
        self.network, self.fingerprint = ready.network, dict(ready.fingerprint)
        self.info, self.data = ready.data.info, ready.data
        self.training = engine.training
        self.journal, self.saver, self.top_k = writers.journal, writers.saver, writers.top_k
        self.live, self.board_views = writers.live, writers.board_views
        self.maker, self.weights, self.change = writers.maker, writers.weights, writers.change
        self.stop_signal = ""  # set by SIGTERM
        control = read_json(run_dir / "control.json")
        self.kept = control.get("kept", control.get("save", 0))
        self.started = self.saved = time.monotonic()
        self.flushing = ViewThrottle(FLUSH_S, FLUSH_SHARE)
        self.judging = ViewThrottle(JUDGE_S, JUDGE_SHARE)
        self.listening = 0.0
        self.best_saved = engine.best and engine.best["step"]

    def run(self) -> str:
        """Train until the end or a request to stop; returns the state the run is left in.

        Raises Diverged when loss or weights are no longer numbers.
        """
        self.begin()
        for moment in self.engine.fit():
            if state := self.attend(moment):
                return self.finish(state)
        return self.end()

    def begin(self) -> None:
        """Say that it trains."""
        self.event("started", f"Attempt {self.status.attempt} from step {self.engine.step}.")
        if ended := os.environ.get("LAYERLOOM_ENDED"):
            text = f"{ended}; training continues from step {self.engine.step:,}."
            self.event("rank_ended", text)
            self.status.warn(text)
        self.journal.board.graph(self.network.project.graph, self._shapes())
        if not self.engine.step:
            self.journal.board.pictures(self.live.displayed)
        if self.training["compile"] == "on":  # its first step is: it runs once that is done
            self.status.write(phase=COMPILING, hang_after_s=COMPILE_S)
        else:
            self.journal.write_status("running", self.saver)

    def attend(self, moment: str) -> str:
        """Write what is due at a moment of `fit`; the state to end in, "" to go on."""
        if moment == "epoch":
            self._epoch()
        return self._look(moment)

    def _look(self, moment: str) -> str:
        """Write and obey what is due, whatever came before."""
        now = time.monotonic()
        if self.flushing.due:
            self.flush()
        if self.change.ready():
            self._change_over()
        if state := self._poll_control() or self._time_limit_state():
            return state
        self._guarded(self.live.write_feature_maps)
        self._guarded(self.weights.follow)
        self._checkpoint_if_due(now, moment)
        return ""

    def end(self) -> str:
        """What comes after the last epoch, planned or not; the state the run is left in."""
        self.flush()
        if self.engine.epoch < self.training["epochs"]:
            least = self.training["min_delta"]
            by = judged_by(self.training["best_by"], aims_of(self.info.terms))
            what = f"{by} better by more than {least:g}" if least else f"better {by}"
            epochs, last = self.training["patience"], self.engine.epoch
            self._end_with_message(f"No {what} in {epochs} epochs, so it ended after epoch {last}.")
        return self.finish("finished")

    def _change_over(self) -> None:
        """Go on with compiled steps; what the run came to so far is written before."""
        self.flush()
        self.status.write(hang_after_s=COMPILE_S)
        self.change.change()
        self.journal.rest()

    def _end_with_message(self, text: str) -> None:
        """Tell why the run ends, in its state and for good."""
        self.status.fields["message"] = text
        self.event("ended", text)

    def _time_limit_state(self) -> str:
        minutes = self.training["max_minutes"]
        if minutes is None or time.monotonic() - self.started < 60 * minutes:
            return ""
        limit = f"{minutes:g} minutes"
        self._end_with_message(f"The time limit of {limit} was reached. Resume adds {limit}.")
        return "stopped"

    def event(self, kind: str, message: str, **more: Any) -> None:
        """Write down that something happened."""
        self.journal.event(kind, message, **more)

    def _epoch(self) -> None:
        self.journal.epoch(self.engine.newest)
        self.top_k.offer(self._checkpoint_header)
        self._guarded(self.weights.epoch)
        self._guarded(self.board_views.epoch)
        if self.judging.due:
            self._write_validation_views()

    def _write_validation_views(self) -> None:
        with self.judging.timed():
            self._guarded(self.live.write_validation)
            self._guarded(self.maker.make)

    def _guarded(self, what: Callable[[], None]) -> None:
        """A view that cannot be calculated or written costs the view, never the run."""
        try:
            what()
        except OSError as error:
            self.status.warn(f"The live views could not be written: {error.strerror}.")
        except REFUSALS as error:
            if is_memory(error):
                raise
            traceback.print_exception(error)
            text = str(error).strip().splitlines() or [type(error).__name__]
            self.status.warn(f"The live views could not be calculated: {text[0][:200]}")

    def flush(self) -> None:
        """Write what came in since the last time. Raises Diverged."""
        with self.flushing.timed():
            self.journal.flush(self.training["batch_size"])
            self.journal.write_status("running", self.saver)
        if self.journal.unwritten:
            self._wait_for_room("its metrics cannot be written", self.journal.catch_up)
        while self.engine.notes:
            self.event("note", self.engine.notes.pop(0))
        if self.engine.diverged:
            raise self.engine.diverged

    def _poll_control(self) -> str:
        """What control.json or a signal asks for: the state to end in, "" to go on."""
        if self.stop_signal:
            return "stopped"
        now = time.monotonic()
        if now - self.listening < OBEY_S:
            return ""
        self.listening = now
        self._check_folder()
        control = read_json(self.run_dir / "control.json")
        if control.get("seq", 0) != self.status.fields.get("ack", 0):
            self.status.fields["ack"] = control.get("seq", 0)
        self._checkpoint_if_asked(control.get("save", 0))
        want = control.get("want", "run")
        if want == "stop":
            return "stopped"
        return self._pause() if want == "pause" else ""

    def _check_folder(self) -> None:
        """Raises FolderGone where the folder that this run trains in was deleted or moved."""
        if folder_identity(self.run_dir) != self.identity:
            message = f"The folder of {self.run_dir.name} was deleted, so the run ends."
            raise FolderGone(self.run_dir.name, message)
        if self.spec.mend():
            text = "spec.json was damaged during training and has been restored."
            self.status.warn(text)
            self.event("note", text)

    def _stop_requested(self) -> bool:
        self._check_folder()
        return (
            bool(self.stop_signal) or read_json(self.run_dir / "control.json").get("want") == "stop"
        )

    def _wait_for_room(self, what: str, retry: Callable[[], bool]) -> bool:
        """Wait until the disk can be written to; False where the run should stop first."""
        since = time.monotonic()
        self.event("disk_full", f"The disk is full: {what}.")
        try:
            return wait_for_room(self.status, what, retry, self._stop_requested)
        finally:
            self._exclude_wait(since)

    def _checkpoint_if_asked(self, request: int) -> None:
        """Write a checkpoint that somebody asks for, once the one before is written."""
        if request == self.kept or self.saver.busy:
            return
        self.kept = request
        self.flush()
        self._save()
        self.event("checkpoint", f"Checkpoint at step {self.engine.step}, as asked for.")

    def _pause(self) -> str:
        """Keep everything in memory until the run is resumed, for ten minutes at most."""
        self.flush()
        self._save()
        self.saver.wait()
        release_cache()
        self.event("paused", f"Paused at step {self.engine.step}.")
        self.journal.write_status("paused", self.saver)
        since = time.monotonic()
        state = self._wait_while_paused()
        self._exclude_wait(since)
        return state

    def _wait_while_paused(self) -> str:
        """Wait until the run is resumed and has threads, which others may have taken meanwhile."""
        end, beat, waits = time.monotonic() + HOLD_S, time.monotonic(), False
        while not self.stop_signal and (waits or time.monotonic() < end):
            self._check_folder()
            want = read_json(self.run_dir / "control.json").get("want")
            if want == "stop":
                return "stopped"
            if want != "pause" and self._reacquire_threads():
                return ""
            before, waits = waits, want != "pause"
            if waits != before or time.monotonic() - beat > 1.0:
                self.status.write(waits=waits)
                beat = time.monotonic()
            time.sleep(AGAIN_S if waits else OBEY_S)
        return "paused"

    def _reacquire_threads(self) -> bool:
        """Whether there are threads for it again; then its status shows it."""

        def take() -> None:
            self.status.write(state="running", waits=False)

        if queue := queue_folder():
            return job_queue.requeue(Path(queue), str(self.run_dir), take)
        take()
        return True

    def _exclude_wait(self, since: float) -> None:
        """Time that was spent waiting is no time of training."""
        self.status.fields["waits"] = False
        for clock in (self, self.journal):
            clock.started += time.monotonic() - since
        self.journal.rest()
        self.change.rest()

    def _checkpoint_if_due(self, now: float, moment: str) -> None:
        every = self.training["checkpoint_every_s"]
        after = min(every, EPOCH_CHECKPOINT_S) if moment == "epoch" else every
        if now - self.saved >= after and not self.saver.busy:
            self.flush()
            self._save()

    def _save(self) -> None:
        """Checkpoint the state as it is now; metrics up to here are written already."""
        engine = self.engine
        engine.check_finite()
        own = self._checkpoint_header()
        best = None
        if engine.best and engine.best_weights and engine.best["step"] != self.best_saved:
            best_epoch = {k: engine.best[k] for k in ("epoch", "step", "metric", "value")}
            best = own | {"model": engine.best_weights} | best_epoch
            self.best_saved = engine.best["step"]
        self.saver.save(engine.state_dict() | own, best, self.top_k)
        self.saved = time.monotonic()

    def _checkpoint_header(self) -> dict[str, Any]:
        """The entries of a checkpoint beside the engine's state."""
        return {
            "format": 1,
            "attempt": self.status.attempt,
            "elapsed_s": self.journal.elapsed_s,
            "fingerprint": self.fingerprint,
        }

    def finish(self, state: str) -> str:
        """Last flush, checkpoint and files. Raises RunError when the checkpoint cannot be kept."""
        self.change.close()
        self.flush()
        self._write_validation_views()
        self._guarded(self.board_views.end)
        self._guarded(self.weights.end)
        if not (
            self._save_and_wait()
            or self._wait_for_room("its checkpoint cannot be kept", self._save_and_wait)
        ):
            return self._end_without_checkpoint()
        if state == "finished" and self.journal.exploded:
            state = "failed"
            self.status.fields |= {"message": self.journal.exploded, "hint": LOWER}
            self.status.fields["exploded"] = True
            self.status.withdraw(self.journal.explosions)
        if state == "finished":
            note_test(self.engine, self.data, self.status)
        status = {
            **self.status.fields,
            "state": state,
            "elapsed_s": round(self.journal.elapsed_s, 3),
        }
        final = final_record(self.run_dir, status, self.engine)
        if not self._write_final(final):
            self._wait_for_room("final.json cannot be written", lambda: self._write_final(final))
        if state == "finished":
            self.journal.board.settings(main_settings(self.training), final["metrics"])
        self.journal.board.close()
        self.event(state, f"{state.capitalize()} at step {self.engine.step}.")
        if self.journal.unwritten:
            wait_for_room(
                self.status,
                "its last event cannot be written",
                self.journal.catch_up,
                self._stop_requested,
            )
        self.journal.write_status(state, self.saver)
        return state

    def _save_and_wait(self) -> bool:
        """Write a checkpoint; False on a full disk. Raises RunError where it never can be kept."""
        for _ in range(LAST_TRIES):
            self._save()
            self.saver.wait()
            if not self.saver.failure or self.saver.full:
                break
        if self.saver.failure and not self.saver.full:
            message = f"The last checkpoint could not be written: {self.saver.failure}."
            raise RunError("checkpoint", message, "Check the disk, then resume.")
        return not self.saver.failure

    def _write_final(self, final: Mapping[str, Any]) -> bool:
        """Write final.json; False on a full disk."""
        try:
            write_json(self.run_dir / "final.json", final, durable=True)
        except OSError as error:
            if is_full(error):
                return False
            raise
        return True

    def _end_without_checkpoint(self) -> str:
        """Stop on a full disk: what was written before stays, and the message states it."""
        self.journal.board.close()
        self.journal.note_late()
        step = self.engine.step
        message = f"It was stopped at step {step} on a full disk, without a new checkpoint."
        hint = f"Free some space. {resume_hint(self.run_dir)}"
        self.status.fields |= {"message": message, "hint": hint}
        self.journal.write_status("stopped", self.saver)
        return "stopped"

    def _shapes(self) -> dict[str, tuple[Any, ...]]:
        nodes = self.network.report.nodes
        return {p: next(iter(n.outputs.values())).shape for p, n in nodes.items() if n.outputs}
