"""The set-up of a worker: from a run folder to network, data, trainer and checkpoint."""

import os
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from core.analyse.flop_counter import leave_out_compiler
from core.data import ends
from core.data.dataset import Dataset, load_project
from core.data.decoding import named
from core.engine import accelerations, device_trial
from core.engine.anomaly import Replay, find_origin
from core.engine.baseline import baseline_of, input_scale
from core.engine.distillation import Teacher, describe, teacher_of
from core.engine.fingerprint import changes, fingerprint, shorten
from core.engine.load_module import LoadedNetwork, load_network
from core.engine.param_groups import trainable_parameters
from core.engine.precision import determinism_warnings, use_deterministic_algorithms
from core.engine.refused import REFUSALS
from core.engine.rng import rng_state, seed_all, set_rng_state
from core.engine.trainer import (
    E,
    Parts,
    Trainer,
    compile_checked,
    split_on_device,
    trainer_from_settings,
)
from core.errors import Diverged, RunError, TrainingError
from core.prepare.init_weights import load_initial_weights
from core.prepare.sanity_check import sanity_check
from core.runs import checkpoint, jsonl
from core.runs.files import BASELINE, BEFORE, FORMAT, read_json, write_json
from core.runs.full_disk import is_full
from core.runs.status import COMPILE_S, COMPILING, COMPILING_STEP, LATE, MOST_LATE, Status
from core.settings.schema import defaults
from core.worker import error_messages, job_queue, memory, threads
from core.worker.run_loop import Ready, RunLoop

FIND_S = 120.0  # of silence that looking for the origin of a fault may take


