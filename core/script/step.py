"""The lines of a training file that make an epoch's steps: the text that a run executes."""

from collections.abc import Sequence

from core.engine.step_text import step_text
from core.script.learning import Learning
from core.source.fold import Slots


def step_lines(
    learning: Learning,
    batch: str,
    compute: Sequence[str],
    total: str,
    first: str,
    losses: Sequence[Slots] = (),
) -> list[str]:
    """The loop over an epoch's batches.

    batch: names of what the loader gives. compute: lines from there to the loss. total: all losses
    together; first: what is as long as the batch. losses: as for `step_text`.
    """
    *prepare, last = compute
    loss, _, call = last.partition(" = ")
    slots: Slots = {
        "BATCH": batch,
        "PREPARE": prepare,
        "LOSS": loss,
        "COMPUTE": call,
        "PARAMETERS": "model.parameters()",
        "TOTAL": total,
        "FIRST": first,
    }
    head, *body = step_text(learning.training, slots, losses)
    return [head, *(line for text in body for line in _broken(learning, text))]


def _broken(learning: Learning, text: str) -> list[str]:
    """A line of the loop, broken where it is too long for its place: in the loop over epochs."""
    deep = " " * (4 + len(text) - len(text.lstrip()))
    return [line.removeprefix("    ") for line in learning.lines(text.lstrip(), deep)]
