"""Numbers of the cards on graphs, counted by hooks, by hand and by another backend."""

from typing import Any

import pytest
import torch
from torch import nn

from tests.wings.cards.conftest import Alone, subject


def leaves_called(model: nn.Module, x: torch.Tensor) -> int:
    called: list[nn.Module] = []
    for part in model.modules():
        if not list(part.children()):
            part.register_forward_hook(lambda part, _args, _out: called.append(part))
    model(x)
    return len(called)


def test_the_table_of_calls_has_each_layer_a_flatten_an_input_and_an_output(alone: Alone) -> None:
    it = subject("fx-table")
    values = alone.values("fx-table")
    assert values["modules"] == leaves_called(it.model, it.x)
    assert values["nodes"] == values["modules"] + 3
    assert [row[0] for row in values["rows"]][:: len(values["rows"]) - 1] == [
        "placeholder", "output",
    ]  # fmt: skip
    assert values["difference"] == 0.0


def test_a_folded_convolution_is_scaled_and_shifted_by_hand(alone: Alone) -> None:
    values = alone.values("conv-bn-fusion", "resnet_digits")
    model = subject("conv-bn-fusion", "resnet_digits").model
    norms = [name for name, part in model.named_modules() if isinstance(part, nn.BatchNorm2d)]
    assert values["folded"] == len(norms)
    assert [pair[1] for pair in values["pairs"]] == norms
    assert 0 <= values["difference"] < 1e-5
    assert values["faster"] > 0


@pytest.mark.gate
def test_breaks_are_counted_by_a_backend_that_only_counts(alone: Alone) -> None:
    values = alone.values("graph-breaks", "mlp_iris")
    it = subject("graph-breaks", "mlp_iris")
    graphs: list[Any] = []

    def count(graph: Any, _inputs: Any) -> Any:
        graphs.append(graph)
        return graph.forward

    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(it.model, backend=count)(it.x)
    assert values["graphs"] == len(graphs) == 1
    assert values["graphs_broken"] == values["breaks"] + 1 >= 2
    assert values["reasons"]


def test_the_exported_graph_has_an_operation_for_each_layer_and_all_weights(alone: Alone) -> None:
    values = alone.values("export-graph", "mlp_iris")
    kinds = [row[0] for row in values["rows"]]
    assert kinds.count("aten.linear.default") == 3
    assert kinds.count("aten.relu.default") == 2
    assert values["operations"] == 5
    assert values["weights"] == len(list(subject("export-graph", "mlp_iris").model.parameters()))
    assert sum(values["counts"]) == values["operations"]
    assert values["difference"] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.slow
@pytest.mark.needs("g++")
def test_a_kernel_is_written_for_each_activation_and_libraries_multiply(alone: Alone) -> None:
    values = alone.values("inductor-kernels", "mlp_iris")
    own = [row for row in values["rows"] if row[0].startswith("cpp_")]
    others = [row for row in values["rows"] if row not in own]
    assert values["operations"] == 5
    assert [row[1] for row in own] == ["relu1", "relu2"]
    assert [row[1] for row in others] == ["fc1", "fc2", "fc3"]
    assert values["calls"] == 5
    assert 1 <= values["kernels"] <= 2  # one where both layers are alike
    assert values["difference"] < 1e-5
    assert values["faster"] == values["times"][0] / values["times"][1]


@pytest.mark.slow
@pytest.mark.needs("g++")
def test_a_package_holds_a_library_and_the_weights_and_answers_alike(alone: Alone) -> None:
    values = alone.values("aotinductor")
    held = sum(4 * w.numel() for w in subject("aotinductor").model.parameters())
    assert values["weights"] == held
    assert values["size"] > held
    assert any(name.endswith(".so") for name, _ in values["rows"])
    assert values["difference"] < 1e-5


@pytest.mark.slow
@pytest.mark.needs("g++")
def test_each_mode_of_the_compiler_makes_steps_and_one_graph(alone: Alone) -> None:
    values = alone.values("compile-modes", "mlp_iris")
    it = subject("compile-modes", "mlp_iris")
    graphs: list[Any] = []

    def count(graph: Any, _inputs: Any) -> Any:
        graphs.append(graph)
        return graph.forward

    torch._dynamo.reset()
    torch.compile(it.model, backend=count)(it.x)
    assert [row[0] for row in values["rows"]] == values["names"]
    assert values["names"][:3] == ["eager", "aot_eager", "default"]
    assert [row[3:] for row in values["rows"]] == [["0", "0"], *[[str(len(graphs)), "0"]] * 4]
    assert (values["graphs"], values["breaks"]) == (1, 0)
    assert values["gain"] == max(values["rates"]) / values["rates"][0]
    assert 0 <= values["difference"] < 1e-5
