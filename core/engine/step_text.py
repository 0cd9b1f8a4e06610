"""The text of the training step for some settings: what `step.py` says with them folded in."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from core.settings.lr_schedulers import moves
from core.settings.optimizers import OPTIMIZERS
from core.settings.schema import defaults
from core.source.fold import Known, Slots, fold


@cache
def written_step() -> tuple[str, str]:
    """The bodies of `train_steps` and `optimizer_step`, as they are written."""
    text = Path(__file__).with_stem("step").read_text(encoding="utf-8")
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    first, second = (
        "\n".join(text.splitlines()[node.body[1].lineno - 1 : node.end_lineno])  # no docstring
        for node in functions
    )
    return first, second


def step_text(
    training: Mapping[str, Any],
    slots: Slots,
    losses: Sequence[Slots] = (),
    **more: Any,
) -> list[str]:
    """The lines of the loop over a loader's batches.

    training: resolved settings, each known by its name in capitals. slots: BATCH, what the loader
    gives; PREPARE, lines before the network; LOSS and COMPUTE, names and the call that gives them;
    PARAMETERS, all that learn; TOTAL and FIRST, what a batch adds to the mean. losses: where each
    moves weights of its own, ONE, its name, WEIGHTS, lines, and ARGUMENTS of backward. more: other
    values of constants.
    """
    values = {name.upper(): value for name, value in {**defaults(), **training}.items()}
    values |= {"SCRIPT": True, "MOVES": moves(training)} | more
    one: Slots = {"ONE": "loss", "WEIGHTS": (), "ARGUMENTS": ""}
    each: dict[str, Sequence[Slots]] = {"LOSSES": losses or (one,)}
    if not OPTIMIZERS[training["optimizer"]].matrices:  # one of each, by its own name
        each |= {"optimizers": ({},), "schedulers": ({},)}
    dtype = {"DTYPE": f"torch.{training['precision']}"}
    steps, update = written_step()
    known = Known(values, {**dtype, **slots}, each)
    lines = {"OPTIMIZER_STEP": fold(update, known)}
    return fold(steps, replace(known, slots={**known.slots, **lines}))
