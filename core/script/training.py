"""The lines of a training file that train: the loop over epochs and its steps."""

from core.script import ranks
from core.script.accelerations import step_model
from core.script.evaluate import call_of, shown
from core.script.learning import Learning
from core.script.loop import Epoch, Steps, epoch_of, loop, step_lines
from core.script.losses import extra_arguments, groups, names
from core.script.param_groups import frozen_paths, selection_lines
from core.script.validation import best_accuracy
from core.source.fold import Slots
from core.source.layout import wrap_inside
from core.source.literal import literal

DEEP = "        "  # how far the body of the inner loop stands in


def epochs_loop(learning: Learning, log: str = "") -> list[str]:
    """The loop over epochs. log: as for `loop`."""
    return loop(learning, _steps(learning), epoch_parts(learning), log)


def epoch_parts(learning: Learning, stop: str = "break") -> Epoch:
    """The lines around an epoch's steps. stop: what ends the training early."""
    call = call_of(learning, learning.eval_model)
    if learning.ranks:
        call = ranks.from_first_process(call)
    validate = wrap_inside(f"{learning.indent}    ", call)
    return epoch_of(learning, validate, shown(learning), best_accuracy(learning), stop)


def compute_lines(learning: Learning) -> list[str]:
    """Lines that compute the loss of a batch, or one for each network that has its own."""
    losses = [f"{group}_loss" for group in groups(learning)]
    return [*_noise_lines(learning), f"{', '.join(losses) or 'loss'} = {_call(learning)}"]


def _call(learning: Learning) -> str:
    network = step_model(learning)
    if not learning.info.plain:
        arguments = [network, *extra_arguments(learning), *names(learning)]
        return f"compute_loss({', '.join(arguments)})"
    if learning.teacher:
        return f"taught_loss({network}, teacher, criterion, x, y)"
    return f"criterion({network}(x), y)"


def _noise_lines(learning: Learning) -> list[str]:
    """Lines that draw the noise of a batch: an Input of nothing else, and what others get of it."""
    info, samples = learning.info, learning.samples
    lines: list[str] = []
    for name, feed in zip(samples.fed, info.feeds, strict=True):
        if feed.noise:
            size = literal(feed.shape)[1:-1].rstrip(",")
            lines.append(f"{name} = torch.randn(len({samples.first}), {size}, device=device)")
        elif info.noise and info.kind != "text":
            lines.append(f"{name} = {name} + {literal(info.noise)} * torch.randn_like({name})")
    return lines


def _steps(learning: Learning) -> Steps:
    groups_, samples = groups(learning), learning.samples
    named = [f"{group}_loss" for group in groups_]
    whole = f"({' + '.join(named)})" if len(named) > 1 else named[0] if named else "loss"
    batch = f"{samples.first}," if len(samples.batch) == 1 else ", ".join(samples.batch)
    losses = [_backward_of_group(learning, group, group == groups_[-1]) for group in groups_]
    compute = [*samples.moved, *compute_lines(learning)]
    return step_lines(learning, batch, compute, whole, samples.first, losses)


def _backward_of_group(learning: Learning, group: str, last: bool) -> Slots:
    """What moves the weights of a node by its own loss, from outputs that further ones read too."""
    arguments = "inputs=weights" if last else "inputs=weights, retain_graph=True"
    return {"ONE": f"{group}_loss", "WEIGHTS": _weights_of(learning, group), "ARGUMENTS": arguments}


def _weights_of(learning: Learning, group: str) -> list[str]:
    """The statement that lists the weights of a node which learn."""
    every = f"model.{group}.parameters()"
    if not frozen_paths(learning):
        return [f"weights = list({every})"]
    return selection_lines(learning, "weights", every, "weight.requires_grad", DEEP)