class RunSetup:
    """One attempt of a run: `prepare` builds everything from its folder, `run` trains."""

    kind: type[Trainer] = Trainer
    loop: type[RunLoop] = RunLoop

    def __init__(
        self, run_dir: Path, spec: Mapping[str, Any], status: Status, stop: list[Any]
    ) -> None:
        self.run_dir, self.spec, self.status, self.stop = run_dir, spec, status, stop
        self.training: Mapping[str, Any] = defaults() | spec.get("training", {})
        self.network: LoadedNetwork | None = None
        self.run_loop: RunLoop | None = None
        self.data: Dataset | None = None
        self.parts: Parts
        self.device = torch.device("cpu")
        self.estimated_bytes = 0
        self.initial_weights = ""  # what happened to weights that the run begins with
        self.teacher: Teacher | None = None
        self.threads = torch.get_num_threads()
        self.events_written: set[str] = set()  # once each, however often it is prepared

    def prepare(self) -> None:
        """Read the run, build from what was read, report; anew each time.

        Raises RunError, or whatever else went wrong.
        """
        state = self._read_run()
        engine = self._build_trainer()
        self._begin(engine, state)

    def _may_compile(self) -> bool:
        """Whether torch's compiler is asked for anything at the start: not in most runs on a
        processor. One that changes over later imports it then."""
        compiled = "on" in (self.training["compile"], self.training["compile_step"])
        return compiled or self.device.type != "cpu"

    def _read_run(self) -> dict[str, Any] | None:
        """Read everything that the folder holds; give the checkpoint to go on from."""
        torch.set_num_threads(threads.read_thread_count(self.run_dir) or self.threads)
        if self.spec.get("format") != FORMAT:
            message = f"{self.run_dir.name} has no spec.json of format {FORMAT}."
            raise RunError(self.run_dir.name, message, "Open it with the version that wrote it.")
        self.device = choose_device(self.training["device"])
        if not self._may_compile():
            leave_out_compiler()
        use_deterministic_algorithms(self.training["deterministic"], self.device)
        self.status.write(phase="reading the data", device=_shown(self.training, self.device))
        self.network = load_network(self.run_dir)
        if self.device.type == "cpu":
            self._limit_memory()
        self.data = load_data(self.network, self.training["seed"], self.status)
        state = self._resumed_state()
        check_same(state, self.data)
        self.teacher = teacher_of(self.run_dir, self.spec, self.training, self.device)
        return state

    def _build_trainer(self) -> Trainer:
        """Bring the data to the device; find out how to calculate; build what will learn."""
        assert self.network is not None
        assert self.data is not None
        self.parts = split_on_device(self.data, self.device)
        self.status.write(phase="building the network")
        self.estimated_bytes = error_messages.estimate_bytes(
            self.network.report, self.training["batch_size"]
        )
        self._choose_accelerations()
        engine = self._new_trainer(self.kind, self.training)
        sanity_check(engine, self.status)
        self._choose_threads()
        return engine

    def _begin(self, engine: Trainer, state: dict[str, Any] | None) -> None:
        """Go on from the checkpoint, and say what this attempt begins with."""
        assert self.network is not None
        assert self.data is not None
        fingerprint_now = fingerprint(
            self.run_dir, self.spec, engine, self.data.content, self.device
        )
        self._restore(engine, fingerprint_now, state)
        if self._capture_step(engine):
            fingerprint_now = fingerprint(
                self.run_dir, self.spec, engine, self.data.content, self.device
            )
        self._write_baseline(engine)
        if self.initial_weights and engine.step == 0:
            self._event_once("begins", self.initial_weights)
        if self.teacher and engine.step == 0:
            self._event_once("teacher", describe(self.spec))
        ready = Ready(engine, self.network, self.data, fingerprint_now)
        self.run_loop = self.loop(self.run_dir, self.status, ready)

    def rehearsal(self) -> Trainer:
        """The run at its start with compiled steps, for a process that only compiles them."""
        self._read_run()
        assert self.data is not None
        self.parts = split_on_device(self.data, self.device)
        modes = accelerations.read_accelerations(self.run_dir)
        settled = accelerations.resolve_accelerations(self.training, modes)
        return self._new_trainer(Trainer, {**settled, "compile_step": "on"})

    def run(self) -> str:
        """Train; returns the state the run is left in."""
        assert self.run_loop is not None
        _stop_on_signal(self.run_loop, self.stop)
        return self.run_loop.run()

    def _limit_memory(self) -> None:
        """Take no more than is free. Raises RunError where the network cannot fit into that."""
        assert self.network is not None
        what = "Weights, gradients and the best weights"
        if shortage := memory.shortage(self.network.report, 3, what):
            raise RunError("memory", *shortage)
        memory.reserve_limit()

    def _resumed_state(self) -> dict[str, Any] | None:
        """The checkpoint that this attempt goes on from, None where it begins at the start."""
        which = str(read_json(self.run_dir / "control.json").get("from", "last"))
        if which == "start" or (which == "last" and not (self.run_dir / "ckpt/last.pt").exists()):
            return None
        return checkpoint.load(self.run_dir, which)

    def _new_trainer(self, kind: type[E], training: Mapping[str, Any]) -> E:
        """An engine at the start of the run: its first weights follow from the seed."""
        assert self.network is not None
        assert self.data is not None
        seed_all(training["seed"])
        module = self.network.module()
        self.initial_weights = load_initial_weights(self.run_dir, module, self.spec)
        module = module.to(self.device)
        engine = trainer_from_settings(module, training, self.data, self.parts, kind)
        engine.computing.teacher = self.teacher
        return engine

    def _choose_threads(self) -> None:
        """Find the fastest number of threads, once and for all attempts of the run."""
        most, fixed = torch.get_num_threads(), self.training["threads"]
        if (
            fixed
            or self.device.type != "cpu"
            or most == 1
            or threads.read_thread_count(self.run_dir)
        ):
            return
        self.status.write(phase="trying numbers of threads")
        before = rng_state()
        plain = {**self.training, "scheduler": None, "warmup": 0}
        try:
            choice = threads.fastest(threads.timed_step(self._new_trainer(Trainer, plain)), most)
        finally:
            set_rng_state(before)
        threads.write_thread_count(self.run_dir, choice)
        self.event("threads", choice.why, threads=choice.count)

    def _choose_accelerations(self) -> None:
        """Settle how to calculate, once and for all attempts of the run."""
        assert self.network is not None
        modes = accelerations.read_accelerations(self.run_dir)
        if not modes:
            source = self.network.report.source or ""
            modes = accelerations.accelerations_of(self.training, self.device.type, source)
            if modes["compile"].on:
                self.status.write(phase=COMPILING, hang_after_s=COMPILE_S)
                modes = compile_checked(self._new_trainer, self.training, modes, source)
            accelerations.write_accelerations(self.run_dir, modes)
        self.training = accelerations.resolve_accelerations(self.training, modes)

    def _capture_step(self, engine: Trainer) -> bool:
        """Record or compile a step where that is wanted; whether it failed.

        All attempts do without then.
        """
        mode = accelerations.read_accelerations(self.run_dir)["compile_step"]
        engine.captured_from = (mode.from_step or 0) if mode.on else 0
        if not engine.wants_capture:
            return False
        assert self.network is not None
        compiles = self.training["compile_step"] != "off"
        if compiles:
            self.status.write(phase=COMPILING_STEP, hang_after_s=COMPILE_S)
        else:
            self.status.write(phase="recording a step")
        trainable_parameters(engine.module, self.training)
        started = time.monotonic()
        engine.capture(lines=self.network.report.lines)
        done = "compiled" if compiles else "recorded"
        if engine.uncaptured:
            self._do_without(engine, "compile_step" if compiles else "cuda_graph", done)
        elif compiles:
            took = time.monotonic() - started
            self.event("compiled", f"Whole steps are compiled, which took {took:.3g} s.")
        return bool(engine.uncaptured)

    def _do_without(self, engine: Trainer, name: str, done: str) -> None:
        """Steps are calculated: said, and written down where the run begins."""
        if engine.step > engine.captured_from:
            self.status.fields["exact"] = False
            self.status.warn(f"Continues, but not bit for bit, as steps are not {done} any more.")
            return
        why = f"The step could not be {done}: {engine.uncaptured}"
        modes = accelerations.read_accelerations(self.run_dir)
        modes[name] = accelerations.Acceleration(False, why)
        accelerations.write_accelerations(self.run_dir, modes)

    def _write_baseline(self, engine: Trainer) -> None:
        """Write once what a simple rule reaches; what cannot be found costs the figure alone."""
        assert self.data is not None
        path = self.run_dir / BASELINE
        if path.exists():
            return
        try:
            found = baseline_of(engine, self.data)
            counted = {"samples": len(engine.validation), **input_scale(engine)}
            write_json(path, {**asdict(found), **counted} if found else {})
        except (*REFUSALS, ArithmeticError, LookupError, OSError) as error:
            traceback.print_exception(error)

    def origin(self, diverged: Diverged) -> dict[str, Any] | None:
        """Where it began that a run diverged: a replay from the last checkpoint."""
        if self.run_loop is None or self.network is None or self.data is None:
            return None
        self.status.write(phase="looking for the block where it began", hang_after_s=FIND_S)
        self.run_loop.saver.wait()
        eager = dict.fromkeys(("compile", "compile_step", "cuda_graph"), "off")
        engine = self._new_trainer(Replay, {**self.training, **eager})
        if "last" in checkpoint.intact(self.run_dir):
            engine.load_state_dict(checkpoint.load(self.run_dir, "last"))
        report = self.network.report
        engine.lines, engine.source = report.lines, report.source or ""
        engine.graph = self.network.project.graph
        origin = find_origin(engine, diverged.step)
        return asdict(origin) if origin else None

    def _restore(
        self, engine: Trainer, fingerprint_now: dict[str, Any], state: dict[str, Any] | None
    ) -> None:
        """Go on from a checkpoint where the run has one, cutting records past it."""
        if (metrics_before := self.run_dir / BEFORE).exists():
            metrics_before.replace(self.run_dir / "metrics.jsonl")
        self.status.fields |= {"epochs": self.training["epochs"], "steps": engine.steps}
        if state is None:
            self._truncate_records(0, 0)
            self.status.fields |= {"elapsed_s": 0.0, "metrics": {}, "best": None, "exact": True}
            return
        engine.load_state_dict(state)
        self._truncate_records(engine.step, engine.epoch)
        self.status.fields["elapsed_s"] = float(state["elapsed_s"])
        changed = changes(state["fingerprint"], fingerprint_now)
        unsure = determinism_warnings(engine.module, self.training, self.device)
        self.status.fields["exact"] = not changed and not unsure
        if changed or unsure:
            degree = "not" if changed else "perhaps not"
            text = f"Continues, but {degree} bit for bit, because of {'; '.join(changed + unsure)}."
            self.status.warn(text)

    def _truncate_records(self, step: int, epoch: int) -> None:
        """Readers start over on a new attempt, so that one is told first."""
        self.status.write(epoch=epoch, step=step)
        for name in ("metrics.jsonl", "events.jsonl"):
            limit = (step, epoch) if name == "metrics.jsonl" else (1 << 62, 1 << 62)
            jsonl.truncate_after(self.run_dir / name, *limit)

    def explain(self, error: BaseException) -> RunError:
        """The error in a student's words."""
        size = self.training.get("batch_size", 0)
        if not self.network:
            return error_messages.explain(error, {}, size)
        report = self.network.report
        return error_messages.explain(
            error, report.lines, size, self.estimated_bytes, error_messages.fixed_bytes(report)
        )

    def _event_once(self, kind: str, message: str) -> None:
        if kind not in self.events_written:
            self.events_written.add(kind)
            self.event(kind, message)

    def event(self, kind: str, message: str, **more: Any) -> None:
        """Write an event, also before there is a run loop."""
        if self.run_loop:
            self.run_loop.event(kind, message, **more)
            return
        line = {"attempt": self.status.attempt, "kind": kind, "at": round(time.time(), 3)}
        line |= {"message": message, **more}
        try:
            jsonl.Lines(self.run_dir / "events.jsonl").write(line)
        except OSError as error:
            if is_full(error):
                self.status.fields[LATE] = [*self.status.fields[LATE], line][-MOST_LATE:]
                return
            self.status.warn(f"events.jsonl could not be written: {error.strerror}.")


