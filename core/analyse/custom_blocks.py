"""Findings about blocks of own Python: untrusted, wrong, or failing.

Nothing of their code runs before this user has trusted exactly that text.
"""

from collections.abc import Mapping
from typing import Any

from blocks import Block, Problem, Signature
from core.analyse.frame import Frame
from core.analyse.probe import Outcome
from core.common.article import an
from core.files import trust
from core.graph.python import faults, results

WAITS = "contains Python code that you have not trusted yet."
HOW = "Read and trust it on the Build page, or with: layerloom trust FILE"


def may_run(frame: Frame, name: str, block: Block) -> bool:
    """Whether a node's own Python may run here; if not, the reason is reported."""
    if wrong := faults(block.name, block.code):
        what = f"{frame.path(name)} is {an(block.name)}, whose Python has an error: {wrong[0]}"
        frame.add(name, "bad_python", what, "Open its code and fix that line.")
    elif not trust.trusted(block.code):
        frame.add(name, "untrusted", f"{frame.path(name)} {untrusted(block.name)}", hint())
    else:
        return True
    frame.set_state(name, "error")
    return False


def untrusted(block: str) -> str:
    """The message for a node whose block is not trusted."""
    return f"is {an(block)}, which {WAITS}"


def hint() -> str:
    """How to trust a block, and what is wrong with the list of trusted ones, if anything."""
    return f"{HOW}. {trust.problem()}".strip() if trust.problem() else f"{HOW}."


def custom_error(block: Block, outcome: Outcome, inputs: Mapping[str, Any]) -> Problem:
    """The problem of a class that raised: its line and message."""
    lines = block.code.split("\n")
    where = f"in line {outcome.line} of its code" if outcome.line else "in its code"
    source_line = f" ({lines[outcome.line - 1].strip()})" if 0 < outcome.line <= len(lines) else ""
    return Problem(
        "own_python",
        f"is {an(block.name)} that fails {where}{source_line}: {shortened(outcome.error)}",
        f"It receives {received(inputs)}. Shapes are computed without data (meta device), so "
        "its code cannot read the values of a tensor.",
    )


def wrong_results(block: Block, outcome: Outcome) -> list[Problem]:
    """The problem of a class whose results do not match its ports."""
    outputs = dict(outcome.outputs)
    count = results(block.code)
    expected = [f"output.{i}" for i in range(count)] if count > 1 else ["output"]
    if list(outputs) == expected and not any(s.is_size for s in outputs.values()):
        return []
    one = "one Tensor" if count == 1 else f"a tuple of {count} Tensors"
    came = f"{len(outputs)} values" if len(outputs) > 1 else "something else"
    return [
        Problem(
            "own_python",
            f"is {an(block.name)} whose forward is declared to return {one} but returns {came}.",
            "Return that, or change the annotation, as in -> tuple[Tensor, Tensor].",
        )
    ]


def shortened(text: str) -> str:
    """An error message of at most 300 characters."""
    return text if len(text) <= 300 else text[:297] + "..."


def received(inputs: Mapping[str, Any]) -> str:
    """The inputs by port, as text."""
    return ", ".join(f"{port} {_show(wire)}" for port, wire in inputs.items())


def _show(wire: Any) -> str:
    return str(wire) if isinstance(wire, Signature) else " and ".join(str(w) for w in wire)
