"""The inspector in a real Chromium: formula and drawing, fixes looked at first, time, figures."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.access import axe_script, describe, violations
from tests.browser.drawings import checked, choose, open_drawing, saved
from tests.browser.hand import colour_by
from tests.browser.rest import at_rest

pytestmark = pytest.mark.slow

BROKEN: dict[str, Any] = {
    "nodes": {
        "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
        "conv1": {"block": "Conv2d", "settings": {"out_channels": 4, "kernel_size": 3}},
        "fc1": {"block": "Linear", "settings": {"in_features": 144, "out_features": 10}},
        "logits": {"block": "Output"},
    },
    "edges": ["image -> conv1", "conv1 -> fc1", "fc1 -> logits"],
}


def test_a_convolution_shows_its_numbers_where_they_come_from_and_a_drawing(page: Page, server):
    open_drawing(page, server, "Numbers")
    choose(page, "conv1")
    formula = page.get_by_test_id("filled-formula")
    expect(formula.locator("math").first).to_contain_text("8")
    lines = ["".join((line or "").split()) for line in formula.locator("math").all_text_contents()]
    assert lines[0].endswith("+1=6")
    assert lines[1].replace("·", "⋅") == "4⋅1⋅3⋅3+4=40parameters"
    words = "a window of 3 by 3, stride 1 by 1, padding 0 by 0, dilation 1 by 1, from 8 by 8"
    drawing = page.get_by_test_id("drawing").get_by_role("img")
    assert words in (drawing.get_attribute("aria-label") or "")
    page.get_by_test_id("window-place").press("ArrowRight")
    expect(page.get_by_text("window 2", exact=True)).to_be_visible()
    page.get_by_test_id("more-settings").click()
    origin = page.get_by_test_id("origin-in_channels")
    expect(origin).to_have_text("from image: 1 channel of (N, 1, 8, 8)")
    origin.get_by_role("button").click()
    expect(page.get_by_test_id("inspector").get_by_role("heading", level=2)).to_have_text("Input")


def test_a_curve_is_drawn_for_an_activation(page: Page, server):
    open_drawing(page, server, "Curve")
    choose(page, "relu1")
    drawing = page.get_by_test_id("drawing").get_by_role("img")
    expect(drawing).to_have_attribute(
        "aria-label", "ReLU of the numbers from -4 to 4: 0 at -4, 0 at 0, 4 at 4."
    )


def test_a_fix_is_looked_at_then_made_as_one_step_and_taken_back(page: Page, server):
    path = open_drawing(page, server, "Mended", BROKEN)
    page.get_by_test_id("tab-problems").click()
    fix = page.get_by_test_id("problem-0-fix-0")
    fix.focus()
    preview = page.get_by_test_id("fix-preview")
    expect(preview).to_contain_text("flat, flatten(start_dim=1) between conv1 and fc1")
    expect(preview).to_contain_text("fc1 (N, 10)")
    expect(preview).to_contain_text("Then no errors are left.")
    expect(page.get_by_test_id("fix-ghost")).to_contain_text("flatten")
    expect(page.get_by_test_id("node-flat")).to_have_count(0)
    fix.press("Enter")
    expect(page.get_by_test_id("node-flat")).to_be_visible()
    expect(page.get_by_test_id("fix-ghost")).to_have_count(0)
    assert saved(page, path)["graph"]["edges"] == [
        "image -> conv1", "conv1 -> flat", "flat -> fc1", "fc1 -> logits",
    ]  # fmt: skip
    page.get_by_test_id("workbench").press("Control+z")
    assert saved(page, path)["graph"] == BROKEN


def test_measured_time_colours_the_blocks_and_grows_stale(page: Page, server):
    open_drawing(page, server, "Measured")
    colour_by(page, "time")
    panel = page.get_by_test_id("measure-panel")
    expect(panel).to_contain_text("One forward pass of a batch of 64, the fastest of")
    expect(page.get_by_test_id("node-conv1")).to_contain_text("s")
    expect(page.get_by_test_id("node-conv1")).to_have_attribute("data-warm", "true")
    expect(panel).not_to_have_attribute("data-stale", "true")
    choose(page, "conv1")
    page.get_by_test_id("setting-out_channels").fill("8")
    expect(panel).to_have_attribute("data-stale", "true")
    checked(page)
    page.get_by_test_id("measure").click()
    expect(panel).not_to_have_attribute("data-stale", "true")


@pytest.mark.needs("dot")
def test_a_figure_is_shown_and_downloaded_from_the_page(page: Page, server, tmp_path: Path):
    open_drawing(page, server, "Figure")
    page.get_by_role("link", name="Export", exact=True).first.click()
    image = page.locator(".st-key-export_figure img")
    expect(image).to_be_visible()
    at_rest(page)
    before = image.get_attribute("src") or ""
    page.get_by_text("to the right").click()
    expect(image).not_to_have_attribute("src", before)
    at_rest(page)  # else the button may still give what was drawn before
    with page.expect_download() as made:
        page.get_by_role("button", name="DOT").click()
    made.value.save_as(tmp_path / "figure.dot")
    text = (tmp_path / "figure.dot").read_text()
    assert "rankdir=LR" in text
    assert 'conv1 [label="conv1\\nConv2d\\n40 parameters"' in text


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_the_inspector_a_preview_and_the_measured_heat(
    page: Page, server, theme
):
    axe = axe_script()
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    open_drawing(page, server, f"Access {theme}", BROKEN)
    page.get_by_test_id("tab-problems").click()
    page.get_by_test_id("problem-0-fix-0").focus()
    expect(page.get_by_test_id("fix-preview")).to_contain_text("Then no errors are left.")
    assert ours(violations(page, axe)) == ""
    page.get_by_test_id("problem-0-fix-0").press("Enter")
    checked(page)
    colour_by(page, "time")
    expect(page.get_by_test_id("measure-panel")).to_contain_text("One forward pass")
    choose(page, "conv1")
    page.get_by_test_id("tab-block").click()
    expect(page.get_by_test_id("drawing")).to_be_visible()
    assert ours(violations(page, axe)) == ""


def ours(found: list[dict[str, Any]]) -> str:
    """What is wrong inside the canvas; Streamlit's own frame has its own test."""
    return describe([f for f in found if ">>" in f["where"] or "loom" in json.dumps(f)])
