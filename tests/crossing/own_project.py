"""Networks of one's own for the table of exports: what each may trip over.

Five with blocks of own Python, one that was imported, and two on own data: a table with categories
and missing values, and a folder of pictures.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from core.data.facts.metadata import read_own
from core.files import trust
from core.graph import Edge, Graph, Node
from core.graph.python import composite_of
from core.project import Project
from tests.core.data import gaps
from tests.core.data.own_sets import write_pictures

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


def own_project(name: str, workspace: Path) -> Project:
    """One of the networks by name; its data goes to the workspace."""
    return OTHERS[name](workspace) if name in OTHERS else _around_a_block(name)


def _around_a_block(name: str) -> Project:
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


def _imported(_workspace: Path) -> Project:
    """A small network of torchvision, drawn; its weights are random."""
    from torchvision.models import shufflenet_v2_x0_5

    from core.wings.importing import import_module

    return import_module(shufflenet_v2_x0_5().eval(), [(3, 64, 64)], "own_imported").project


def _pictures(workspace: Path) -> Project:
    """A convolution on an own folder of pictures, standardised."""
    write_pictures(workspace / "data/shapes", 8)
    data = {"source": "ImageFolder", "root": "data/shapes", "normalize": True}
    read_own(data)
    nodes = {
        "image": Node("Input", {"shape": (3, 16, 20)}),
        "conv": Node("Conv2d", {"out_channels": 4, "kernel_size": 3}),
        "relu": Node("ReLU"),
        "flat": Node("flatten", {"start_dim": 1}),
        "fc": Node("Linear", {"out_features": 3}),
        "logits": Node("Output"),
    }
    names = list(nodes)
    wires = tuple(Edge(a, "output", b, "input") for a, b in zip(names, names[1:], strict=False))  # noqa: RUF007
    return Project(name="own_pictures", graph=Graph(nodes, wires), data=data,
                   training={"loss": "CrossEntropyLoss"})  # fmt: skip


OTHERS: Mapping[str, Callable[[Path], Project]] = {
    "own_imported": _imported,
    "own_table": gaps.project,
    "own_pictures": _pictures,
}
NAMES = (*CODES, *OTHERS)


@contextmanager
def trusted() -> Iterator[Path]:
    """Let the blocks run in this process, beside a workspace for own data."""
    before = os.environ.get("LAYERLOOM_WORKSPACE")
    with tempfile.TemporaryDirectory() as folder, trust.meanwhile(*map(code, CODES)):
        os.environ["LAYERLOOM_WORKSPACE"] = folder
        try:
            yield Path(folder)
        finally:
            os.environ.pop("LAYERLOOM_WORKSPACE", None)
            os.environ |= {"LAYERLOOM_WORKSPACE": before} if before is not None else {}