def choose_device(name: str) -> torch.device:
    """auto: an NVIDIA GPU if there is one. Raises TrainingError for a GPU that is not there.

    A run that was granted a GPU sees no other, so that this one is its first, whatever its number.
    """
    kind = name.partition(":")[0]
    if name == "auto":
        kind = "cuda" if torch.cuda.is_available() else "cpu"
    if kind == "cpu":
        return torch.device("cpu")
    there = device_trial.names()
    granted = kind == "cuda" and bool(os.environ.get(job_queue.GRANTED))
    if not any(each.startswith(kind) for each in there):
        raise _not_there(name, there)
    if ":" not in name or granted:
        return torch.device(kind)
    if name not in there:
        raise _not_there(name, there)
    if kind == "cuda":
        torch.cuda.set_device(name)  # recorded steps and random numbers are the present GPU's
    return torch.device(name)


def _not_there(name: str, there: list[str]) -> TrainingError:
    found = ", ".join(there[1:])
    what = {"cuda": "an NVIDIA GPU", "xpu": "an Intel GPU", "mps": "the GPU of a Mac"}
    wanted = what.get(name) or name
    message = f"The run asks for {wanted}, but torch finds {found or 'no GPU'} on this machine."
    choices = ", ".join(f'"{each}"' for each in ("auto", "cpu", *there[1:]))
    return TrainingError("training.device", message, f"Set device to one of {choices}.")


