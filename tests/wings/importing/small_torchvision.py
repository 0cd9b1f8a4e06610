"""Torchvision's own classes, as small as they go: every family's code, few weights.

Keys begin with the name of the class; what follows tells variants with code of their own apart.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torchvision import models
from torchvision.models import (
    convnext,
    detection,
    efficientnet,
    mobilenetv3,
    regnet,
    resnet,
    segmentation,
    swin_transformer,
    video,
    vision_transformer,
)
from torchvision.models import quantization as quantized
from torchvision.models._utils import IntermediateLayerGetter
from torchvision.models.detection.anchor_utils import AnchorGenerator, DefaultBoxGenerator
from torchvision.models.detection.backbone_utils import BackboneWithFPN
from torchvision.models.optical_flow import raft
from torchvision.models.quantization.mobilenetv3 import QuantizableMobileNetV3
from torchvision.models.video import mvit
from torchvision.ops.feature_pyramid_network import LastLevelP6P7

from core.wings.importing.sources import Shape, one_image
from core.wings.importing.tracing.recorder import Run

Made = tuple[Callable[[], nn.Module], Shape]
FIVE: dict[str, Any] = {"num_classes": 5}


def _resnet(block: Any = resnet.BasicBlock, **more: Any) -> resnet.ResNet:
    return resnet.ResNet(block, [1, 1, 1, 1], **FIVE, **more)


def _mobilenet_v3(kind: Any = mobilenetv3.MobileNetV3) -> Any:
    rows = [
        (8, 3, 8, 8, True, "RE", 2),
        (8, 5, 16, 8, True, "HS", 1),
        (8, 5, 16, 8, False, "HS", 1),
    ]
    config = [mobilenetv3.InvertedResidualConfig(*row, 1, 1.0) for row in rows]
    return kind(config, 32, **FIVE)


def _efficientnet(*rows: Any) -> efficientnet.EfficientNet:
    return efficientnet.EfficientNet(rows, 0.2, last_channel=32, **FIVE)


def _swin(**more: Any) -> nn.Module:
    return swin_transformer.SwinTransformer(
        [4, 4], 8, [2, 2], [1, 2], [4, 4], stochastic_depth_prob=0.1, **more, **FIVE
    )


def _vit(**more: Any) -> nn.Module:
    return vision_transformer.VisionTransformer(16, 8, 2, 2, 16, 32, dropout=0.1, **more, **FIVE)


def _video(conv: Any, stem: Any) -> nn.Module:
    return video.VideoResNet(video.resnet.BasicBlock, [conv] * 4, [1] * 4, stem, **FIVE)


def _alexnet() -> nn.Module:
    with torch.device("meta"):
        model = models.AlexNet()
    for layer in model.features.to_empty(device="cpu"):
        if isinstance(layer, nn.Conv2d):
            layer.reset_parameters()
    model.classifier = nn.Sequential(nn.Linear(256 * 6 * 6, 5))
    return model


def _vgg() -> nn.Module:
    """A VGG's three large layers at its end take most of its weights: here there is one."""
    features = models.vgg.make_layers([4, "M", 8, "M"], batch_norm=True)
    with torch.device("meta"):
        model = models.VGG(features, init_weights=False)
    model.classifier = nn.Sequential(nn.Linear(8 * 7 * 7, 5))
    return model


def _s3d() -> nn.Module:
    """S3D pools a whole large video at its end; here what is left of a small one."""
    model = video.S3D(**FIVE)
    model.avgpool = nn.AvgPool3d(1)
    return model


def _mvit(second: bool) -> nn.Module:
    """The two versions differ in where they add positions, pool, and skip."""
    three = [3, 3, 3]
    first = mvit.MSBlockConfig(1, 8, 16, three if second else [], three,
                               [1, 1, 1] if second else [], [1, 2, 2])  # fmt: skip
    then = mvit.MSBlockConfig(2, 16, 16, three, three, [1, 2, 2], [1, 1, 1])
    return mvit.MViT(
        (32, 32), 4, [first, then], residual_pool=second, residual_with_cls_embed=not second,
        rel_pos_embed=second, proj_after_attn=second, stochastic_depth_prob=0.1, **FIVE,
    )  # fmt: skip


def _raft(large: bool) -> nn.Module:
    return raft._raft(  # pyright: ignore[reportPrivateUsage] - the only maker of other sizes
        feature_encoder_layers=(8, 8, 8, 8, 16), context_encoder_layers=(8, 8, 8, 8, 24),
        feature_encoder_block=raft.ResidualBlock if large else raft.BottleneckBlock,
        context_encoder_block=raft.ResidualBlock if large else raft.BottleneckBlock,
        feature_encoder_norm_layer=nn.InstanceNorm2d,
        context_encoder_norm_layer=nn.BatchNorm2d if large else None,
        corr_block_num_levels=2, corr_block_radius=1, motion_encoder_flow_layers=(8, 8),
        motion_encoder_corr_layers=(8, 8) if large else (8,), motion_encoder_out_channels=10,
        recurrent_block_hidden_state_size=12, flow_head_hidden_size=8, use_mask_predictor=large,
        recurrent_block_kernel_size=((1, 5), (5, 1)) if large else (3,),
        recurrent_block_padding=((0, 2), (2, 0)) if large else (1,),
    )  # fmt: skip


