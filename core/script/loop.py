"""The loop of a training file: `epoch.py`, which a run also executes, folded around the steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.script import accelerations, ranks
from core.script.learning import Learning
from core.script.param_groups import train_lines
from core.script.step_text import step_text
from core.settings.lr_schedulers import has_trait
from core.source.fold import FoldedNames, Slots, fold, function_bodies

TEXT = Path(__file__).with_stem("epoch")
RESULTS = {
    "last": "The weights of the last epoch are in",
    "val_accuracy": "Best validation accuracy {best[0]:.2%}; its weights are in",
    "val_balanced": "Best mean recall {best[0]:.2%}; its weights are in",
    "val_loss": "Best validation loss {best:.4f}; its weights are in",
}


@dataclass(frozen=True)
class Epoch:
    """What stands around the steps of an epoch.

    before: the first one. validate: lines that do it. after: lines that report, keep the best
    weights and stop early. result: what is printed in the end, as an expression.
    """

    before: list[str]
    validate: list[str]
    after: list[str]
    result: str


@dataclass(frozen=True)
class Steps:
    """An epoch's steps: the loop over batches, and what stands before all epochs for them."""

    before: list[str]
    lines: list[str]


def epoch_of(
    learning: Learning, validate: list[str], report: list[str], accuracy: str, stop: str
) -> Epoch:
    """The lines around an epoch's steps.

    report: what is printed of it, as lines of one expression. accuracy: the expression by which the
    best epoch is known, "" where it is the loss. stop: the statement that makes it the last one.
    """
    best_by = "last" if learning.newest else "val_accuracy" if accuracy else "val_loss"
    patience = None if learning.newest else learning.training["patience"]
    values = {"BEST_BY": best_by, "PATIENCE": patience, "MIN_DELTA": learning.training["min_delta"]}
    first = 'f"epoch {epoch + 1}: train loss {train_loss / ' + f'{learning.count}:.4f}}, "'
    printed = [f"    {line}" for line in (first, *report)]
    save = f"torch.save({learning.eval_model}.state_dict(), {learning.names.out})"
    slots: Slots = {
        "REPORT": ranks.on_first_process(learning, ["print(", *printed, ")"]),
        "ACCURACY": accuracy,
        "STOP": [stop],
        "SAVE": ranks.on_first_process(learning, [save]),
    }
    known = FoldedNames(values, slots, {})
    bodies = function_bodies(TEXT.read_text(encoding="utf-8"))
    before, after = (fold(bodies[name], known) for name in ("before_epochs", "after_validation"))
    by = learning.training["best_by"] if accuracy else best_by
    return Epoch(before, validate, after, f'f"{RESULTS[by]} {{{learning.names.out}}}"')


def loop(learning: Learning, steps: Steps, epoch: Epoch, log: str) -> list[str]:
    """The loop over epochs. log: a statement that keeps the numbers."""
    minutes = learning.training["max_minutes"]
    values = {
        "MAX_MINUTES": minutes,
        "SHUFFLED": learning.shuffled,
        "MOVES": learning.per,
        "PLATEAU": has_trait(learning.training, "watches_loss"),
    }
    slots: Slots = {
        "BEFORE_EPOCHS": epoch.before,
        "EPOCHS": learning.names.epochs,
        "TRAIN": [
            *train_lines(learning),
            learning.zeros,
            *steps.lines,
            *ranks.sum_lines(learning),
        ],
        "VALIDATE": epoch.validate,
        "LOG": [log] if log else [],
        "AFTER_VALIDATION": epoch.after,
        "LATE": ranks.time_is_over(learning),
        "OVER": ranks.on_first_process(
            learning, [f'print("Its {minutes or 0:g} minutes are over.")']
        ),
        "RESULT": ranks.on_first_process(learning, [f"print({epoch.result})"]),
    }
    each: dict[str, Sequence[Slots]] = {} if learning.matrices else {"schedulers": ({},)}
    text = function_bodies(TEXT.read_text(encoding="utf-8"))["train_epochs"]
    return [*steps.before, *fold(text, FoldedNames(values, slots, each))]


def imports(training: Mapping[str, Any]) -> tuple[str, ...]:
    """The import line that a time limit needs."""
    return () if training["max_minutes"] is None else ("import time",)


def step_lines(
    learning: Learning,
    batch: str,
    compute: Sequence[str],
    total: str,
    first: str,
    losses: Sequence[Slots] = (),
) -> Steps:
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
    slots = {**slots, **ranks.step_slots(learning)}
    lines = step_text(learning.training, slots, losses, **ranks.step_constants(learning))
    lines = ranks.step_with_turns(learning, lines)
    before = accelerations.remark(learning)
    if accelerations.compiles_step(learning):
        before, lines = accelerations.whole_step(learning, lines)
    head, *body = lines
    return Steps(before, [head, *(line for text in body for line in _broken(learning, text))])


def _broken(learning: Learning, text: str) -> list[str]:
    """A line of the loop, broken where it is too long for its place: in the loop over epochs."""
    deep = " " * (4 + len(text) - len(text.lstrip()))
    return [line.removeprefix("    ") for line in learning.lines(text.lstrip(), deep)]