def _shown(training: Mapping[str, Any], device: torch.device) -> str:
    """The device as the project names it, where that says which of several."""
    return training["device"] if ":" in training["device"] else str(device)


def _stop_on_signal(run_loop: RunLoop, stop: list[Any]) -> None:
    """A signal that came while we were getting ready, or comes later, stops the run."""
    import signal

    def ask(*_: Any) -> None:
        run_loop.asked = "SIGTERM"

    signal.signal(signal.SIGTERM, ask)
    if stop:
        ask()


TELL_S = 0.5


def load_data(network: LoadedNetwork, seed: int, status: Status) -> Dataset:
    """Read what a run learns from, telling how far a folder of pictures is. Raises DataError."""
    inputs, outputs = ends(network.report.inputs, network.report.outputs)
    data = load_project(network.project, inputs, outputs, seed, _progress_writer(status))
    if data.left_out and data.labels is not None:
        count, total = len(data.left_out), len(data.left_out) + len(data.labels)
        status.warn(f"{count:,} of {total:,} pictures cannot be read and are left out: "
                    f"{named(data.left_out)}.")  # fmt: skip
    for text in absent_classes(data):
        status.warn(text)
    return data


def absent_classes(data: Dataset) -> list[str]:
    """A sentence for each split that has no sample of some class."""
    if data.labels is None:
        return []
    sentences: list[str] = []
    parts = {"training": data.train_indices, "validation": data.validation_indices}
    for what, rows in parts.items():
        present = set(data.labels[rows.to(data.labels.device)].unique().tolist())
        missing = tuple(name for i, name in enumerate(data.classes) if i not in present)
        if missing:
            sentences.append(f"No {what} sample is of class {named(missing)}.")
    return sentences


def _progress_writer(status: Status) -> Callable[[int, int, int], None]:
    """Write how far it is twice a second, so that a long wait is never taken for silence."""
    written_at = -TELL_S

    def tell(done: int, total: int, damaged: int) -> None:
        nonlocal written_at
        now = time.monotonic()
        if done < total and now - written_at < TELL_S:
            return
        written_at = now
        bad = f", {damaged:,} cannot be read" if damaged else ""
        status.write(phase=f"decoding pictures: {done:,} of {total:,}{bad}")

    return tell


def check_same(state: dict[str, Any] | None, data: Dataset) -> None:
    """Refuse to go on with other files: what validates might have been learned from before.

    state: the checkpoint, None for a run at its start. Data that we make ourselves can differ in
    its last bits on another machine; that is a warning, as for all else a run depends on.
    Raises RunError.
    """
    began = str(state["fingerprint"].get("data", "")) if state else data.content
    if began == data.content or data.info.custom is None:
        return
    message = (
        f"{data.info.custom.path} is not the data this run began with: its content was "
        f"{shorten(began)} and is {shorten(data.content)} now."
    )
    hint = "Put it back as it was and resume, or train anew; the weights up to here are kept."
    raise RunError("data", message, hint)
