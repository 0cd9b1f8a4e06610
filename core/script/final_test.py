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
    evaluate = learning.lines(call_of(learning, "model"), "    " * learning.ranks)
    lines = [load, *of_test([line.removeprefix("    " * learning.ranks) for line in evaluate])]
    return ranks.on_rank_0(learning, [*lines, *shown_lines(learning)])


def shown_lines(learning: Learning) -> list[str]:
    """What is printed of the test."""
    return print_lines(learning, of_test(shown(learning)), INSIDE)


def of_test(lines: list[str]) -> list[str]:
    """Lines about the part that validates as those about the part that tests."""
    named = (re.sub(r"\bval(?=_|\b)", "test", line) for line in lines)
    return [line.replace('f"validation loss', 'f"Test loss') for line in named]
