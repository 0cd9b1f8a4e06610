"""The part of a training file that trains on columns, epoch by epoch, and keeps the best."""

from core.script.accelerations import trained
from core.script.columns import columns
from core.script.learning import Learning
from core.script.loop import (
    Epoch,
    loop,
    patience_anew,
    patience_begins,
    patience_ends,
    step_lines,
)
from core.script.losses import given_first, groups, names
from core.script.param_groups import chosen, frozen, train_lines
from core.script.validation import accuracy, results, shown
from core.source.fold import Slots
from core.source.literal import literal

DEEP = "        "  # how far the body of the inner loop stands in


def epochs_loop(learning: Learning, keep: str = "") -> list[str]:
    """The loop over epochs of columns. keep: as for `loop`."""
    return loop(learning, _train_epoch(learning), epoch_parts(learning, "    "), keep)


def epoch_parts(learning: Learning, inner: str = "") -> Epoch:
    """The lines around an epoch's steps. inner: how much deeper than the rest they stand."""
    better, first, told = _best(learning)
    validate = learning.lines(results(learning, learning.judged), inner)
    said = [
        "print(",
        '    f"epoch {epoch + 1}: train loss {train_loss / ' + f'{learning.count}:.4f}}, "',
        *(f"    {text}" for text in shown(learning)),
        ")",
        *_saving(learning, better),
    ]
    begins = [] if learning.newest else [f"best = {first}"]
    return Epoch(
        [*begins, *patience_begins(learning, accuracy(learning))],
        [line.removeprefix(inner) for line in validate],
        said,
        f'print(f"{told} {{{learning.names.out}}}")',
    )


def _best(learning: Learning) -> tuple[str, str, str]:
    """What must hold of a new best epoch, what `best` begins with, what is said in the end."""
    if learning.newest:
        return "", "", "The weights of the last epoch are in"
    if right := accuracy(learning):
        words = "Best validation accuracy {best[0]:.2%}; its weights are in"
        return f"({right}, -val_loss) > best", "(-1.0, 0.0)", words
    words = "Best validation loss {best:.4f}; its weights are in"
    return "val_loss < best", 'float("inf")', words


def _saving(learning: Learning, better: str) -> list[str]:
    """The lines that keep the weights of the best epoch, or of every one."""
    save = f"torch.save({learning.judged}.state_dict(), {learning.names.out})"
    if not better:
        return [save]
    right = accuracy(learning)
    value = f"({right}, -val_loss)" if right else "val_loss"
    note = "  # of equals, the surer" if right else ""
    return [
        f"if {better}:{note}",
        f"    best = {value}",
        *patience_anew(learning),
        f"    {save}",
        *patience_ends(learning, right),
    ]


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
    given = [trained(learning), *given_first(learning), *names(learning)]
    call = f"compute_loss({', '.join(given)})"
    losses = [f"{group}_loss" for group in groups(learning)]
    return [*lines, f"{', '.join(losses) or 'loss'} = {call}"]


def _train_epoch(learning: Learning) -> list[str]:
    found, taken = groups(learning), taken_by(learning)
    named = [f"{group}_loss" for group in found]
    whole = f"({' + '.join(named)})" if len(named) > 1 else named[0] if named else "loss"
    batch = f"{taken[0]}," if len(taken) == 1 else ", ".join(taken)
    losses = [_moving(learning, group, group == found[-1]) for group in found]
    steps = step_lines(learning, batch, compute_lines(learning), whole, taken[0], losses)
    return [*train_lines(learning), learning.zeros, *steps]


def _moving(learning: Learning, group: str, last: bool) -> Slots:
    """What moves the weights of a node by its own loss, from outputs that further ones read too."""
    given = "inputs=weights" if last else "inputs=weights, retain_graph=True"
    return {"ONE": f"{group}_loss", "WEIGHTS": _weights_of(learning, group), "ARGUMENTS": given}
