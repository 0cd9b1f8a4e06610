"""Source of the training step for given settings: `step.py` with the settings folded in."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from core.settings.lr_schedulers import moves
from core.settings.optimizers import OPTIMIZERS
from core.settings.schema import defaults
from core.source.fold import FoldedNames, Slots, fold, function_bodies

STEP = Path(__file__).resolve().parents[1] / "engine" / "step.py"
"""What a training calls: the script gets its text, so that both do the same."""


@cache
def written_step() -> Mapping[str, str]:
    """The bodies of the functions, as they are written."""
    return function_bodies(STEP.read_text("utf-8"))


def step_text(
    training: Mapping[str, Any],
    slots: Slots,
    losses: Sequence[Slots] = (),
    **more: Any,
) -> list[str]:
    """The lines of the loop over a loader's batches.

    training: resolved settings, each known by its name in capitals. slots: BATCH, what the loader
    gives; PREPARE, lines before the network; LOSS and COMPUTE, names and the call that gives them;
    PARAMETERS, all that learn; TOTAL and FIRST, what a batch adds to the mean; where it stands for
    one of several processes EXCHANGE, a line after each batch, and LAST. losses: where each
    moves weights of its own, ONE, its name, WEIGHTS, lines, and ARGUMENTS of backward. more: other
    values of constants.
    """
    values = {name.upper(): value for name, value in {**defaults(), **training}.items()}
    counted = values["MAX_MINUTES"] is not None or values["DROP_LAST"]
    values |= {
        "SCRIPT": True,
        "RANKS": False,
        "SHARES_BUFFERS": False,
        "SYNCS_NORMS": False,
        "DRAWS": False,
        "MOVES": moves(training),
        "COUNTED": counted,
    } | more
    one: Slots = {"ONE": "loss", "WEIGHTS": (), "ARGUMENTS": ""}
    each: dict[str, Sequence[Slots]] = {"LOSSES": losses or (one,)}
    if not OPTIMIZERS[training["optimizer"]].matrices:  # one of each, by its own name
        each |= {"optimizers": ({},), "schedulers": ({},)}
    usual: dict[str, str | Sequence[str]] = {
        "DTYPE": f"torch.{training['precision']}",
        "EXCHANGE": (),
        "LAST": f"number % {values['ACCUMULATE']} == share - 1",
    }
    known = FoldedNames(values, {**usual, **slots}, each)
    written = written_step()
    for part in ("micro_batch", "optimizer_step", "own_batch"):
        known = replace(known, slots={**known.slots, part.upper(): fold(written[part], known)})
    return fold(written["train_steps"], known)
