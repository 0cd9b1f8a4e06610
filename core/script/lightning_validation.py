"""The validation of a Lightning script: the lines of `evaluate`, a batch at a time.

Each batch adds its own sums to those of the epoch, in the order in which `evaluate` adds them, so
that the figures are the same to the last bit.
"""

import re

from core.script import training as training_part
from core.script import validation
from core.script.learning import Learning
from core.script.validation import measures, several
from core.source.layout import WIDTH, wrap

DEEP = " " * 8
APART = "self.apart"
"""What holds the random numbers of a validation apart from those of the training."""


def step_lines(learning: Learning) -> list[str]:
    """The body of `validation_step`, behind the names that it takes of the module."""
    plain, short = learning.info.plain, learning.training["precision"] != "float32"
    deep = DEEP + "    " * short
    begin = ["loss = total = 0.0"] if plain else validation.beginning(learning, DEEP)
    begin += ["values = y.numel()"] if learning.info.streamed else []
    lines = training_part.batch_lines(learning) if plain else validation.batch_lines(learning, deep)
    if short:  # the figures are those of whole float32, as in a run
        head = "with torch.autocast(self.device.type, enabled=False):"
        lines = [head, *(f"    {line}" for line in lines)]
    return [*unpacking(learning), *begin, *lines, *_added(learning)]


def taken(learning: Learning) -> list[str]:
    """Names of what a batch holds."""
    return ["x", "y"] if learning.info.plain else validation.unpacked(learning)


def unpacking(learning: Learning) -> list[str]:
    """The statement that takes a batch apart; none where it is handed on whole."""
    names = taken(learning)
    if not names:
        return []
    return [f"({names[0]},) = batch" if len(names) == 1 else f"{', '.join(names)} = batch"]


def _sums(learning: Learning) -> list[str]:
    if learning.info.streamed:
        return ["loss", "total", "values"]
    return ["loss", "total"] if learning.info.plain else validation.sums(learning)


def _added(learning: Learning) -> list[str]:
    """The statement that adds a batch's sums to the epoch's."""
    names = ", ".join(_sums(learning))
    added = f"({names},)" if len(_sums(learning)) == 1 else f"({names})"
    whole = f"self.sums = [a + b for a, b in zip(self.sums, {added}, strict=True)]"
    if len(DEEP + whole) <= WIDTH:
        return [whole]
    begun = f"added = {added}"
    first = [begun] if len(DEEP + begun) <= WIDTH else [
        "added = (", *(f"    {name}," for name in _sums(learning)), ")",
    ]  # fmt: skip
    return [*first, "self.sums = [a + b for a, b in zip(self.sums, added, strict=True)]"]


def zeros(learning: Learning) -> str:
    """The statement that an epoch's sums begin with."""
    each = len(learning.info.terms) if several(learning) else 0
    return f"self.sums = [0.0] * {len(_sums(learning)) - bool(each) + each}"


def figure_lines(learning: Learning) -> list[str]:
    """Lines that make figures of the sums, and tell them to Lightning."""
    names = ", ".join(_sums(learning))
    got = f"({names},) = self.sums" if names == "total" else f"{names} = self.sums"
    lines = [*wrap(DEEP, got), *_figures(learning)]
    random = [f"{APART}.close()"] if draws(learning) else []
    return [*random, *(line.removeprefix(DEEP) for line in lines), *_logged(learning)]


def _figures(learning: Learning) -> list[str]:
    if not learning.info.plain:
        made = [re.sub(r"\bcolumns\b", "val", line) for line in validation.figures(learning)]
        return [line for text in made for line in wrap(DEEP, text)]
    factor = " * unit" if learning.info.standardised_target else ""
    name = "accuracy" if learning.accurate else "error"
    if learning.info.streamed:
        return ["val_loss = loss / len(val)", f"{name} = total / values"]
    return ["val_loss = loss / len(val_y)", f"{name} = total / val_y.numel(){factor}"]


def _logged(learning: Learning) -> list[str]:
    """Lines that tell Lightning's schedules, callbacks and loggers what was measured."""
    info = learning.info
    first = 'self.log("val_loss", val_loss)'
    if several(learning):
        return [first, 'self.log_dict({f"val_{name}": value for name, value in measured.items()})']
    more = measures(learning) if not info.plain else None
    names = list(more.metrics) if more else []
    if info.plain:
        names = ["accuracy" if learning.accurate else "error"]
    return [first, *(f'self.log("val_{name}", {name})' for name in names)]


def draws(learning: Learning) -> bool:
    """Whether the network draws random numbers when it validates."""
    return not learning.info.plain and ("rand" in learning.model or "bernoulli" in learning.model)


def start_lines(learning: Learning) -> list[str]:
    """The body of `on_validation_epoch_start`."""
    if not draws(learning):
        return [zeros(learning)]
    return [
        zeros(learning),
        f"{APART} = contextlib.ExitStack()",
        f"{APART}.enter_context(torch.random.fork_rng())",
    ]


def loader_lines(learning: Learning) -> list[str]:
    """The lines that make `val_loader`, whose generator draws nothing from the training's.

    None where samples are made one by one: all loaders are made together there.
    """
    if learning.info.streamed:
        return []
    columns = "val_x, val_y" if learning.info.plain else "*val"
    return [
        "val_loader = DataLoader(",
        f"    TensorDataset({columns}),",
        f"    batch_size={learning.validated},",
        "    generator=torch.Generator(),",
        ")",
    ]
