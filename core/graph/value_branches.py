"""Blocks in own Python whose control flow depends on the values they receive."""

from dataclasses import dataclass

from core.graph.graph_uses import python_uses
from core.graph.model import Graph
from core.graph.python_decisions import Decision, decisions

KEPT = (
    "Scripted TorchScript keeps it; ONNX, web pages, traced TorchScript and compiled files "
    "cannot. torch.where(condition, a, b) computes both and selects by value."
)


@dataclass(frozen=True)
class ValueBranch:
    """One line of one block. path: of the node; block: its class."""

    path: str
    block: str
    decision: Decision

    @property
    def what(self) -> str:
        """In a sentence without the block's name at its front and without a full stop."""
        does = "branches on" if self.decision.branches else "reads a number from"
        return f"{does} the values it receives ({self.block}, {self.decision})"


def value_branches(graph: Graph) -> tuple[ValueBranch, ...]:
    """All such lines of a drawing, in its order; composites are gone through use by use."""
    return tuple(
        ValueBranch(path, node.block, decision)
        for path, node, code in python_uses(graph)
        for decision in decisions(code)
    )
