"""The lines of a training file that make one step, of one batch or of several."""

from typing import TYPE_CHECKING

from core.script.accelerations import calculated, scaled, stepped, unscaled
from core.script.ending import time_over
from core.source.literal import literal

if TYPE_CHECKING:
    from core.script.training import Learning


def batches_line(learning: "Learning", batch: str) -> str:
    """The head of the loop over an epoch's batches."""
    if learning.training["accumulate"] == 1:
        return f"for {batch} in loader:"
    inner = batch if batch.startswith("(") else f"({batch})"
    return f"for number, {inner} in enumerate(loader):"


def shared(learning: "Learning", loss: str) -> str:
    """A loss as its gradient is taken: the part of a step that its batch makes."""
    alone = learning.training["accumulate"] == 1
    if scaled(learning):
        return f"scaler.scale({loss if alone else f'{loss} / share'})"
    return loss if alone else f"({loss} / share)"


def step_lines(
    learning: "Learning", compute: list[str], backward: list[str], counted: list[str]
) -> list[str]:
    """The lines of a batch: what computes its loss, its gradient, the step, what is counted."""
    several, many = learning.matrices, literal(learning.training["accumulate"])
    compute = calculated(learning, compute)
    clear, move = each("optimizer", "zero_grad()", several), _move(learning)
    over = time_over(learning)
    if many == "1":
        return [*_before(learning), *compute, *clear, *backward, *move, *counted,
                *over]  # fmt: skip
    return [
        f"share = min({many}, len(loader) - number // {many} * {many})",
        *_when(f"if number % {many} == 0:", _before(learning)),
        *compute,
        f"if number % {many} == 0:",
        *(f"    {line}" for line in clear),
        *backward,
        *counted,
        f"if number % {many} == share - 1:",
        *(f"    {line}" for line in [*move, *over]),
    ]


def _when(condition: str, lines: list[str]) -> list[str]:
    return [condition, *(f"    {line}" for line in lines)] if lines else []


def _before(learning: "Learning") -> list[str]:
    """Keep what a step that is left out must not change."""
    if learning.training["on_not_finite"] == "stop":
        return []
    return ["buffers = [buffer.clone() for buffer in model.buffers()]"]


def _move(learning: "Learning") -> list[str]:
    training, several = learning.training, learning.matrices
    clip = training["clip_norm"]
    norm = f"nn.utils.clip_grad_norm_(model.parameters(), {literal(clip)})"
    value = training["clip_value"]
    cut = [f"nn.utils.clip_grad_value_(model.parameters(), {literal(value)})"]
    cut = cut if value is not None else []
    step = stepped(learning, several)
    if training["ema_decay"]:
        step.append("average.update_parameters(model)")
    schedule = each("scheduler", "step()", several) if learning.per == "step" else []
    if training["on_not_finite"] == "stop":
        clipped = [norm] if clip is not None else cut
        return [*(unscaled(learning, several) if clipped else []), *clipped, *step, *schedule]
    grads = "[p.grad for p in model.parameters() if p.grad is not None]"
    whole = [f"grads = {grads}", "norm = nn.utils.get_total_norm(grads)"]
    return [
        *([f"norm = {norm}"] if clip is not None else whole),
        "if norm.isfinite():",
        *(f"    {line}" for line in [*cut, *step]),
        "else:  # this step is left out",
        "    for buffer, before in zip(model.buffers(), buffers, strict=True):",
        "        buffer.copy_(before)",
        *schedule,
    ]


def each(name: str, call: str, several: bool) -> list[str]:
    """A call on one thing, or on each of `name`s."""
    return [f"for {name} in {name}s:", f"    {name}.{call}"] if several else [f"{name}.{call}"]
