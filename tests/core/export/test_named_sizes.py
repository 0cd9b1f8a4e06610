"""Files are compared on the sizes that own Python names, and refused by its line."""

from pathlib import Path

import pytest

from core.export import ExportError, export
from core.files import trust
from core.graph import Edge, Graph, Node
from core.graph.python import composite_of
from core.graph.python_sizes import named_sizes, size_branches
from core.project import Project

pytestmark = pytest.mark.filterwarnings("ignore")
HEAD = "class Mine(nn.Module):\n"
FORWARD = f"{HEAD}    def forward(self, x: Tensor) -> Tensor:\n"
LARGE = FORWARD + "        if x.shape[0] > 100:\n            return x * 2\n        return x"
EACH = (
    FORWARD
    + "        rows = []\n        for i in range(x.shape[0]):\n            rows.append(x[i] * 2)\n"
    + "        return torch.stack(rows)"
)
LIMIT = (
    HEAD
    + "    def __init__(self, limit: int = 40) -> None:\n        super().__init__()\n"
    + "        self.limit = limit\n\n    def forward(self, x: Tensor) -> Tensor:\n"
    + "        n, _ = x.shape\n        return x * 2 if n >= self.limit else x"
)
PARTS = (
    FORWARD
    + "        parts = x.split(50)\n"
    + "        return torch.cat([part - part.mean() for part in parts])"
)
ROWS = FORWARD + "        return torch.stack([row * 2 for row in x])"
MANY = FORWARD + "        return x * 2 if x.numel() > 3000 else x"
EVEN = FORWARD + "        return x * 2 if len(x) % 8 == 0 else x"


HALVES = FORWARD + "        a, b = x.chunk(2)\n        return torch.cat([b, a])"


def project(code: str, **settings: int) -> Project:
    nodes = {
        "entry": Node("Input", {"shape": (6,)}),
        "mine": Node("Mine", settings),
        "result": Node("Output"),
    }
    wires = (Edge("entry", "output", "mine", "x"), Edge("mine", "output", "result", "input"))
    return Project(name="net", graph=Graph(nodes, wires, {"Mine": composite_of("Mine", code)}))


@pytest.mark.parametrize(
    ("code", "settings", "sizes"),
    [
        (LARGE, {}, (99, 100, 101)),
        (EACH, {}, ()),
        (LIMIT, {}, (39, 40, 41)),
        (LIMIT, {"limit": 70}, (39, 40, 41, 69, 70, 71)),
        (EVEN, {}, (7, 8, 9)),
        (FORWARD + "        return x * 7", {}, ()),
        (PARTS, {}, (49, 50, 51)),
        (
            FORWARD + "        return x * 2 if len(x) > 10 * 12 else x",
            {},
            (9, 10, 11, 12, 13, 119, 120, 121),
        ),
        (
            FORWARD
            + "        match x.size(0):\n            case 33:\n                return x * 2\n"
            "        return x",
            {},
            (32, 33, 34),
        ),
        (
            FORWARD + "        while len(x) > 1e2:\n            x = x[::2]\n        return x",
            {},
            (1, 2, 3, 99, 100, 101),
        ),
        (FORWARD + "        return x * 2 if x.numel() > 5000 else x", {}, ()),
    ],
)
def test_the_sizes_that_own_python_names_are_found(
    code: str, settings: dict[str, int], sizes: tuple[int, ...]
) -> None:
    assert named_sizes(size_branches(project(code, **settings).graph)) == sizes


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (LARGE, "line 3: if x.shape[0] > 100:"),
        (EACH, "line 4: for i in range(x.shape[0]):"),
        (LIMIT, "line 8: return x * 2 if n >= self.limit else x"),
        (EVEN, "line 3: return x * 2 if len(x) % 8 == 0 else x"),
        (PARTS, "line 4: return torch.cat([part - part.mean() for part in parts])"),
        (ROWS, "line 3: return torch.stack([row * 2 for row in x])"),
        (MANY, "line 3: return x * 2 if x.numel() > 3000 else x"),
    ],
)
def test_a_trace_that_holds_for_some_sizes_is_refused_by_line(
    code: str, line: str, tmp_path: Path
) -> None:
    with trust.meanwhile(code), pytest.raises(ExportError) as refused:
        export(project(code), "torchscript-trace", tmp_path / "net.pt")
    assert refused.value.message.startswith("TorchScript, traced is not written. The file ")
    assert f"mine decides by a size (Mine, {line})" in refused.value.message
    assert list(tmp_path.iterdir()) == []


def test_a_number_of_values_is_a_number_of_samples_times_those_of_one() -> None:
    branches = size_branches(project(MANY).graph)
    assert named_sizes(branches) == (2999, 3000, 3001)
    assert named_sizes(branches, {"mine": 6}) == (499, 500, 501, 2999, 3000, 3001)


def test_a_size_too_large_to_be_tried_is_noted(tmp_path: Path) -> None:
    code = FORWARD + "        return x * 2 if len(x) > 50000 else x"
    with trust.meanwhile(code):
        made = export(project(code), "torchscript-trace", tmp_path / "net.pt")
    assert "compared on up to 4,096 samples, and mine decides by a size (Mine, line 3" in made.note


@pytest.mark.gate
def test_torch_export_is_refused_by_line_too(tmp_path: Path) -> None:
    with trust.meanwhile(LARGE), pytest.raises(ExportError) as refused:
        export(project(LARGE), "pt2", tmp_path / "net.pt2")
    assert refused.value.message == (
        "torch.export cannot hold this network: mine decides by a size (Mine, line 3: "
        "if x.shape[0] > 100:), and it has one way for all batches."
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "line"),
    [
        (LARGE, "line 3: if x.shape[0] > 100:"),
        (EACH, "line 4: for i in range(x.shape[0]):"),  # a file that cannot run on other batches
    ],
)
def test_onnx_is_refused_by_line_too(code: str, line: str, tmp_path: Path) -> None:
    with trust.meanwhile(code), pytest.raises(ExportError) as refused:
        export(project(code), "onnx", tmp_path / "net.onnx")
    assert f"(Mine, {line})" in refused.value.message


@pytest.mark.parametrize("format_", ["torchscript-trace", "pt2", "onnx"])
def test_a_network_that_fails_on_one_sample_is_refused_by_its_block(
    format_: str, tmp_path: Path
) -> None:
    with trust.meanwhile(HALVES), pytest.raises(ExportError) as refused:
        export(project(HALVES), format_, tmp_path / "net")
    assert refused.value.message == (
        "The network itself fails on a batch of 1. "
        "mine (Mine): not enough values to unpack (expected 2, got 1)."
    )
    assert not (tmp_path / "net").exists()


def test_its_source_is_compared_on_the_sizes_that_it_takes(tmp_path: Path) -> None:
    with trust.meanwhile(HALVES):
        assert export(project(HALVES), "python", tmp_path / "net.py").max_difference == 0.0
