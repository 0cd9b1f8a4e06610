"""The function `evaluate` of a training file, its call, and the printed metrics."""

from core.script.learning import Learning
from core.script.validation import ONE_EACH, Validation, validation_of
from core.source.layout import WIDTH, wrap, wrap_def

SHOWN = 68  # characters of metrics in a line that is printed
LOSS = "validation loss {val_loss:.4f}"
MEASURED = '    + ", ".join(f"{name} {value:.4g}" for name, value in measured.items())'
RANDOM = "    with torch.random.fork_rng():"
RETURN = "    return "


def evaluate_function(learning: Learning) -> str:
    """The function `evaluate`: the mean loss and what is measured.

    What a network draws at random changes nothing outside.
    """
    validation = validation_of(learning)
    kinds = ["float"] * len(validation.figures) + ["dict[str, float]"] * bool(validation.measured)
    result = kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"
    note = "; it uses separate random numbers" if learning.draws else ""
    return "\n".join(
        [
            "@torch.inference_mode()",
            *wrap_def("", "def evaluate", ["model: nn.Module", *validation.given], result),
            f'    """{validation.words.removesuffix(".")}{note}."""',
            "    model.eval()",
            *(f"    {line}" for line in zero_lines(validation, "    ")),
            *([f"    {' = '.join([*validation.counts, '0'])}"] if validation.counts else []),
            *_loop(learning, validation),
            *_returned(validation),
        ]
    )


def zero_lines(validation: Validation, margin: str) -> list[str]:
    """Lines that set the sums to zero, behind a margin."""
    names = [name for name in validation.sums if name != ONE_EACH]
    lines = [" = ".join([*names, "0.0"])]
    if len(margin + lines[0]) > WIDTH:
        lines = [f"{name} = 0.0" for name in names]
    each = f"each = [{', '.join(['0.0'] * validation.losses)}]"
    return [*lines, *([each] if ONE_EACH in validation.sums else [])]


def _loop(learning: Learning, validation: Validation) -> list[str]:
    margin, names = "    " * (1 + learning.draws), validation.batch
    batch = f"({names[0]},)" if len(names) == 1 else ", ".join(names) or "batch"
    added = ", ".join(f"{name} + {text}" for name, text in validation.counts.items())
    counted = [f"{', '.join(validation.counts)} = {added}"] if added else []
    inside = [*learning.samples.moved, *validation.lines, *counted]
    return [
        *([RANDOM] if learning.draws else []),
        *wrap(margin, f"for {batch} in {validation.batches}:"),
        *(line for text in inside for line in wrap(f"{margin}    ", text)),
    ]


def _returned(validation: Validation) -> list[str]:
    figures = list(validation.figures.values())
    whole = f"{RETURN}{', '.join(figures)}"
    if validation.measured:
        return [f"{whole}, {{", *(f"    {line}" for line in entry_lines(validation)), "    }"]
    if len(whole) <= WIDTH:
        return [whole]
    return [f"{RETURN}(", *(f"        {text}," for text in figures), "    )"]


def entry_lines(validation: Validation) -> list[str]:
    """The lines of the dict of what is measured."""
    return [f'    "{name}": {text},' for name, text in validation.measured.items()]


def call_of(learning: Learning, model: str) -> str:
    """The statement that validates a model and names what is measured."""
    found = validation_of(learning)
    arguments = ", ".join([model, *found.given.values()])
    return f"{', '.join(found.results)} = evaluate({arguments})"


def shown(learning: Learning) -> list[str]:
    """What is printed of a validation, as lines of one expression."""
    found = validation_of(learning)
    if found.measured:
        return [f'f"{LOSS}, "', MEASURED.strip()]
    if learning.info.plain and len(found.shown) < 2:
        return [f'f"{", ".join([LOSS, *found.shown])}"']
    lines = list[str]()
    for metric in found.shown:
        if lines and len(lines[-1]) + len(metric) <= SHOWN:
            lines[-1] += f"{metric}, "
        else:
            lines.append(f"{metric}, ")
    return _quoted([f"{LOSS}, ", *lines])


def _quoted(lines: list[str]) -> list[str]:
    return [f'f"{line}"' for line in [*lines[:-1], lines[-1].removesuffix(", ")]]


def print_lines(learning: Learning, lines: list[str], margin: str) -> list[str]:
    """The statement that prints what is `shown`, in one line if it fits behind a margin."""
    whole = 'f"' + "".join(line.removeprefix('f"').removesuffix('"') for line in lines) + '"'
    if validation_of(learning).measured or len(f"{margin}print({whole})") > WIDTH:
        return ["print(", *(f"    {line}" for line in lines), ")"]
    return [f"print({whole})"]
