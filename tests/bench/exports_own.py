"""Five networks with blocks of own Python, for the table of exports: what each may trip over."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from core.graph import Edge, Graph, Node
from core.graph.python import composite_of
from core.project import Project, trust

INIT = "    def __init__(self) -> None:\n        super().__init__()\n"
FORWARD = "\n    def forward(self, x: Tensor) -> Tensor:\n"
CODES: Mapping[str, str] = {
    # decides by values: only scripted TorchScript and the source keep it
    "own_gate": f"{FORWARD}        y = x * 2\n        if y.mean() > 0:\n            return y + 1\n"
    "        return y - 1",
    "own_swish": f"{INIT}        self.beta = nn.Parameter(torch.ones(1))\n"
    f"{FORWARD}        return x * torch.sigmoid(self.beta * x)",
    "own_weight_norm": f"{INIT}"
    "        self.fc = nn.utils.parametrizations.weight_norm(nn.Linear(6, 6))\n"
    f"{FORWARD}        return self.fc(x)",
    # a loop over a size, which is the same for every sample
    "own_loop": f"{FORWARD}        y = torch.zeros_like(x)\n        for i in range(x.shape[1]):\n"
    "            y = y + x * (i + 1)\n        return y",
    # unlike on either side of zero, and the same for positive inputs
    "own_piecewise": f"{FORWARD}        return torch.where(x > 0, x, 0.1 * x) + x.abs()",
}


def own_project(name: str) -> Project:
    """Six numbers, a layer, the block, a layer."""
    block = "".join(part.title() for part in name.split("_"))
    nodes = {
        "row": Node("Input", {"shape": (6,)}),
        "first": Node("Linear", {"out_features": 6}),
        "mine": Node(block),
        "last": Node("Linear", {"out_features": 3}),
        "scores": Node("Output"),
    }
    ports = {"mine": "x"}
    names = list(nodes)
    wires = tuple(
        Edge(a, "output", b, ports.get(b, "input"))
        for a, b in zip(names, names[1:], strict=False)  # noqa: RUF007
    )
    return Project(name=name, graph=Graph(nodes, wires, {block: composite_of(block, code(name))}))


def code(name: str) -> str:
    """The class of a network's block."""
    block = "".join(part.title() for part in name.split("_"))
    return f"class {block}(nn.Module):\n{CODES[name].removeprefix(chr(10))}"


@contextmanager
def trusted() -> Iterator[None]:
    """Let the blocks run in this process."""
    with trust.meanwhile(*map(code, CODES)):
        yield
