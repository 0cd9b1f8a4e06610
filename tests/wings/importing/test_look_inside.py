"""Look inside works on imported models: every node's map, filters and live maps by its own path."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torchvision import models

from core import analyse, build
from core.analyse import Report
from core.common.network_ref import ProjectRef
from core.engine import feature_maps
from core.insight import weight_views
from core.insight.features import capture
from core.project import write_text
from core.source.paths import node_paths
from core.wings.importing import import_module

SHAPE = (3, 32, 32)


def small_vit() -> nn.Module:
    sizes: Any = {"image_size": 32, "patch_size": 8, "num_layers": 2, "num_heads": 2,
                  "hidden_dim": 16, "mlp_dim": 32}  # fmt: skip
    return models.VisionTransformer(**sizes)


MODELS: dict[str, Any] = {
    "resnet18": lambda: models.resnet18(weights=None),
    "densenet": lambda: models.DenseNet(8, (3, 4, 3, 3), 16),
    "vit": small_vit,
    "convnext": lambda: models.convnext_tiny(weights=None),
}
INTEGER_BLOCKS = ("size", "calculate")
"""Blocks whose value is an integer, which no picture shows."""


@cache
def opened(name: str) -> tuple[nn.Module, Report, str]:
    torch.manual_seed(0)
    project = import_module(MODELS[name]().eval(), [SHAPE], name).project
    report = analyse(project.graph, name)
    assert report.source
    return build(report.source).eval(), report, write_text(project)


def sizes(value: Any) -> tuple[int, ...]:
    while isinstance(value, tuple):
        value = value[0]
    return tuple(value.shape)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_every_node_of_an_imported_model_shows_the_map_of_its_own_shape(name: str):
    module, report, _ = opened(name)
    found = capture(module, report, [torch.rand(2, *SHAPE)]).values
    for path, node in report.nodes.items():
        inner_end = node.block in ("Input", "Output") and "." in path
        if node.block in INTEGER_BLOCKS or inner_end:
            continue
        shape = next(iter(node.outputs.values())).shape if node.outputs else ()
        if shape:
            assert len(sizes(found[path])) == len(shape), path
            fixed = [(a, b) for a, b in zip(sizes(found[path]), shape, strict=True)
                     if isinstance(b, int)]  # fmt: skip
            assert all(a == b for a, b in fixed), path


@pytest.mark.gate
@pytest.mark.parametrize("name", MODELS)
def test_every_layer_of_an_imported_model_is_a_node_of_the_drawing(name: str):
    module, report, _ = opened(name)
    found = node_paths(module, report.lines)
    assert set(found) == {n for n, _ in module.named_modules() if n}
    unknown = [node for node in found.values() if node not in report.nodes]
    assert all(node.endswith("self_attention.out_proj") for node in unknown)  # inside a block
    assert len(set(found.values())) == len(found)


def test_hooked_maps_of_a_run_are_those_of_the_nodes():
    module, report, _ = opened("resnet18")
    x = torch.rand(2, *SHAPE)
    names = node_paths(module, report.lines)
    hooked = {names[n]: v for n, v in feature_maps.feature_maps(module, (x,)).items()}
    watched = capture(module, report, [x]).values
    assert names["layer1.1.conv2"] == "layer1.1.conv2"
    assert names["layer2.0.downsample.1"] == "layer2.block_0.downsample.bn_1"
    for path in ("conv1", "layer1.0.conv1", "layer2.block_0.downsample.bn_1", "layer4", "fc"):
        assert torch.equal(hooked[path], watched[path])


@pytest.mark.gate
def test_filters_of_an_imported_model_are_named_as_its_nodes():
    _, _, text = opened("resnet18")
    place = ProjectRef(json.dumps(json.loads(text)))
    layers = {layer.node: layer for layer in weight_views.layers(place)}
    assert next(iter(layers)) == "conv1"
    assert len(layers) == 21
    assert all(layer.drawn for layer in layers.values())
    assert layers["conv1"].coloured
    assert layers["layer2.block_0.downsample.conv_0"].shape == (128, 64, 1, 1)
    assert not layers["fc"].pictured


def test_live_maps_of_a_run_bear_the_paths_of_nodes(tmp_path: Path):
    from types import SimpleNamespace

    from core.worker.live_views import LiveViews

    module, report, _ = opened("resnet18")
    part = SimpleNamespace(inputs=(torch.rand(2, *SHAPE),), targets=(torch.zeros(2),))
    engine: Any = SimpleNamespace(
        module=module,
        eval_model=module,
        validation=part,
        spreads=(1.0,),
        step=1,
        epoch=0,
        val_outputs=None,
    )
    live = LiveViews(tmp_path, engine, (), "classification", report.lines)
    (tmp_path / "viewer").touch()
    live.write_feature_maps()
    found = {p.stem for p in (tmp_path / "live" / "features").glob("*.npz")}
    assert "layer2.block_0.downsample.bn_1" in found
    assert not [path for path in found if path not in report.nodes]
    with np.load(tmp_path / "live/features/conv1.npz", allow_pickle=False) as arrays:
        assert arrays["value"].shape == (2, 16, 16, 16)
