"""A compiled network is compared with the one as it is written before a run uses it."""

import traceback
from collections.abc import Callable, Mapping
from typing import Any

from core.engine.accelerations import OFF, Acceleration, Modes
from core.engine.rng import rng_state, set_rng_state
from core.engine.trainer import Trainer
from core.runs.full_disk import of_full_disk

CLOSE = {"float32": 1e-3, "bfloat16": 5e-2, "float16": 5e-2}
"""How far, as a share of it, a loss may be from that of the network as it is written."""
DRAWS = ("ropout", "rand", "bernoulli")
"""Words in a source that draws random numbers, which a compiled network draws in another way."""
Make = Callable[[type[Trainer], Mapping[str, Any]], Trainer]


def compile_checked(make: Make, training: Mapping[str, Any], modes: Modes, source: str) -> Modes:
    """Take one step of a network that nobody needs; without `compile` where that goes wrong.

    make: builds an engine at the start of the run.
    """
    plain = {**training, **OFF, "scheduler": None, "warmup": 0}
    before = rng_state()
    try:
        loss = _first_loss(make(Trainer, {**plain, "compile": "on"}))
        wanted = _first_loss(make(Trainer, plain))
    except Exception as error:  # of any compiler; the step as written says what is truly wrong
        if of_full_disk(error):  # it says nothing of the network
            raise
        traceback.print_exception(error)
        lines = str(error).strip().splitlines() or [""]
        why = f"It could not be compiled: {type(error).__name__}: {lines[0][:160]}"
        return modes | {"compile": Acceleration(False, why)}
    finally:
        set_rng_state(before)
    far = abs(loss - wanted) > CLOSE[training["precision"]] * abs(wanted) + 1e-6
    if far and not any(word in source for word in DRAWS):
        why = f"The compiled network's first loss was {loss:.6g} instead of {wanted:.6g}."
        return modes | {"compile": Acceleration(False, why)}
    return modes


def _first_loss(trainer: Trainer) -> float:
    """The loss of the first step."""
    trainer.module.train()
    trainer.make_step(trainer.batches_of_epoch()[0])
    return float(trainer.drain_metrics()["loss"][0])
