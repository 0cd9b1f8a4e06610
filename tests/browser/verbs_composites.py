"""Verbs on composites. Most start from STAGES: two uses of one composite, in file order."""

from typing import Any

from playwright.sync_api import expect

from tests.browser.drawings import CHAIN, checked
from tests.browser.hand import SECOND, Hand
from tests.browser.verbs import Table

VERBS = Table()

STAGES: dict[str, Any] = {
    "nodes": {
        "image": {"block": "Input", "settings": {"shape": [4, 8, 8]}},
        "stage1": {"block": "Stage"},
        "stage2": {"block": "Stage", "settings": {"channels": 8}},
        "logits": {"block": "Output"},
    },
    "edges": ["image -> stage1", "stage1 -> stage2", "stage2 -> logits"],
}
STAGE = {
    "settings": {"channels": 4},
    "nodes": {
        "input": {"block": "Input"},
        "conv1": {
            "block": "Conv2d",
            "settings": {"out_channels": "=channels", "kernel_size": 3, "padding": 1},
        },
        "relu1": {"block": "ReLU"},
        "output": {"block": "Output"},
    },
    "edges": ["input -> conv1", "conv1 -> relu1", "relu1 -> output"],
}
PARTS = {"composites": {"Stage": STAGE}}
ONE = {
    "nodes": {name: STAGES["nodes"][name] for name in ("image", "stage1", "logits")},
    "edges": ["image -> stage1", "stage1 -> logits"],
}


def enter(hand: Hand, node: str) -> None:
    hand(f"node-{node}").dblclick(position=SECOND)
    expect(hand("crumbs")).to_be_visible()
    hand("node-input").wait_for()


@VERBS()
def group(hand: Hand) -> None:
    hand.group("Stage", "conv1", "relu1")


@VERBS()
def group_by_the_menu(hand: Hand) -> None:
    hand.choose("conv1", "relu1")
    hand.menu("relu1", "group")
    hand.fill("group-name", "Stage")
    hand.click("group-done")


@VERBS(undos=0)
def refused_group(hand: Hand) -> None:
    hand.choose("conv1", "flat")
    hand.keys("Control+g")
    hand.fill("group-name", "Odd", "Enter")
    message = "relu1 is between the selected blocks: select it too."
    expect(hand("toast")).to_have_text(message)


@VERBS(STAGES, **PARTS)
def open_and_edit_every_use_follows(hand: Hand) -> None:
    enter(hand, "stage2")
    expect(hand("crumbs")).to_contain_text("Changes apply to all 2 uses of Stage")
    hand.set("conv1", kernel_size="5")
    checked(hand.page)
    expect(hand("node-output")).to_contain_text("(N, 8, 4, 4)")
    hand.keys("Escape", "Escape", "Escape")
    expect(hand("node-stage1")).to_contain_text("(N, 4, 6, 6)")


@VERBS(STAGES, **PARTS)
def insert_in_an_open_composite(hand: Hand) -> None:
    enter(hand, "stage1")
    hand.choose("conv1")
    hand.fill("palette-search", "BatchNorm2d", "Enter")
    expect(hand("node-bn")).to_contain_text("(N, 4, 8, 8)")


@VERBS(STAGES, undos=0, **PARTS)
def expand_and_collapse(hand: Hand) -> None:
    hand.choose("stage1")
    hand("workbench").focus()
    hand.keys("Enter")
    expect(hand("node-conv1")).to_contain_text("(N, 4, 8, 8)")
    hand.click("crumb-0")
    expect(hand("node-stage2")).to_be_visible()


@VERBS(STAGES, **PARTS)
def make_independent(hand: Hand) -> None:
    hand.menu("stage2", "independent")


@VERBS(ONE, **PARTS)
def repeat(hand: Hand) -> None:
    hand.choose("stage1")
    hand.fill("field-repeat", "3")


@VERBS(STAGES, **PARTS)
def unpack_keeping_wires(hand: Hand) -> None:
    hand.choose("stage2")
    hand.keys("Control+Shift+g")


@VERBS(ONE, undos=2, **PARTS)
def unpack_a_repeated_one(hand: Hand) -> None:
    hand.choose("stage1")
    hand.fill("field-repeat", "2")
    hand.click("composite-unpack")


@VERBS(STAGES, **PARTS)
def composite_from_the_palette(hand: Hand) -> None:
    hand.choose("stage2")
    hand.fill("palette-search", "Stage", "Enter")


@VERBS(STAGES, **PARTS)
def drag_a_composite_onto_a_wire(hand: Hand) -> None:
    hand.drop("Stage", hand.middle("image", "stage1"))


@VERBS(STAGES, **PARTS)
def set_a_setting_of_one_use(hand: Hand) -> None:
    hand.set("stage1", channels="16")


@VERBS(STAGES, **PARTS)
def rename_a_composite(hand: Hand) -> None:
    enter(hand, "stage1")
    hand.fill("composite-name", "ConvBlock", "Enter")


@VERBS(STAGES, undos=4, **PARTS)
def settings_form_of_a_composite(hand: Hand) -> None:
    enter(hand, "stage1")
    hand.fill("default-channels", "6")
    hand.fill("default-name-channels", "width", "Enter")
    hand.click("composite-add")
    hand.fill("default-channels", "32")


@VERBS(STAGES, **PARTS)
def make_a_number_a_setting(hand: Hand) -> None:
    enter(hand, "stage1")
    hand.choose("conv1")
    hand.click("promote-kernel_size")


@VERBS(STAGES, **PARTS)
def write_an_expression(hand: Hand) -> None:
    enter(hand, "stage1")
    hand.set("conv1", out_channels="=channels * 2")


@VERBS(STAGES, undos=2, **PARTS)
def group_inside_an_open_composite(hand: Hand) -> None:
    enter(hand, "stage1")
    hand.group("Unit", "conv1", "relu1")
    hand.choose("unit1")
    hand.fill("field-id", "unit", "Enter")


@VERBS(STAGES, undos=3, **PARTS)
def delete_and_forget_a_composite(hand: Hand) -> None:
    for node in ("stage1", "stage2"):
        hand.choose(node)
        hand.keys("Delete")
    hand.page.get_by_role("button", name="Delete Stage", exact=True).click()


@VERBS(CHAIN)
def composite_from_another_project(hand: Hand) -> None:
    own, start = hand.path, hand.start
    hand.open("lender", STAGES, **PARTS)
    hand.choose("stage2")
    hand.keys("Control+c")
    hand.path, hand.start = own, start
    hand.go()
    hand("workbench").focus()
    hand.keys("Control+v")
    expect(hand("node-stage2")).to_be_visible()
