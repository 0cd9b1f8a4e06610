"""The lines of a training file that evaluate the best weights on the test samples, once."""

import re

from core.script import ranks
from core.script.evaluate import call_of, print_lines, shown
from core.script.learning import Learning

INSIDE = " " * 8


def test_lines(learning: Learning) -> list[str]:
    """Lines that test the best weights, once; none without a part to test with."""
    if not learning.info.parts.tests:
        return []
    load = f"model.load_state_dict(torch.load({learning.names.out}, weights_only=True))"
    (statement,) = as_test_lines([call_of(learning, "model")])  # "test" is a letter longer
    inner = "    " * learning.ranks
    evaluate = [line.removeprefix(inner) for line in learning.lines(statement, inner)]
    return ranks.on_first_process(learning, [load, *evaluate, *print_lines_of_test(learning)])


def print_lines_of_test(learning: Learning) -> list[str]:
    """What is printed of the test."""
    return print_lines(learning, as_test_lines(shown(learning)), INSIDE)


def as_test_lines(lines: list[str]) -> list[str]:
    """Lines about the part that validates as those about the part that tests."""
    named = (re.sub(r"\bval(?=_|\b)", "test", line) for line in lines)
    return [line.replace('f"validation loss', 'f"Test loss') for line in named]