def _pyramid(extra: Any = None, channels: int = 16) -> nn.Module:
    layers = {"layer3": "0", "layer4": "1"}
    return BackboneWithFPN(_resnet(), layers, [256, 512], channels, extra)


def _two_stages(kind: Any, **more: Any) -> nn.Module:
    anchors = AnchorGenerator(((16,), (32,), (64,)), ((0.5, 1.0, 2.0),) * 3)
    return kind(
        _pyramid(), 2, rpn_anchor_generator=anchors,
        min_size=64, max_size=64, rpn_pre_nms_top_n_test=20, rpn_post_nms_top_n_test=8,
        box_detections_per_img=5, **more,
    )  # fmt: skip


def _one_stage(kind: Any, channels: int, ratios: tuple[float, ...]) -> nn.Module:
    anchors = AnchorGenerator(((16,), (32,), (64,), (64,)), (ratios,) * 4)
    return kind(
        _pyramid(LastLevelP6P7(channels, channels), channels), 4, anchor_generator=anchors,
        min_size=64, max_size=64, topk_candidates=20, detections_per_img=5,
    )  # fmt: skip


def _ssd() -> nn.Module:
    body: Any = IntermediateLayerGetter(_resnet(), {"layer3": "0", "layer4": "1"})
    boxes = DefaultBoxGenerator([[2], [2]])
    return detection.ssd.SSD(
        body, boxes, (64, 64), 4, topk_candidates=20, detections_per_img=5,
        head=detection.ssd.SSDHead([256, 512], boxes.num_anchors_per_location(), 4),
    )  # fmt: skip


