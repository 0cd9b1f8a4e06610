"""The third stage of an attempt: go on from the checkpoint, and begin the loop that trains."""

import time
import traceback
from dataclasses import asdict
from typing import Any

from core.engine.baseline import baseline_of, input_scale, target_range
from core.engine.distillation import describe
from core.engine.fingerprint import changes, fingerprint
from core.engine.nonfinite_errors import REFUSALS
from core.engine.param_groups import trainable_parameters
from core.engine.precision import determinism_warnings
from core.engine.trainer import Trainer
from core.runs import jsonl
from core.runs.accelerations import read_accelerations, write_accelerations
from core.runs.comparability import KEY
from core.runs.files import BASELINE, BEFORE, write_json
from core.runs.status import COMPILE_S, COMPILING_STEP, Status
from core.settings import accelerations
from core.tasks.baselines import Baseline
from core.worker.attempt import Attempt
from core.worker.build import Training
from core.worker.run_inputs import RunInputs, State
from core.worker.run_loop import RunLoop
from core.worker.run_writers import Ready, open_writers

EVERYTHING = 1 << 62


def begin(training: Training[Trainer], state: State | None, attempt: Attempt) -> RunLoop:
    """Go on from the checkpoint of a run, or begin at its start; return the loop that trains."""
    fingerprint_now = restored(training, state, attempt.status)
    if _capture_step(training, attempt):
        fingerprint_now = fingerprint_of(training)
    note_start(training, attempt)
    known = ready(training, fingerprint_now)
    writers = open_writers(attempt.run_dir, attempt.status, known)
    return RunLoop(attempt.run_dir, attempt.status, known, writers)


def ready(training: Training[Any], fingerprint_now: dict[str, Any]) -> Ready:
    """What the loop of a run needs."""
    return Ready(training.trainer, training.inputs.network, training.inputs.data, fingerprint_now)


def fingerprint_of(training: Training[Any]) -> dict[str, Any]:
    """The fingerprint of a run as it would train now."""
    inputs, trainer = training.inputs, training.trainer
    return fingerprint(inputs.run_dir, inputs.spec, trainer, inputs.data.content, inputs.device)


def restored(training: Training[Any], state: State | None, status: Status) -> dict[str, Any]:
    """Load the checkpoint of a run where it has one, cutting records past it.

    Returns the fingerprint of this attempt; the status says where it is not that of the checkpoint.
    """
    inputs, trainer = training.inputs, training.trainer
    fingerprint_now = fingerprint_of(training)
    if (metrics_before := inputs.run_dir / BEFORE).exists():
        metrics_before.replace(inputs.run_dir / "metrics.jsonl")
    status.fields |= {"epochs": training.settings["epochs"], "steps": trainer.steps}
    if state is None:
        _truncate_records(inputs, status, 0, 0)
        status.fields |= {"elapsed_s": 0.0, "metrics": {}, "best": None, "exact": True}
        return fingerprint_now
    trainer.load_state_dict(state)
    _truncate_records(inputs, status, trainer.step, trainer.epoch)
    status.fields["elapsed_s"] = float(state["elapsed_s"])
    changed = changes(state["fingerprint"], fingerprint_now)
    unsure = determinism_warnings(trainer.module, training.settings, inputs.device)
    status.fields["exact"] = not changed and not unsure
    if changed or unsure:
        degree = "not" if changed else "possibly not"
        reasons = "; ".join(changed + unsure)
        status.warn(f"Resumed, but {degree} bit for bit, because of {reasons}.")
    return fingerprint_now


def note_start(training: Training[Any], attempt: Attempt) -> None:
    """Write the baseline, and the events of a run that stands at its start."""
    _write_baseline(training)
    if training.trainer.step:
        return
    if training.initial_weights:
        attempt.event_once("begins", training.initial_weights)
    if training.inputs.teacher:
        attempt.event_once("teacher", describe(training.inputs.spec))


def _truncate_records(inputs: RunInputs, status: Status, step: int, epoch: int) -> None:
    """Cut what lies past the checkpoint. Readers start over on a new attempt: status first."""
    status.write(epoch=epoch, step=step)
    jsonl.truncate_after(inputs.run_dir / "metrics.jsonl", step, epoch)
    jsonl.truncate_after(inputs.run_dir / "events.jsonl", EVERYTHING, EVERYTHING)


def _capture_step(training: Training[Trainer], attempt: Attempt) -> bool:
    """Record or compile a step where that is wanted; whether it failed.

    All attempts do without then.
    """
    trainer, settings = training.trainer, training.settings
    mode = read_accelerations(attempt.run_dir)["compile_step"]
    trainer.captured_from = (mode.from_step or 0) if mode.on else 0
    if not trainer.wants_capture:
        return False
    compiles = settings["compile_step"] != "off"
    if compiles:
        attempt.status.write(phase=COMPILING_STEP, hang_after_s=COMPILE_S)
    else:
        attempt.status.write(phase="recording a step")
    trainable_parameters(trainer.module, settings)
    started = time.monotonic()
    trainer.capture(lines=training.inputs.network.report.lines)
    if trainer.uncaptured:
        _do_without(trainer, attempt, compiles)
    elif compiles:
        took = time.monotonic() - started
        attempt.event("compiled", f"Whole steps are compiled, which took {took:.3g} s.")
    return bool(trainer.uncaptured)


def _do_without(trainer: Trainer, attempt: Attempt, compiles: bool) -> None:
    """Steps are calculated: reported, and recorded where the run begins."""
    status, done = attempt.status, "compiled" if compiles else "recorded"
    if trainer.step > trainer.captured_from:
        status.fields["exact"] = False
        status.warn(f"Resumed, but not bit for bit, because steps are no longer {done}.")
        return
    why = f"The step could not be {done}: {trainer.uncaptured}"
    modes = read_accelerations(attempt.run_dir)
    name = "compile_step" if compiles else "cuda_graph"
    modes[name] = accelerations.Acceleration(False, why)
    write_accelerations(attempt.run_dir, modes)


def _fields(found: Baseline) -> dict[str, Any]:
    """A baseline as it is written; what only some have is left out where it is empty."""
    some = ("counts", "level", "others")
    return {name: value for name, value in asdict(found).items() if name not in some or value}


def _write_baseline(training: Training[Any]) -> None:
    """Write the result of a simple rule once; where that fails only the figure is missing."""
    trainer, path = training.trainer, training.inputs.run_dir / BASELINE
    if path.exists():
        return
    try:
        data, groups = training.inputs.data, training.inputs.data.validation_groups()
        found = baseline_of(trainer, data)
        counted = {
            "samples": len(trainer.validation),
            **({"groups": groups} if groups else {}),
            **input_scale(trainer),
            **target_range(trainer),
        }
        judged = {KEY: {"data": data.content, "samples": data.judges}}
        write_json(path, {**(_fields(found) | counted if found else {}), **judged})
    except (*REFUSALS, ArithmeticError, LookupError, OSError) as error:
        traceback.print_exception(error)
