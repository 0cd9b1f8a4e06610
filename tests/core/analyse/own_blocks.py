"""Projects with blocks of own Python: the sample of the file format, and small ones."""

from pathlib import Path

from core.analyse import analyse
from core.files import trust
from core.graph import Edge, Graph, Node
from core.graph.python import composite_of
from core.project import open_project

SAMPLE = Path(__file__).parents[2] / "files/v1/python.loom.json"
PROJECT = open_project(SAMPLE)
TEXTS = {name: part.python for name, part in PROJECT.graph.composites.items()}
HEAD = "class Mine(nn.Module):\n"


def drawn(text: str, settings: dict[str, int] | None = None, outs: int = 1) -> Graph:
    """An image of three channels through one block of own Python, trusted if it is a block."""
    nodes = {"image": Node("Input", {"shape": (3, 4, 4)}), "mine": Node("Mine", settings or {})}
    edges = [Edge("image", "output", "mine", "x")]
    for i in range(outs):
        nodes[f"out{i}"] = Node("Output")
        port = "output" if outs == 1 else f"output.{i}"
        edges.append(Edge("mine", port, f"out{i}", "input"))
    return Graph(nodes, tuple(edges), {"Mine": composite_of("Mine", text)})


def error_messages(text: str, settings: dict[str, int] | None = None, outs: int = 1) -> list[str]:
    trust.trust(text, "Mine")
    return [e.message for e in analyse(drawn(text, settings, outs)).errors]


def forward(body: str, returns: str = "Tensor") -> str:
    return f"{HEAD}    def forward(self, x: Tensor) -> {returns}:\n        {body}"
