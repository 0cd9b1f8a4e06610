"""A layer takes the kind of float that its weights are of; torch's meta device would not say so."""

from typing import Any

import pytest
import torch

from core.analyse import analyse, build
from core.graph import Graph
from core.graph.edits import apply
from tests.core.drawing import END, chain


def layer(block: str, dtype: str, shape: tuple[int, ...], **settings: Any) -> Graph:
    data, cast = ("Input", {"shape": shape}), ("to", {"dtype": dtype})
    return chain(("data", data), ("cast", cast), ("layer", (block, settings)), END)


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
def test_a_layer_with_weights_refuses_other_floats_and_its_fix_mends_it(dtype: str) -> None:
    graph = layer("Linear", dtype, (4,), out_features=3)
    (error,) = analyse(graph).errors
    assert (error.node, error.code) == ("layer", "other_floats")
    assert error.message == (
        f"layer has weights of float32 but receives {dtype} in (N, 4) at input."
    )
    report = analyse(apply(graph, error.fixes[0]["edits"]))
    assert report.errors == ()
    assert build(str(report.source))(torch.zeros(2, 4)).dtype == torch.float32


@pytest.mark.parametrize(
    ("block", "shape", "settings"),
    [
        ("ConvTranspose2d", (3, 8, 8), {"out_channels": 4, "kernel_size": 3}),
        ("BatchNorm2d", (3, 8, 8), {}),
        ("LayerNorm", (4,), {"normalized_shape": (4,)}),
    ],
)
def test_so_does_every_layer_that_torch_would_refuse(
    block: str, shape: tuple[int, ...], settings: dict[str, Any]
) -> None:
    (error,) = analyse(layer(block, "float64", shape, **settings)).errors
    assert error.code == "other_floats"


@pytest.mark.parametrize("block", ["ReLU", "MaxPool2d", "Tanh"])
def test_a_layer_without_weights_takes_any_float(block: str) -> None:
    settings = {"kernel_size": 2} if block == "MaxPool2d" else {}
    assert analyse(layer(block, "float64", (3, 8, 8), **settings)).errors == ()
