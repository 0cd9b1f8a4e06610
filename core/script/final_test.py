"""The part of a training file that tests the best weights once, when all is chosen."""

import re

from core.script import validation
from core.script.learning import Learning
from core.source.layout import WIDTH

INSIDE = " " * 8


def test_lines(learning: Learning) -> list[str]:
    """Lines that test the best weights, once; none without a part to test with."""
    if not learning.info.parts.tests:
        return []
    load = f"model.load_state_dict(torch.load({learning.names.out}, weights_only=True))"
    return [load, *of_test(learning.lines(_evaluate(learning))), *print_lines(learning)]


def _evaluate(learning: Learning) -> str:
    if not learning.info.plain:
        return validation.results(learning, "model")
    metric = "accuracy" if learning.accurate else "error"
    unit = ", unit" if learning.info.standardised_target else ""
    return f"val_loss, {metric} = evaluate(model, criterion, {learning.seen}{unit})"


def print_lines(learning: Learning) -> list[str]:
    """What is printed of the test."""
    if learning.info.plain:
        metric, form = ("accuracy", ".2%") if learning.accurate else ("error", ".4g")
        return [f'print(f"Test loss {{test_loss:.4f}}, {metric} {{{metric}:{form}}}")']
    shown = [line.replace("validation loss {val_loss", "Test loss {test_loss")
             for line in validation.shown(learning)]  # fmt: skip
    whole = 'f"' + "".join(line.removeprefix('f"').removesuffix('"') for line in shown) + '"'
    if validation.several(learning) or len(f"{INSIDE}print({whole})") > WIDTH:
        return ["print(", *(f"    {line}" for line in shown), ")"]
    return [f"print({whole})"]


def of_test(lines: list[str]) -> list[str]:
    """Lines about the part that validates as those about the part that tests."""
    return [re.sub(r"\bval(?=_|\b)", "test", line) for line in lines]
