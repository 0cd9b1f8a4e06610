"""Blocks of a project's own Python: whether they may run here, and what is wrong where they fail.

Nothing of their text runs before this user has trusted exactly that text.
"""

from collections.abc import Mapping
from typing import Any

from blocks import Block, Problem, Signature
from core.analyse.frame import Frame
from core.analyse.probe import Outcome
from core.article import an
from core.graph.python import faults, results
from core.project import trust

WAITS = "holds Python that nobody has trusted here yet."
HOW = "Read it and trust it on the Build page, or with: layerloom trust FILE"


def may_run(frame: Frame, name: str, block: Block) -> bool:
    """Whether a node's own Python may run here; if not, what stands in the way is reported."""
    if wrong := faults(block.name, block.code):
        what = f"{frame.path(name)} is {an(block.name)}, whose Python is not right: {wrong[0]}"
        frame.add(name, "bad_python", what, "Open its code and correct that line.")
    elif not trust.trusted(block.code):
        frame.add(name, "untrusted", f"{frame.path(name)} {untrusted(block.name)}", hint())
    else:
        return True
    frame.mark(name, "error")
    return False


def untrusted(block: str) -> str:
    """Say of a node that its block waits for trust."""
    return f"is {an(block)}, which {WAITS}"


def hint() -> str:
    """Say how to trust a block, and what is wrong with the list of those trusted, if anything."""
    return f"{HOW}. {trust.problem()}".strip() if trust.problem() else f"{HOW}."


def own_says(block: Block, outcome: Outcome, inputs: Mapping[str, Any]) -> Problem:
    """Say which line of the class raised what."""
    lines = block.code.split("\n")
    where = f"in line {outcome.line} of its code" if outcome.line else "in its code"
    shown = f" ({lines[outcome.line - 1].strip()})" if 0 < outcome.line <= len(lines) else ""
    return Problem(
        "own_python",
        f"is {an(block.name)} that fails {where}{shown}: {cut(outcome.error)}",
        f"It receives {received(inputs)}. Shapes are worked out without data (meta device), so "
        "its code cannot look at the values of a tensor.",
    )


def own_results(block: Block, outcome: Outcome) -> list[Problem]:
    """Say what a class gave that its ports do not have."""
    outputs = dict(outcome.outputs)
    count = results(block.code)
    wanted = [f"output.{i}" for i in range(count)] if count > 1 else ["output"]
    if list(outputs) == wanted and not any(s.is_size for s in outputs.values()):
        return []
    one = "one Tensor" if count == 1 else f"a tuple of {count} Tensors"
    came = f"{len(outputs)} values" if len(outputs) > 1 else "something else"
    return [
        Problem(
            "own_python",
            f"is {an(block.name)} whose forward says it gives {one}, but it gives {came}.",
            "Return what its first line says, or write there -> tuple[Tensor, Tensor].",
        )
    ]


def cut(text: str) -> str:
    """Cut an error's words short."""
    return text if len(text) <= 300 else text[:297] + "..."


def received(inputs: Mapping[str, Any]) -> str:
    """List what comes in, by port."""
    return ", ".join(f"{port} {_show(wire)}" for port, wire in inputs.items())


def _show(wire: Any) -> str:
    return str(wire) if isinstance(wire, Signature) else " and ".join(str(w) for w in wire)
