"""What an exporter refuses is said in one line that names the block."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.export import ExportError, export
from core.files import trust
from core.graph import Edge, Graph, Node
from core.graph.python import composite_of
from core.insight.gradient_recorder import GradientRecorder
from core.project import Project

pytestmark = pytest.mark.filterwarnings("ignore")
FORWARD = "    def forward(self, x: Tensor) -> Tensor:\n"
INIT = "    def __init__(self) -> None:\n        super().__init__()\n"
HEAD = "class Mine(nn.Module):\n"
OWN = {
    "Lambda aren't supported": f"{HEAD}{FORWARD}        f = lambda v: v * 2\n        return f(x)",
    "class definitions aren't supported":
        f"{HEAD}{FORWARD}        class A:\n            pass\n\n        return x * 2",
    "import statements aren't supported":
        f"{HEAD}{FORWARD}        import math\n\n        return x * math.pi",
    "'WeightNorm' object has no attribute":
        f"{HEAD}{INIT}        self.fc = nn.utils.weight_norm(nn.Linear(4, 4))\n\n"
        f"{FORWARD}        return self.fc(x)",
}  # fmt: skip


def chained(shape: tuple[int, ...], block: str, settings: dict[str, Any], *first: Node) -> Project:
    before = {f"first{number}": node for number, node in enumerate(first)}
    nodes = {"entry": Node("Input", {"shape": shape}), **before, "odd": Node(block, settings)}
    nodes["result"] = Node("Output")
    wires = tuple(Edge(a, "output", b, "input") for a, b in pairwise(nodes))
    return Project(name="net", graph=Graph(nodes, wires))


@pytest.mark.parametrize("why", OWN)
def test_own_python_that_torchscript_cannot_hold_is_refused_by_name(
    why: str, tmp_path: Path
) -> None:
    nodes = {
        "entry": Node("Input", {"shape": (4,)}),
        "mine": Node("Mine"),
        "result": Node("Output"),
    }
    wires = (Edge("entry", "output", "mine", "x"), Edge("mine", "output", "result", "input"))
    graph = Graph(nodes, wires, {"Mine": composite_of("Mine", OWN[why])})
    with trust.meanwhile(OWN[why]), pytest.raises(ExportError) as refused:
        export(Project(name="net", graph=graph), "torchscript-script", tmp_path / "net.pt")
    start = "TorchScript cannot hold this network: mine (Mine): "
    assert refused.value.message.startswith(f"{start}{why}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("project", "says"),
    [
        (
            chained(
                (3, 10, 10),
                "AdaptiveMaxPool2d",
                {"output_size": [3, 5]},
                Node("Conv2d", {"out_channels": 4, "kernel_size": 3}),
            ),
            "odd (AdaptiveMaxPool2d): ONNX has no operator for adaptive_max_pool2d.",
        ),
        (
            chained((5, 8), "LSTM", {"hidden_size": 6, "proj_size": 3, "batch_first": True}),
            "odd (LSTM): Input initial_c must have shape {1,1,3}. Actual:{1,1,6}",
        ),
    ],
)
def test_onnx_names_the_block_in_one_line_and_prints_nothing(
    project: Project, says: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ExportError) as refused:
        export(project, "onnx", tmp_path / "net.onnx")
    assert refused.value.message == f"ONNX cannot hold this network: {says}"
    assert capfd.readouterr().out == ""


def test_of_nodes_that_share_a_tensor_the_last_comes_first_on_the_way_back() -> None:
    look = GradientRecorder.__new__(GradientRecorder)
    look.order, shared, own = [], (object(), 0), (object(), 0)
    look.edges = {"fc1": shared, "logits": shared, "relu1": own}
    for path in ("fc1", "logits", "relu1"):
        look.order.insert(look._place(path), path)
    assert look.order == ["logits", "fc1", "relu1"]
