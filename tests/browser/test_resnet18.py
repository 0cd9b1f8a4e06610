"""ResNet-18 drawn by hand from an empty canvas: the source is a golden file and torchvision's."""

import re
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Page, expect
from torchvision.models import resnet18

from core import build, open_project
from core.analyse import analyse_project
from tests.browser.drawings import checked
from tests.browser.hand import Hand

pytestmark = pytest.mark.slow
INNER_NAMES = {"conv2": "conv1", "relu2": "relu1", "conv3": "conv2", "relu3": "relu2"}
GOLDEN = Path(__file__).parents[1] / "golden" / "resnet18_by_hand.py"


def stem(hand: Hand) -> None:
    hand.palette("Input", "Conv2d", "BatchNorm2d", "ReLU", "MaxPool2d")
    hand.set("image", shape="3, 224, 224")
    hand.set("conv1", out_channels="64", kernel_size="7", stride="2", padding="3", bias="False")
    hand.set("pool1", kernel_size="3", stride="2", padding="1")


def basic_block(hand: Hand) -> None:
    """Two convolutions and the skip around them, drawn and then grouped; two of it in a row."""
    hand.find("pool1")
    hand.palette("Conv2d", "BatchNorm2d", "ReLU", "Conv2d", "BatchNorm2d", "ReLU")
    for conv in ("conv2", "conv3"):
        hand.set(conv, out_channels="64", padding="1", bias="False")
    hand.keys("Escape", "f")
    hand.wire("pool1", "relu3")
    hand.click("residual-add")
    hand.keys("f")
    hand.group("BasicBlock", "conv2", "bn1", "relu2", "conv3", "bn2", "join", "relu3")
    enter(hand, "basicblock1")
    for conv in ("conv2", "conv3"):
        hand.choose(conv)
        hand.click("promote-out_channels")
    for old, new in INNER_NAMES.items():
        hand.rename(f"basicblock1.{old} {old}", new)
    hand.keys("Escape")
    hand.fill("default-name-out_channels", "channels", "Enter")
    leave(hand)
    hand.rename("basicblock1", "layer1")
    hand.fill("field-repeat", "2")


def down_block(hand: Hand) -> None:
    """The same with half the size: a copy of its own, and the projection that is offered."""
    use(hand, "layer1", "BasicBlock", "layer2a", 128)
    hand.menu("layer2a", "independent")
    enter(hand, "layer2a")
    hand.fill("composite-name", "DownBlock", "Enter")
    hand.set("layer2a.conv1 conv1", stride="2")
    hand.find("layer2a.join join")
    hand.page.get_by_test_id("inspector").locator(".fix").first.click()
    checked(hand.page)
    hand.rename("layer2a.conv3 conv3", "skip")
    hand.set("layer2a.skip skip", out_channels="=channels", bias="False")
    hand.palette("BatchNorm2d")
    hand.fill("field-id", "skip_bn", "Enter")
    leave(hand)


def use(hand: Hand, after: str, composite: str, name: str, channels: int) -> None:
    hand.find(after)
    hand.palette(composite)
    hand.fill("field-id", name, "Enter")
    hand.fill("setting-channels", str(channels))


def stages_and_head(hand: Hand) -> None:
    use(hand, "layer2a", "BasicBlock", "layer2b", 128)
    use(hand, "layer2b", "DownBlock", "layer3a", 256)
    use(hand, "layer3a", "BasicBlock", "layer3b", 256)
    use(hand, "layer3b", "DownBlock", "layer4a", 512)
    use(hand, "layer4a", "BasicBlock", "layer4b", 512)
    hand.palette("AdaptiveAvgPool2d", "flatten", "Linear", "Output")
    hand.set("fc1", out_features="1000")


def enter(hand: Hand, node: str) -> None:
    hand.find(node)
    hand.keys("Enter")
    expect(hand("crumbs")).to_be_visible()
    checked(hand.page)


def leave(hand: Hand) -> None:
    hand.click("crumb-0")
    expect(hand("crumbs")).to_have_count(0)


def ours(key: str) -> str:
    """What the drawing calls a weight of torchvision's ResNet-18."""
    key = re.sub(r"^layer([234])\.([01])", lambda m: f"layer{m[1]}{'ab'[int(m[2])]}", key)
    key = key.replace("downsample.0", "skip").replace("downsample.1", "skip_bn")
    return re.sub(r"^fc", "fc1", re.sub(r"^bn1", "bn", key))


def test_resnet18_drawn_by_hand_is_torchvisions(page: Page, server, golden: bool):
    hand = Hand(page, server)
    hand.open("ResNet18", {"nodes": {}, "edges": []})
    stem(hand)
    basic_block(hand)
    down_block(hand)
    stages_and_head(hand)
    checked(page)
    expect(hand("total-params")).to_have_text("11,689,512")
    hand.saved()
    source = analyse_project(open_project(hand.path)).source
    assert source is not None
    if golden:
        GOLDEN.write_text(source, encoding="utf-8")
    assert source == GOLDEN.read_text("utf-8")


def test_the_golden_resnet18_computes_what_torchvisions_does():
    module, wanted = build(GOLDEN.read_text("utf-8")), resnet18()
    assert sum(weight.numel() for weight in module.parameters()) == 11_689_512
    module.load_state_dict({ours(key): weight for key, weight in wanted.state_dict().items()})
    images = torch.randn(2, 3, 224, 224, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        assert torch.equal(module.eval()(images), wanted.eval()(images))
