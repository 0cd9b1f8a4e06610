"""The validation of a Lightning script: the lines of `evaluate`, a batch at a time.

Each batch adds its own sums to those of the epoch, in the order in which `evaluate` adds them, so
that the figures are the same to the last bit.
"""

import re

from core.script.evaluate import entry_lines, zero_lines
from core.script.learning import Learning
from core.script.validation import ONE_EACH, Validation, validation_of
from core.source.layout import WIDTH, wrap_inside

DEEP = " " * 8
APART = "self.apart"
"""What holds the random numbers of a validation apart from those of the training."""
EACH_LOGGED = 'self.log_dict({f"val_{name}": value for name, value in measured.items()})'
LOADER = """\
val_loader = DataLoader(
    TensorDataset({samples}),
    batch_size={size},
    generator=torch.Generator(),
)"""


def step_lines(learning: Learning) -> list[str]:
    """The body of `validation_step`, behind the names that it takes of the module and the batch."""
    found, short = validation_of(learning), learning.training["precision"] != "float32"
    deep = DEEP + "    " * short
    counts = [f"{name} = {text}" for name, text in _counts(found).items()]
    lines = [line for text in found.lines for line in wrap_inside(deep, text)]
    if short:  # the figures are those of whole float32, as in a run
        head = "with torch.autocast(self.device.type, enabled=False):"
        lines = [head, *(f"    {line}" for line in lines)]
    return [*zero_lines(found, DEEP), *counts, *lines, *_added(_sums(found))]


def unpacking(names: tuple[str, ...]) -> list[str]:
    """The statement that takes a batch apart; none where it is handed on whole."""
    if not names:
        return []
    return [f"({names[0]},) = batch" if len(names) == 1 else f"{', '.join(names)} = batch"]


def _counts(validation: Validation) -> dict[str, str]:
    """What is counted of a batch: not what is as long as the part."""
    return {name: text for name, text in validation.counts.items() if name != validation.part[0]}


def _sums(validation: Validation) -> list[str]:
    return [*validation.sums, *_counts(validation)]


def _added(sums: list[str]) -> list[str]:
    """The statement that adds a batch's sums to the epoch's."""
    added = f"({sums[0]},)" if len(sums) == 1 else f"({', '.join(sums)})"
    whole = f"self.sums = [a + b for a, b in zip(self.sums, {added}, strict=True)]"
    if len(DEEP + whole) <= WIDTH:
        return [whole]
    first = [f"added = {added}"]
    if len(DEEP + first[0]) > WIDTH:
        first = ["added = (", *(f"    {name}," for name in sums), ")"]
    return [*first, "self.sums = [a + b for a, b in zip(self.sums, added, strict=True)]"]


def _zeros(learning: Learning) -> str:
    """The statement that an epoch's sums begin with."""
    found = validation_of(learning)
    sums = _sums(found)
    each = found.losses - 1 if ONE_EACH in sums else 0
    return f"self.sums = [0.0] * {len(sums) + each}"


def figure_lines(learning: Learning) -> list[str]:
    """Lines that make figures of the sums, and tell them to Lightning."""
    found = validation_of(learning)
    sums = _sums(found)
    got = f"({sums[0]},) = self.sums" if len(sums) == 1 else f"{', '.join(sums)} = self.sums"
    random = [f"{APART}.close()"] if learning.draws else []
    lines = [line for text in [got, *_figures(found)] for line in wrap_inside(DEEP, text)]
    return [*random, *lines, *_logged(found)]


def _figures(validation: Validation) -> list[str]:
    """Statements that make the figures, of the part by its name in the module."""
    lines = [f"{name} = {text}" for name, text in validation.figures.items()]
    lines += ["measured = {", *entry_lines(validation), "}"] if validation.measured else []
    inside, outside = validation.part
    return [re.sub(rf"\b{inside}\b", outside, line) for line in lines]


def _logged(validation: Validation) -> list[str]:
    """Lines that tell Lightning's schedules, callbacks and loggers what was measured."""
    each = [EACH_LOGGED] if validation.measured else []
    return [*(f'self.log("{_key(name)}", {name})' for name in validation.figures), *each]


def _key(figure: str) -> str:
    return figure if figure == "val_loss" else f"val_{figure}"


def start_lines(learning: Learning) -> list[str]:
    """The body of `on_validation_epoch_start`."""
    random = [
        f"{APART} = contextlib.ExitStack()",
        f"{APART}.enter_context(torch.random.fork_rng())",
    ]
    return [_zeros(learning), *(random if learning.draws else [])]


def loader_lines(learning: Learning) -> list[str]:
    """The lines that make `val_loader`, whose generator draws nothing from the training's.

    None where samples are made one by one: all loaders are made together there.
    """
    if learning.info.streamed:
        return []
    return LOADER.format(samples=learning.samples.val, size=learning.validated).splitlines()
