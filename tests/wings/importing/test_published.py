"""Every model is drawn at the size that it was published for, and nothing is downloaded for it."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn
from torchvision import models

from core.common.errors import ImportRefused
from core.project.inputs import Input
from core.wings.importing.published_size import DETECTORS, own_sizes, published_shapes
from core.wings.importing.sources import from_torchvision, with_inputs
from core.wings.importing.tracing.model_call import InputSpec

SIDES = {
    "efficientnet_b1": 240, "efficientnet_b2": 288, "efficientnet_b3": 300,
    "efficientnet_b4": 380, "efficientnet_b5": 456, "efficientnet_b6": 528,
    "efficientnet_b7": 600, "efficientnet_v2_s": 384, "efficientnet_v2_m": 480,
    "efficientnet_v2_l": 480, "inception_v3": 299, "quantized_inception_v3": 299,
    "regnet_y_128gf": 384, "swin_v2_t": 256, "swin_v2_s": 256, "swin_v2_b": 256, "vit_h_14": 518,
    "deeplabv3_mobilenet_v3_large": 520, "deeplabv3_resnet50": 520, "deeplabv3_resnet101": 520,
    "fcn_resnet50": 520, "fcn_resnet101": 520, "lraspp_mobilenet_v3_large": 520,
    "fasterrcnn_mobilenet_v3_large_320_fpn": 320, "fasterrcnn_mobilenet_v3_large_fpn": 800,
    "fasterrcnn_resnet50_fpn": 800, "fasterrcnn_resnet50_fpn_v2": 800, "fcos_resnet50_fpn": 800,
    "keypointrcnn_resnet50_fpn": 800, "maskrcnn_resnet50_fpn": 800,
    "maskrcnn_resnet50_fpn_v2": 800, "retinanet_resnet50_fpn": 800,
    "retinanet_resnet50_fpn_v2": 800, "ssd300_vgg16": 300, "ssdlite320_mobilenet_v3_large": 320,
}  # fmt: skip
"""Sides of images; all others have 224."""
CLIPS = {
    "mc3_18": (16, 112, 112), "r2plus1d_18": (16, 112, 112), "r3d_18": (16, 112, 112),
    "mvit_v1_b": (16, 224, 224), "mvit_v2_s": (16, 224, 224), "s3d": (128, 224, 224),
    "swin3d_t": (32, 224, 224), "swin3d_s": (32, 224, 224), "swin3d_b": (32, 224, 224),
}  # fmt: skip
PAIRS = {"raft_large": 128, "raft_small": 128}


def test_every_model_of_torchvision_has_its_published_size():
    for name in models.list_models():
        side = SIDES.get(name, 224)
        wanted: tuple[tuple[int, ...], ...] = ((3, *CLIPS.get(name, (side, side))),)
        if name in PAIRS:
            wanted = ((3, PAIRS[name], PAIRS[name]),) * 2
        assert (name, published_shapes(name)) == (name, wanted)
    assert {*SIDES, *CLIPS, *PAIRS} <= {*models.list_models()}


@pytest.mark.parametrize(
    "name", ["fasterrcnn_mobilenet_v3_large_320_fpn", "fcos_resnet50_fpn", "ssd300_vgg16",
             "ssdlite320_mobilenet_v3_large"],
)  # fmt: skip
def test_detectors_bring_images_to_that_size_themselves(name: str):
    with torch.device("meta"):
        detector: Any = models.get_model(name, weights=None, weights_backbone=None)
    assert detector.transform.min_size[-1] == published_shapes(name)[0][-1]
    assert DETECTORS[""] == 800


@pytest.mark.gate
@pytest.mark.parametrize(
    ("name", "side", "given"),
    [("efficientnet_b1", 240, ()), ("inception_v3", 299, ()), ("vit_b_16", 224, ()),
     ("vit_b_16", 160, (Input((3, 160, 160)),))],
)  # fmt: skip
def test_a_model_by_name_is_made_for_its_size_or_the_given_one(
    name: str, side: int, given: tuple[Input, ...]
):
    source = from_torchvision(name, InputSpec(given))
    assert source.shapes == ((3, side, side),)
    with torch.no_grad():
        assert source.module(torch.zeros(1, 3, side, side)).shape == (1, 1000)


def test_a_size_that_a_model_cannot_be_made_for_is_refused_in_a_sentence():
    with pytest.raises(ImportRefused) as refused:
        from_torchvision("vit_b_16", InputSpec((Input((3, 100, 100)),)))
    assert (refused.value.place, refused.value.message) == (
        "torchvision:vit_b_16", "cannot be created: Input shape indivisible by patch size!",
    )  # fmt: skip


class OfAnySize(nn.Module):
    """Convolution and mean: takes images of every size, or videos."""

    def __init__(self, convolution: nn.Module, **attributes: object) -> None:
        super().__init__()
        self.convolution = convolution
        for name, value in attributes.items():
            setattr(self, name, value)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.convolution(x).flatten(2).mean(2)


@pytest.mark.parametrize(
    ("attributes", "sample"),
    [({"default_cfg": {"input_size": (3, 240, 272)}}, (3, 240, 272)),
     ({"pretrained_cfg": {"input_size": (3, 384, 384)}}, (3, 384, 384)),
     ({"config": SimpleNamespace(image_size=30)}, (3, 30, 30)),
     ({"config": SimpleNamespace(image_size=[40, 56])}, (3, 40, 56)),
     ({"config": SimpleNamespace(vision_config=SimpleNamespace(image_size=48))}, (3, 48, 48)),
     ({"img_size": (20, 36)}, (3, 20, 36)), ({"image_size": 52}, (3, 52, 52)), ({}, (3, 224, 224))],
)  # fmt: skip
def test_a_model_of_ones_own_says_its_size_as_timm_and_transformers_do(
    attributes: dict[str, object], sample: tuple[int, ...]
):
    source = with_inputs(OfAnySize(nn.Conv2d(3, 4, 3), **attributes), "Net", InputSpec())
    assert source.shapes == (sample,)


def test_a_video_model_says_frames_too():
    config = SimpleNamespace(image_size=36, num_frames=6)
    source = with_inputs(OfAnySize(nn.Conv3d(3, 4, 3), config=config), "Net", InputSpec())
    assert source.shapes == ((3, 6, 36, 36),)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("efficientnet_b3", (300, 300)), ("inception_v3", (299, 299)), ("swin_v2_t", (256, 256)),
     ("swin3d_t", (32, 224, 224)), ("resnet18", (224, 224))],
)  # fmt: skip
def test_a_model_that_own_python_makes_with_torchvision_is_known(name: str, sizes: tuple[int, ...]):
    with torch.device("meta"):
        module = models.get_model(name, weights=None)
    assert own_sizes(module) == sizes


def test_with_another_head_it_is_known_where_its_whole_class_has_one_size():
    with torch.device("meta"):
        resnet = models.resnet18(weights=None, num_classes=7)
        efficient = models.efficientnet_b3(weights=None, num_classes=7)
    assert (own_sizes(resnet), own_sizes(efficient)) == ((224, 224), ())
