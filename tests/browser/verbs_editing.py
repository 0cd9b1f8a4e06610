"""Verbs on blocks and wires. The drawing they start from is CHAIN, where nothing else is said."""

from playwright.sync_api import expect

from tests.browser.drawings import CHAIN
from tests.browser.hand import Hand
from tests.browser.verbs import Table

VERBS = Table()

# The first convolution keeps the size and the channels, the second one halves and doubles them.
SKIPPED = {
    "nodes": {
        "image": {"block": "Input", "settings": {"shape": [4, 8, 8]}},
        "conv1": {
            "block": "Conv2d",
            "settings": {"out_channels": 4, "kernel_size": 3, "padding": 1},
        },
        "relu1": {"block": "ReLU"},
        "conv2": {
            "block": "Conv2d",
            "settings": {"out_channels": 8, "kernel_size": 3, "stride": 2, "padding": 1},
        },
        "relu2": {"block": "ReLU"},
        "logits": {"block": "Output"},
    },
    "edges": [
        "image -> conv1",
        "conv1 -> relu1",
        "relu1 -> conv2",
        "conv2 -> relu2",
        "relu2 -> logits",
    ],
}
FLAT = {
    "nodes": {
        "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
        "pool1": {"block": "MaxPool2d", "settings": {"kernel_size": 20}},
        "logits": {"block": "Output"},
    },
    "edges": ["image -> pool1", "pool1 -> logits"],
}
LOOSE = {"nodes": {**CHAIN["nodes"], "bn1": {"block": "BatchNorm2d"}}, "edges": CHAIN["edges"]}
UNWIRED = {"nodes": CHAIN["nodes"], "edges": CHAIN["edges"][:1]}


@VERBS()
def insert_on_a_wire(hand: Hand) -> None:
    hand.drop("BatchNorm2d", hand.middle("conv1", "relu1"))


@VERBS(LOOSE)
def insert_a_block_that_is_there(hand: Hand) -> None:
    wire = hand.middle("conv1", "relu1")
    hand.drag(hand.at("node-bn1", 0.5, 0.3), wire)
    expect(hand("node-bn1")).to_have_attribute("data-state", "ok")


@VERBS(LOOSE)
def move_a_block_that_is_wired_over_a_wire(hand: Hand) -> None:
    hand.drag(hand.at("node-fc1", 0.5, 0.3), hand.middle("conv1", "relu1"))


@VERBS()
def drop_on_the_canvas(hand: Hand) -> None:
    hand.drop("Dropout", hand.at("node-conv1", 0.5, -0.7))


@VERBS()
def add_after_the_selected_block(hand: Hand) -> None:
    hand.choose("relu1")
    hand.fill("palette-search", "MaxPool2d", "Enter")


@VERBS()
def wire_into_the_void(hand: Hand) -> None:
    hand.drag(hand.at("port-conv1-out-output"), hand.at("node-conv1", 1.2, -0.7))
    expect(hand("drop")).to_contain_text("(N, 4, 6, 6)")
    hand.page.keyboard.insert_text("batch")
    expect(hand("drop-BatchNorm2d")).to_be_visible()
    expect(hand("drop-BatchNorm1d")).to_have_count(0)
    hand.keys("Enter")


@VERBS(UNWIRED)
def wire_backwards_into_the_void(hand: Hand) -> None:
    hand.drag(hand.at("port-relu1-in-input"), hand.at("node-relu1", -0.2, -0.7))
    expect(hand("front")).to_contain_text("Feeds relu1")
    hand.page.keyboard.insert_text("input")
    expect(hand("front-Input")).to_be_visible()
    expect(hand("front-Output")).to_have_count(0)
    hand.keys("Enter")


@VERBS()
def wire_backwards_from_a_fed_port(hand: Hand) -> None:
    hand.drag(hand.at("port-relu1-in-input"), hand.at("node-relu1", -0.2, -0.7))
    hand.page.keyboard.insert_text("batchnorm")
    expect(hand("front-BatchNorm2d")).to_be_visible()
    expect(hand("front-BatchNorm1d")).to_have_count(0)
    hand.keys("Enter")


@VERBS(UNWIRED)
def wire_backwards_onto_a_block(hand: Hand) -> None:
    hand.drag(hand.at("port-relu1-in-input"), hand.at("node-conv1", 0.5, 0.4))


@VERBS(UNWIRED)
def wire_by_mouse(hand: Hand) -> None:
    hand.wire("conv1", "relu1")


@VERBS(UNWIRED)
def wire_by_two_clicks(hand: Hand) -> None:
    hand.page.mouse.click(*hand.at("port-conv1-out-output"))
    hand.page.mouse.click(*hand.at("port-relu1-in-input"))


@VERBS(UNWIRED)
def wire_by_keyboard(hand: Hand) -> None:
    hand("workbench").focus()
    hand.keys("Control+k")
    hand.page.keyboard.insert_text("relu1")
    hand.keys("Enter")
    hand("input-input").select_option("conv1.output -> relu1.input")