IMAGE, CLIP = (3, 32, 32), (3, 4, 32, 32)
MB, FUSED = efficientnet.MBConvConfig, efficientnet.FusedMBConvConfig
SECOND: dict[str, Any] = {
    "block": swin_transformer.SwinTransformerBlockV2,
    "downsample_layer": swin_transformer.PatchMergingV2,
}
HEADLESS: dict[str, Any] = {"init_weights": False, "aux_logits": False, "transform_input": True}
STEM = [vision_transformer.ConvStemConfig(4, 3, 2), vision_transformer.ConvStemConfig(4, 3, 4)]
ROWS = [[1, 16, 1, 1], [6, 24, 2, 2]]
MODELS: dict[str, Made] = {
    "ConvNeXt": (
        lambda: convnext.ConvNeXt(
            [convnext.CNBlockConfig(8, 16, 2), convnext.CNBlockConfig(16, None, 1)], 0.1, **FIVE
        ),
        IMAGE,
    ),
    "DeepLabV3": (
        lambda: segmentation.DeepLabV3(
            IntermediateLayerGetter(_resnet(), {"layer4": "out"}),
            segmentation.deeplabv3.DeepLabHead(512, 4),
        ),
        IMAGE,
    ),
    "DenseNet": (lambda: models.DenseNet(4, (2, 1, 1, 1), 8, **FIVE), IMAGE),
    "EfficientNet": (lambda: _efficientnet(MB(1, 3, 1, 8, 8, 1), MB(6, 5, 2, 8, 16, 2)), IMAGE),
    "EfficientNet of version 2": (
        lambda: _efficientnet(FUSED(1, 3, 1, 8, 8, 1), FUSED(4, 3, 2, 8, 16, 2)), IMAGE
    ),
    "FCN": (
        lambda: segmentation.FCN(
            IntermediateLayerGetter(_resnet(), {"layer3": "aux", "layer4": "out"}),
            segmentation.fcn.FCNHead(512, 4), segmentation.fcn.FCNHead(256, 4),
        ),
        IMAGE,
    ),
    "GoogLeNet": (lambda: models.GoogLeNet(**HEADLESS, **FIVE), IMAGE),
    "Inception3": (lambda: models.Inception3(**HEADLESS, **FIVE), (3, 75, 75)),
    "LRASPP": (
        lambda: segmentation.LRASPP(
            IntermediateLayerGetter(_mobilenet_v3().features, {"1": "low", "3": "high"}), 8, 8, 4, 8
        ),
        IMAGE,
    ),
    "MNASNet": (lambda: models.MNASNet(0.2, **FIVE), IMAGE),
    "MViT": (partial(_mvit, second=False), CLIP),
    "MViT of version 2": (partial(_mvit, second=True), CLIP),
    "MaxVit": (lambda: models.MaxVit((32, 32), 8, 4, [8, 16], [1, 1], 4, 0.2, **FIVE), IMAGE),
    "MobileNetV2": (
        lambda: models.MobileNetV2(
            width_mult=0.25, inverted_residual_setting=ROWS, **FIVE
        ),
        IMAGE,
    ),
    "MobileNetV3": (_mobilenet_v3, IMAGE),
    "VideoResNet of (2+1)D": (
        partial(_video, video.resnet.Conv2Plus1D, video.resnet.R2Plus1dStem), (3, 2, 16, 16)
    ),
    "VideoResNet": (
        partial(_video, video.resnet.Conv3DSimple, video.resnet.BasicStem), (3, 2, 16, 16)
    ),
    "RegNet": (
        lambda: regnet.RegNet(
            regnet.BlockParams([1, 2], [8, 16], [8, 8], [1.0, 1.0], [2, 2], 0.25), stem_width=8,
            **FIVE,
        ),
        IMAGE,
    ),
    "ResNet of bottlenecks": (
        partial(_resnet, resnet.Bottleneck, groups=2, width_per_group=4), IMAGE
    ),
    "ResNet": (_resnet, IMAGE),
    "S3D": (_s3d, (3, 9, 32, 32)),
    "ShuffleNetV2": (lambda: models.ShuffleNetV2([2, 2, 2], [8, 8, 16, 32, 32], **FIVE), IMAGE),
    "SqueezeNet": (lambda: models.SqueezeNet("1_0", **FIVE), IMAGE),
    "SqueezeNet of version 1.1": (lambda: models.SqueezeNet("1_1", **FIVE), IMAGE),
    "SwinTransformer": (_swin, (3, 40, 40)),
    "SwinTransformer of version 2": (partial(_swin, **SECOND), (3, 40, 40)),
    "SwinTransformer3d": (
        lambda: video.SwinTransformer3d([2, 4, 4], 8, [2, 2], [1, 2], [2, 4, 4], **FIVE), CLIP
    ),
    "AlexNet": (_alexnet, (3, 64, 64)),
    "VGG": (_vgg, IMAGE),
    "VisionTransformer": (_vit, (3, 16, 16)),
    "VisionTransformer with a stem": (
        partial(_vit, representation_size=8, conv_stem_configs=STEM), (3, 16, 16)
    ),
    "QuantizableGoogLeNet": (lambda: quantized.QuantizableGoogLeNet(**HEADLESS, **FIVE), IMAGE),
    "QuantizableInception3": (
        lambda: quantized.QuantizableInception3(**HEADLESS, **FIVE), (3, 75, 75)
    ),
    "QuantizableMobileNetV2": (
        lambda: quantized.QuantizableMobileNetV2(inverted_residual_setting=ROWS, **FIVE), IMAGE
    ),
    "QuantizableMobileNetV3": (
        partial(_mobilenet_v3, QuantizableMobileNetV3), IMAGE
    ),
    "QuantizableResNet": (
        lambda: quantized.QuantizableResNet(
            quantized.resnet.QuantizableBasicBlock, [1, 1, 1, 1], **FIVE
        ),
        IMAGE,
    ),
    "QuantizableShuffleNetV2": (
        lambda: quantized.QuantizableShuffleNetV2([2, 2, 2], [8, 8, 16, 32, 32], **FIVE), IMAGE
    ),
    "FCOS": (partial(_one_stage, detection.FCOS, 64, (1.0,)), (3, 64, 64)),
    "FasterRCNN": (partial(_two_stages, detection.FasterRCNN), (3, 64, 64)),
    "KeypointRCNN": (partial(_two_stages, detection.KeypointRCNN, num_keypoints=3), (3, 64, 64)),
    "MaskRCNN": (partial(_two_stages, detection.MaskRCNN), (3, 64, 64)),
    "RetinaNet": (partial(_one_stage, detection.RetinaNet, 16, (0.5, 1.0, 2.0)), (3, 64, 64)),
    "SSD": (_ssd, (3, 64, 64)),
    "RAFT": (partial(_raft, large=True), (3, 64, 64)),
    "RAFT of bottlenecks": (partial(_raft, large=False), (3, 64, 64)),
}  # fmt: skip


def run_of(name: str) -> Run | None:
    """How a model is called, where that is not model(batch)."""
    if name.startswith("RAFT"):
        return _two_updates
    return one_image if name in DETECTORS else None


DETECTORS = {"FCOS", "FasterRCNN", "KeypointRCNN", "MaskRCNN", "RetinaNet", "SSD"}


def _two_updates(module: nn.Module, first: Tensor, second: Tensor) -> Any:
    return module(first, second, num_flow_updates=2)
