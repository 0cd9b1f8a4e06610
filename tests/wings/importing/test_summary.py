"""Operations and memory of imported models are what torch counts of the originals."""

from dataclasses import replace

import pytest

from core.analyse import analyse
from core.insight.summary import summary
from core.wings.importing import import_module
from core.wings.importing.sources import open_source
from tests.core.insight.test_frozen import BATCH, plain
from tests.core.insight.test_summary import torch_s

PUBLISHED = (
    "alexnet", "convnext_tiny", "densenet121", "efficientnet_b0", "efficientnet_v2_s", "googlenet",
    "mnasnet0_5", "mobilenet_v2", "mobilenet_v3_small", "regnet_x_400mf", "regnet_y_400mf",
    "resnet18", "resnet50", "resnext50_32x4d", "shufflenet_v2_x0_5", "squeezenet1_0", "swin_t",
    "vgg11_bn", "vit_b_16", "wide_resnet50_2",
)  # fmt: skip


@pytest.mark.slow(keep=["resnet18"])
@pytest.mark.parametrize("name", PUBLISHED)
def test_mult_adds_of_torchvision_are_torch_s_count_of_the_model_itself(name: str) -> None:
    source = open_source(f"torchvision:{name}")
    project = import_module(source.module, ((3, 224, 224),), name, run=source.run).project
    report = analyse(project.graph, name)
    truth = torch_s(source.module, report, 1)
    assert report.mult_adds == pytest.approx(truth, rel=0.005)
    assert summary(report).mult_adds == report.mult_adds


@pytest.mark.slow
def test_resnet18_with_all_but_its_last_stage_and_head_frozen() -> None:
    from torchvision.models import resnet18  # pyright: ignore[reportMissingTypeStubs]

    names = ("conv1", "bn1", "layer1", "layer2", "layer3")
    project = import_module(resnet18(num_classes=2).eval(), ((3, 48, 48),), "resnet18").project
    nodes = project.graph.nodes
    graph = replace(
        project.graph,
        nodes={n: replace(node, frozen=n in names) for n, node in nodes.items()},
    )
    report = analyse(graph, "ResNet18")
    found = summary(report, BATCH, {"optimizer": "AdamW"}).memory
    assert replace(found, activations_bytes=0) == plain(report, names)
    assert found.gradients_bytes == 33_579_016
    assert found.optimizer_bytes == 67_158_100