@VERBS(undos=0)
def refused_wire(hand: Hand) -> None:
    start, end = hand.at("port-fc1-out-output"), hand.at("port-conv1-in-input")
    hand.page.mouse.move(*start)
    hand.page.mouse.down()
    hand.page.mouse.move(end[0] + 30, end[1] + 30, steps=3)
    hand.page.mouse.move(*end, steps=3)
    reason = "fc1 already reads from conv1: this wire would close a loop."
    expect(hand("wire-refused")).to_have_text(reason)
    hand.page.mouse.up()


@VERBS()
def take_the_end_of_a_wire_elsewhere(hand: Hand) -> None:
    hand.choose("flat")
    hand("input-input").select_option("conv1.output -> flat.input")


@VERBS()
def delete_a_wire(hand: Hand) -> None:
    hand.page.mouse.click(*hand.middle("conv1", "relu1"))
    hand.keys("Delete")


@VERBS()
def delete_a_block(hand: Hand) -> None:
    hand.choose("relu1")
    hand.keys("Delete")


@VERBS()
def delete_a_block_and_leave_a_gap(hand: Hand) -> None:
    hand.choose("relu1")
    hand.keys("Shift+Delete")


@VERBS()
def delete_several_blocks(hand: Hand) -> None:
    corner, end = hand.at("node-conv1", -0.1, -0.3), hand.at("node-relu1", 0.5, 0.5)
    hand.page.keyboard.down("Shift")
    hand.drag(corner, end)
    hand.page.keyboard.up("Shift")
    hand.keys("Delete")


@VERBS()
def replace_a_block(hand: Hand) -> None:
    hand.choose("relu1")
    hand.click("replace")
    hand.fill("replace-query", "gelu", "Enter")


@VERBS(SKIPPED)
def residual_without_projection(hand: Hand) -> None:
    hand.wire("image", "relu1")
    hand.click("residual-add")


@VERBS(SKIPPED, undos=2)
def residual_with_projection(hand: Hand) -> None:
    hand.wire("relu1", "relu2")
    hand.click("residual-add")
    expect(hand("node-join")).to_have_attribute("data-state", "error")
    hand.click("fix-join-0")
    expect(hand("node-join")).to_have_attribute("data-state", "ok")


@VERBS(SKIPPED)
def feed_instead_of_a_residual(hand: Hand) -> None:
    hand.wire("image", "relu1")
    hand.click("residual-replace")


@VERBS(FLAT)
def apply_a_fix(hand: Hand) -> None:
    hand.choose("pool1")
    hand.click("fix-pool1-0")
    expect(hand("node-pool1")).to_have_attribute("data-state", "ok")


@VERBS()
def duplicate(hand: Hand) -> None:
    hand.choose("conv1", "relu1")
    hand.keys("Control+d")


@VERBS()
def copy_and_paste(hand: Hand) -> None:
    hand.choose("conv1", "relu1")
    hand.keys("Control+c", "Control+v")


@VERBS(undos=2)
def cut_and_paste(hand: Hand) -> None:
    hand.choose("conv1", "relu1")
    hand.keys("Control+x", "Control+v")


@VERBS()
def set_a_setting(hand: Hand) -> None:
    hand.set("conv1", out_channels="12")


@VERBS()
def take_a_setting_away(hand: Hand) -> None:
    hand.choose("flat")
    hand.fill("setting-start_dim", "0")


@VERBS()
def rename_a_block(hand: Hand) -> None:
    hand.choose("conv1")
    hand.fill("field-id", "stem", "Enter")


@VERBS()
def label_a_block(hand: Hand) -> None:
    hand.choose("conv1")
    hand.fill("field-label", "edges and corners")


@VERBS()
def repeat_a_block(hand: Hand) -> None:
    hand.choose("relu1")
    hand.fill("field-repeat", "3")


@VERBS()
def move_by_mouse(hand: Hand) -> None:
    start = hand.at("node-relu1", 0.5, 0.3)
    hand.drag(start, (start[0] + 64, start[1] - 48))


@VERBS()
def move_by_keys(hand: Hand) -> None:
    hand.choose("relu1")
    hand.keys_at_once("Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowLeft")


@VERBS()
def tidy_the_layout(hand: Hand) -> None:
    hand("workbench").focus()
    hand.keys("l")


@VERBS(undos=0)
def walk_and_look(hand: Hand) -> None:
    hand.choose("conv1")
    hand.keys("ArrowRight", "ArrowRight", "f", "h", "p", "Escape")
    hand.arrange("fit")
    hand.click("tab-source", "tab-problems", "tab-block")


@VERBS(undos=0)
def undo_everything(hand: Hand) -> None:
    hand.set("conv1", out_channels="12")
    hand.choose("relu1")
    hand.keys("Delete")
    hand.undo(2)
