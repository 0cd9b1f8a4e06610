"""A sample goes through the drawing: a digit is drawn, a wire is probed, a script confirms it."""

import re
from pathlib import Path
from typing import Any

import torch
from playwright.sync_api import FloatRect, Page, expect
from torch import nn

from core.analyse import analyse_project
from core.data import ends, load_project
from core.project import open_project, read_text
from tests.browser.access import axe_script, describe, violations
from tests.browser.hand import Hand

ROOT = Path(__file__).parents[2]
WIRE = "wire-conv1.output -> relu1.input"


def by_script(path: Any) -> torch.Tensor:
    """What leaves conv1 for validation sample 1: the source, copied and run."""
    project = open_project(path)
    report = analyse_project(project)
    space: dict[str, Any] = {"__name__": "copied"}
    torch.manual_seed(0)
    exec(report.source or "", space)
    module: nn.Module = space[report.class_name]().eval()
    inputs, _ = load_project(project, *ends(report.inputs, report.outputs)).validation()
    with torch.no_grad():
        return module.get_submodule("conv1")(inputs[1:2])


def test_a_digit_is_drawn_and_a_wire_s_number_is_that_of_a_script(page: Page, server) -> None:
    hand = Hand(page, server)
    hand.open("one-sample", data={"source": "digits"})
    hand("workbench").focus()
    hand.keys("v")
    prediction = hand("sample-told")
    expect(prediction).to_contain_text("Prediction")
    expect(hand("sample-weights")).to_have_text("Initial weights: not trained yet")
    for node in ("image", "conv1", "relu1", "fc1"):
        expect(hand(f"value-{node}")).to_be_visible()
    expect(hand("value-logits").get_by_role("listitem")).to_have_count(3)

    draw_a_digit(hand)
    probe_a_wire(page, hand)
    hand.click("probe-pin")
    hand.choose("fc1")
    hand.keys("Escape")
    expect(hand("probe-conv1")).to_be_visible()
    hand("workbench").focus()
    hand.keys("v")
    expect(hand("sample-strip")).to_have_count(0)
    expect(hand("value-conv1")).to_have_count(0)


def draw_a_digit(hand: Hand) -> None:
    """Draw a stroke, read the answer, and go back to the samples of the data."""
    hand.click("sample-own")
    expect(hand("sample-told")).to_have_text("Draw something.")
    at = hand.at
    hand.drag(at("sample-surface", 0.4, 0.2), at("sample-surface", 0.6, 0.8))
    expect(hand("sample-told")).to_contain_text("Prediction")
    expect(hand("sample-told")).not_to_contain_text("Target")
    hand.click("sample-back")
    expect(hand("sample-told")).to_contain_text("Target")


def probe_a_wire(page: Page, hand: Hand) -> None:
    """Read a number of the next sample on a wire, as a script computes it."""
    hand.click("sample-next")
    expect(hand("sample-index")).to_have_value("1")
    hand(WIRE).locator("path").last.dispatch_event("click")
    value = by_script(hand.path)
    cell = hand("value-numbers").locator("tr").nth(2).locator("td").nth(1)
    digits = re.escape(f"{value[0, 0, 2, 1].item():.9f}"[:7])  # as far as threads do not matter
    expect(cell).to_have_attribute("title", re.compile(f"^{digits}"))
    expect(hand("probe-conv1")).to_contain_text("ConvolutionBackward0")
    expect(hand("gradient-numbers")).to_be_visible()
    hand("probe-hook").locator("summary").click()
    hook = "Captured by a forward hook on model.conv1 (Conv2d)."
    expect(hand("probe-hook")).to_contain_text(hook)
    expect(hand("probe-hook").locator("pre")).to_contain_text("layer.register_forward_hook(")
    inside = [v for v in violations(page, axe_script()) if " >> " in v["where"]]
    assert inside == [], describe(inside)


def test_a_step_goes_forward_and_back_through_a_residual_block(page: Page, server) -> None:
    hand = Hand(page, server)
    text = (ROOT / "projects" / "resnet_digits.loom.json").read_text()
    hand.path = server.workspace / "stepped.loom.json"
    hand.path.write_text(text)
    hand.go()
    hand("workbench").focus()
    hand.keys("F10")
    at, block = hand("step-path"), next(iter(residual(text)))
    expect(at).not_to_be_empty()
    while not (at.text_content() or "").startswith(f"{block}."):
        before = at.text_content() or ""
        hand.keys("F11")
        expect(at).not_to_have_text(before)
    expect(hand("crumbs")).to_be_visible()
    expect(hand("step-panel").get_by_test_id("own-lines")).to_be_visible()
    hand.keys("Shift+F11")
    expect(at).to_have_text(re.compile(rf"^{block}(\.\d+)?$"))
    hand.click("step-backward")
    expect(hand("step-panel")).to_contain_text("Backward")
    expect(hand("gradient-numbers")).to_be_visible()
    the_graph_of_the_step(page, hand)
    hand.click("step-update")
    hand.click("tab-block")
    expect(hand("step-weights")).to_be_visible()
    hand.click("step-end")
    expect(hand("step-panel")).to_have_count(0)
    expect(hand("tab-autograd")).to_have_count(0)


def the_graph_of_the_step(page: Page, hand: Hand) -> None:
    """A block opens to its nodes; a node leads to its block and says what it keeps."""
    hand.click("tab-autograd")
    rows = hand("autograd-row")
    expect(rows.first).to_contain_text("Loss 2 nodes")
    expect(rows.locator("code")).to_have_text(
        ["ViewBackward0", "MeanBackward1"] + ["ReluBackward0"] * 2
    )
    row = rows.filter(has_text="stem")
    expect(row).not_to_have_attribute("data-lit", "true")
    row.locator("button").click()
    kernel = rows.filter(has_text="ConvolutionBackward0").locator("button").first
    kernel.click()
    expect(rows.filter(has_text="AccumulateGrad").last).to_have_attribute("data-lit", "true")
    expect(hand("autograd-kept")).to_contain_text("is stem.weight")
    expect(hand("autograd")).to_be_visible()
    inside = [v for v in violations(page, axe_script()) if " >> " in v["where"]]
    assert inside == [], describe(inside)
    hand.click("step-backward", "step-over")  # the gradient of the logits comes first
    expect(rows.filter(has_text="fc")).to_have_attribute("data-lit", "true")
    hand.click("autograd-fold")


def residual(text: str) -> list[str]:
    """The blocks of a drawing that are composites, in the order of the file."""
    graph = read_text(text).graph
    return [name for name, node in graph.nodes.items() if node.block in graph.composites]


def test_the_buttons_of_a_step_stay_where_they_are_and_escape_leaves(page: Page, server) -> None:
    hand = Hand(page, server)
    hand.path = server.workspace / "still.loom.json"
    hand.path.write_text((ROOT / "projects" / "mlp_iris.loom.json").read_text())
    hand.go()
    hand("workbench").focus()
    hand.keys("F10")
    path = hand("step-path")
    expect(path).not_to_be_empty()
    buttons = hand("step-bar").get_by_role("button")
    seen: list[list[FloatRect | None]] = []
    for _ in range(4):
        seen.append([each.bounding_box() for each in buttons.all()])
        before = path.text_content() or ""
        hand.click("step-over")
        expect(path).not_to_have_text(before)
    assert all(each == seen[0] for each in seen)
    hand("workbench").focus()
    hand.keys("Escape")
    expect(hand("step-bar")).to_have_count(0)
