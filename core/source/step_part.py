"""The lines of a training file that make one step, of one batch or of several."""

from typing import TYPE_CHECKING

from core.source.literal import literal

if TYPE_CHECKING:
    from core.source.training_part import Learning


def batches_line(learning: "Learning", batch: str) -> str:
    """The head of the loop over an epoch's batches."""
    if learning.training["accumulate"] == 1:
        return f"for {batch} in loader:"
    inner = batch if batch.startswith("(") else f"({batch})"
    return f"for number, {inner} in enumerate(loader):"


def shared(learning: "Learning", loss: str) -> str:
    """A loss as its gradient is taken: the part of a step that its batch makes."""
    return loss if learning.training["accumulate"] == 1 else f"({loss} / share)"


def step_lines(
    learning: "Learning", compute: list[str], backward: list[str], counted: str
) -> list[str]:
    """The lines of a batch: what computes its loss, its gradient, the step, what is counted."""
    several, many = learning.matrices, literal(learning.training["accumulate"])
    clear, move = each("optimizer", "zero_grad()", several), _move(learning)
    if many == "1":
        return [*compute, *clear, *backward, *move, counted]
    return [
        f"share = min({many}, len(loader) - number // {many} * {many})",
        *compute,
        f"if number % {many} == 0:",
        *(f"    {line}" for line in clear),
        *backward,
        counted,
        f"if number % {many} == share - 1:",
        *(f"    {line}" for line in move),
    ]


def _move(learning: "Learning") -> list[str]:
    training, several, lines = learning.training, learning.matrices, list[str]()
    if training["clip_norm"] is not None:
        limit = literal(training["clip_norm"])
        lines.append(f"nn.utils.clip_grad_norm_(model.parameters(), {limit})")
    lines += each("optimizer", "step()", several)
    if training["ema_decay"]:
        lines.append("average.update_parameters(model)")
    if learning.per == "step":
        lines += each("scheduler", "step()", several)
    return lines


def each(name: str, call: str, several: bool) -> list[str]:
    """A call on one thing, or on each of `name`s."""
    return [f"for {name} in {name}s:", f"    {name}.{call}"] if several else [f"{name}.{call}"]
