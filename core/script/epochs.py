"""The part of a training file that trains on columns, epoch by epoch, and keeps the best."""

from core.script.accelerations import trained
from core.script.columns import columns
from core.script.learning import Learning
from core.script.loop import Epoch, Steps, epoch_of, loop, step_lines
from core.script.losses import given_first, groups, names
from core.script.param_groups import chosen, frozen
from core.script.validation import accuracy, results, shown
from core.source.fold import Slots
from core.source.literal import literal

DEEP = "        "  # how far the body of the inner loop stands in


def epochs_loop(learning: Learning, log: str = "") -> list[str]:
    """The loop over epochs of columns. log: as for `loop`."""
    return loop(learning, _steps(learning), epoch_parts(learning, "    "), log)


def epoch_parts(learning: Learning, inner: str = "", stop: str = "break") -> Epoch:
    """The lines around an epoch's steps.

    inner: how much deeper than the rest they stand. stop: what ends the training early.
    """
    broken = learning.lines(results(learning, learning.eval_model), inner)
    validate = [line.removeprefix(inner) for line in broken]
    return epoch_of(learning, validate, shown(learning), accuracy(learning), stop)


def _weights_of(learning: Learning, group: str) -> list[str]:
    """The statement that lists the weights of a node which learn."""
    every = f"model.{group}.parameters()"
    if not frozen(learning):
        return [f"weights = list({every})"]
    return chosen(learning, "weights", every, "weight.requires_grad", DEEP)


def taken_by(learning: Learning) -> list[str]:
    """Names of the columns that a batch of the loader holds."""
    feeds, targets = columns(learning.info)
    pairs = zip(feeds, learning.info.feeds, strict=True)
    return [*(c.name for c, feed in pairs if not feed.noise), *(c.name for c in targets)]


def compute_lines(learning: Learning) -> list[str]:
    """Lines that compute the loss of a batch, or one for each network that has its own."""
    info, taken = learning.info, taken_by(learning)
    feeds, _ = columns(info)
    lines: list[str] = []
    for column, feed in zip(feeds, info.feeds, strict=True):
        if feed.noise:
            size = literal(feed.shape)[1:-1].rstrip(",")
            lines.append(f"{column.name} = torch.randn(len({taken[0]}), {size}, device=device)")
        elif info.noise and info.kind != "text":
            noise = f"{literal(info.noise)} * torch.randn_like({column.name})"
            lines.append(f"{column.name} = {column.name} + {noise}")
    arguments = [trained(learning), *given_first(learning), *names(learning)]
    call = f"compute_loss({', '.join(arguments)})"
    losses = [f"{group}_loss" for group in groups(learning)]
    return [*lines, f"{', '.join(losses) or 'loss'} = {call}"]


def _steps(learning: Learning) -> Steps:
    groups_, taken = groups(learning), taken_by(learning)
    named = [f"{group}_loss" for group in groups_]
    whole = f"({' + '.join(named)})" if len(named) > 1 else named[0] if named else "loss"
    batch = f"{taken[0]}," if len(taken) == 1 else ", ".join(taken)
    losses = [_moving(learning, group, group == groups_[-1]) for group in groups_]
    return step_lines(learning, batch, compute_lines(learning), whole, taken[0], losses)


def _moving(learning: Learning, group: str, last: bool) -> Slots:
    """What moves the weights of a node by its own loss, from outputs that further ones read too."""
    arguments = "inputs=weights" if last else "inputs=weights, retain_graph=True"
    return {"ONE": f"{group}_loss", "WEIGHTS": _weights_of(learning, group), "ARGUMENTS": arguments}
