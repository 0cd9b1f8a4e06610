"""Smaller drawings of the templates: widths, weights and outputs, without any training."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from core import build, open_project
from core.analyse import analyse_project
from core.project import Project
from core.wings.shrink.channel_pruning import narrow
from core.wings.shrink.drawings import build_drawing
from core.wings.shrink.fusing import fuse
from core.wings.shrink.low_rank import split
from core.wings.shrink.way import ShrinkError

PROJECTS = Path(__file__).resolve().parents[3] / "projects"


def opened(name: str) -> tuple[Project, nn.Module, dict[str, Tensor]]:
    """A template with random weights and statistics that are not those of a new layer."""
    project = open_project(PROJECTS / f"{name}.loom.json")
    report = analyse_project(project)
    torch.manual_seed(0)
    module = build(report.source or "", report.class_name).eval()
    for part in module.modules():
        if isinstance(part, nn.BatchNorm2d) and part.running_mean is not None:
            part.running_mean.normal_()
    return project, module, {k: v.detach().clone() for k, v in module.state_dict().items()}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("lenet_digits", 61_706, 15_738),  # a chain: both convolutions and both hidden layers
        ("resnet_digits", 51_642, 28_506),  # inside each residual block
        ("transformer_digits", 20_010, 15_850),  # inside each encoder layer
        ("vit_digits", 18_218, 14_058),  # a drawn encoder block
    ],
)
def test_half_of_the_channels_go_and_the_drawing_says_so(
    name: str, before: int, after: int
) -> None:
    project, _, weights = opened(name)
    report = analyse_project(project)
    narrower, left, _, _ = narrow(project, report, weights, 0.5)
    _, smaller = build_drawing(narrower, left)
    assert (report.total_params, smaller.total_params) == (before, after)


def test_a_channel_of_zeros_is_the_one_that_goes_and_nothing_changes() -> None:
    project, module, weights = opened("lenet_digits")
    for key in ("conv1", "conv2"):
        dead = torch.arange(len(weights[f"{key}.weight"])) % 2 == 0
        weights[f"{key}.weight"][dead] = 0
        weights[f"{key}.bias"][dead] = 0
    for key in ("fc1", "fc2"):
        weights[f"{key}.weight"][::2] = 0
        weights[f"{key}.bias"][::2] = 0
    module.load_state_dict(weights)
    narrower, left, _, _ = narrow(project, analyse_project(project), weights, 0.5)
    smaller, _ = build_drawing(narrower, left)
    x = torch.randn(3, 1, 28, 28)
    assert torch.allclose(module(x), smaller(x), atol=1e-5)  # tanh(0) = 0 feeds nothing


def test_uses_of_a_composite_get_widths_of_their_own() -> None:
    project, _, weights = opened("resnet_digits")
    narrower, _, stays, _ = narrow(project, analyse_project(project), weights, 0.25)
    uses = [narrower.graph.nodes[use].settings for use in ("stage1", "stage2")]
    assert [use["conv1_out_channels"] for use in uses] == [12, 24]
    inner = narrower.graph.composites["Residual"].graph.nodes["conv1"].settings
    assert inner["out_channels"] == "=conv1_out_channels"
    assert "Residual.conv2 stays as wide as it is: join (add) reads its channels." in stays


def test_folding_batch_norm_changes_no_output() -> None:
    project, module, weights = opened("resnet_digits")
    fused, left, _ = fuse(project, weights)
    assert not fused.graph.of_block("BatchNorm2d")
    smaller, report = build_drawing(fused, left)
    assert "BatchNorm" not in (report.source or "")
    x = torch.randn(3, 1, 8, 8)
    assert torch.allclose(module(x), smaller(x), atol=1e-4)


def test_a_linear_of_low_rank_is_split_exactly() -> None:
    project, module, weights = opened("lenet_digits")
    u, s, v = torch.linalg.svd(weights["fc1.weight"], full_matrices=False)
    weights["fc1.weight"] = (u[:, :10] * s[:10]) @ v[:10]
    weights["fc2.weight"] = weights["fc2.weight"][:, :1] @ weights["fc2.weight"][:1]
    module.load_state_dict(weights)
    factors, left, _ = split(project, weights, 0.5)
    assert factors.graph.nodes["fc1_low"].settings == {"out_features": 46, "bias": False}
    assert "fc3_low" not in factors.graph.nodes  # ten classes have ten directions at most
    smaller, report = build_drawing(factors, left)
    assert report.total_params < 40_000
    x = torch.randn(3, 1, 28, 28)
    assert torch.allclose(module(x), smaller(x), atol=1e-4)


@pytest.mark.parametrize(
    ("name", "edit", "message"),
    [
        ("mobilenet_digits", "narrow", r"conv1 stays as wide as it is: block1 \(Depthwise"),
        ("lenet_digits", "fuse", "The network has no batch norm"),
        ("resnet_digits", "split", "fc stays whole: 32 x 10 weights are too few"),
    ],
)
def test_what_cannot_be_taken_is_refused_with_its_block(name: str, edit: str, message: str) -> None:
    project, _, weights = opened(name)
    edits: dict[str, Callable[[], object]] = {
        "narrow": lambda: narrow(project, analyse_project(project), weights, 0.5),
        "fuse": lambda: fuse(project, weights),
        "split": lambda: split(project, weights, 0.5),
    }
    with pytest.raises(ShrinkError, match=message):
        edits[edit]()
