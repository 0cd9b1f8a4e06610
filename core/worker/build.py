"""The second stage of an attempt: build what learns, and settle how its steps are made."""

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic

import torch

from core.common.device import has
from core.engine.init_weights import load_initial_weights
from core.engine.rng import rng_state, seed_all, set_rng_state
from core.engine.sanity_check import sanity_check
from core.engine.trainer import Trainer
from core.engine.trainer_factory import E, Parts, split_on_device, trainer_from_settings
from core.runs.accelerations import read_accelerations, write_accelerations
from core.runs.full_disk import of_full_disk
from core.runs.status import COMPILE_S, COMPILING
from core.settings import accelerations
from core.settings.accelerations import OFF, Acceleration, Modes
from core.worker import error_messages, processes, threads
from core.worker.attempt import Attempt
from core.worker.run_inputs import RunInputs

CLOSE = {"float32": 1e-3, "bfloat16": 5e-2, "float16": 5e-2}
"""How far, as a share of it, a loss may be from that of the network as it is written."""
DRAWS = ("ropout", "rand", "bernoulli")
"""Words in a source that draws random numbers, which a compiled network draws in another way."""
Make = Callable[[type[Trainer], Mapping[str, Any]], Trainer]


@dataclass(frozen=True)
class TrainerSource:
    """What trainers of a run are made of. parts: of the data, on the device."""

    inputs: RunInputs
    parts: Parts

    def make(self, kind: type[E], settings: Mapping[str, Any]) -> E:
        """A trainer at the start of the run: its first weights follow from the seed."""
        return self.make_and_tell(kind, settings)[0]

    def make_and_tell(self, kind: type[E], settings: Mapping[str, Any]) -> tuple[E, str]:
        """The same, and what happened to weights that the run begins with, "" for none."""
        inputs = self.inputs
        seed_all(settings["seed"])
        module = inputs.network.module()
        loaded = load_initial_weights(inputs.run_dir, module, inputs.spec)
        module = module.to(inputs.device)
        trainer = trainer_from_settings(module, settings, inputs.data, self.parts, kind)
        trainer.computing.teacher = inputs.teacher
        return trainer, loaded


@dataclass(frozen=True)
class Training(Generic[E]):
    """A run that is built. settings: with nothing left to choose. initial_weights: what happened
    to weights that it begins with, "" where they are random."""

    source: TrainerSource
    settings: Mapping[str, Any]
    trainer: E
    initial_weights: str

    @property
    def inputs(self) -> RunInputs:
        """What its folder holds."""
        return self.source.inputs


def build(inputs: RunInputs, attempt: Attempt) -> Training[Trainer]:
    """Build the trainer of a run that has its process for itself. Raises RunError."""
    source = on_device(inputs, attempt)
    if attempt.ranked:
        return processes.needed().build(source, attempt)
    training = checked(source, settled(source, attempt), Trainer, attempt)
    choose_threads(training, attempt)
    return training


def rehearse(inputs: RunInputs) -> Trainer:
    """The run at its start with compiled steps, for a process that only compiles them."""
    source = TrainerSource(inputs, split_on_device(inputs.data, inputs.device))
    modes = read_accelerations(inputs.run_dir)
    settings = accelerations.resolve_accelerations(inputs.settings, modes)
    return source.make(Trainer, {**settings, "compile_step": "on"})


def on_device(inputs: RunInputs, attempt: Attempt) -> TrainerSource:
    """Bring the data of a run to its device."""
    parts = split_on_device(inputs.data, inputs.device)
    attempt.status.write(phase="building the network")
    batch_size = inputs.settings["batch_size"]
    attempt.know_need(error_messages.estimate_bytes(inputs.network.report, batch_size))
    return TrainerSource(inputs, parts)


def settled(source: TrainerSource, attempt: Attempt) -> dict[str, Any]:
    """Settle how to calculate, once and for all attempts of the run; return the settings."""
    inputs = source.inputs
    modes = read_accelerations(inputs.run_dir)
    if not modes:
        text = inputs.network.source
        modes = accelerations.accelerations_of(inputs.settings, inputs.device.type, text)
        if modes["compile"].on:
            attempt.status.write(phase=COMPILING, hang_after_s=COMPILE_S)
            modes = compile_checked(source.make, inputs.settings, modes, text)
        write_accelerations(inputs.run_dir, modes)
    return accelerations.resolve_accelerations(inputs.settings, modes)


def checked(
    source: TrainerSource, settings: Mapping[str, Any], kind: type[E], attempt: Attempt
) -> Training[E]:
    """Build the trainer, and try out that it can train. Raises RunError."""
    trainer, initial_weights = source.make_and_tell(kind, settings)
    sanity_check(trainer, attempt.status)
    return Training(source, settings, trainer, initial_weights)


def choose_threads(training: Training[Any], attempt: Attempt) -> None:
    """Find the fastest number of threads, once and for all attempts of the run."""
    inputs, settings = training.inputs, training.settings
    most, fixed = torch.get_num_threads(), settings["threads"]
    known = threads.read_thread_count(inputs.run_dir)
    if fixed or not has(inputs.device, "host") or most == 1 or known:
        return
    attempt.status.write(phase="trying numbers of threads")
    before = rng_state()
    plain = {**settings, "scheduler": None, "warmup": 0}
    try:
        step = threads.timed_step(training.source.make(Trainer, plain))
        choice = threads.fastest(step, most)
    finally:
        set_rng_state(before)
    threads.write_thread_count(inputs.run_dir, choice)
    attempt.event("threads", choice.why, threads=choice.count)


def compile_checked(make: Make, training: Mapping[str, Any], modes: Modes, source: str) -> Modes:
    """Take one step of a network that nobody needs; without `compile` where that goes wrong.

    make: builds an engine at the start of the run.
    """
    plain = {**training, **OFF, "scheduler": None, "warmup": 0}
    before = rng_state()
    try:
        loss = _first_loss(make(Trainer, {**plain, "compile": "on"}))
        expected = _first_loss(make(Trainer, plain))
    except Exception as error:  # of any compiler; the step as written raises the real error
        if of_full_disk(error):  # it has nothing to do with the network
            raise
        traceback.print_exception(error)
        lines = str(error).strip().splitlines() or [""]
        why = f"It could not be compiled: {type(error).__name__}: {lines[0][:160]}"
        return modes | {"compile": Acceleration(False, why)}
    finally:
        set_rng_state(before)
    far = abs(loss - expected) > CLOSE[training["precision"]] * abs(expected) + 1e-6
    if far and not any(word in source for word in DRAWS):
        why = f"The compiled network's first loss was {loss:.6g} instead of {expected:.6g}."
        return modes | {"compile": Acceleration(False, why)}
    return modes


def _first_loss(trainer: Trainer) -> float:
    """The loss of the first step."""
    trainer.module.train()
    trainer.make_step(trainer.batches_of_epoch()[0])
    return float(trainer.drain_metrics()["loss"][0])
