"""The first five minutes, in a real Chromium: draw, break, repair, train, look, take home."""

import re
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Page, expect

from tests.browser.access import checked
from tests.browser.patience import PATIENCE_MS
from tests.browser.rest import at_rest, choose_format, until

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*torch.jit.load:FutureWarning"),
]


def wire(page: Page, source: str, target: str) -> None:
    """Draw a wire from an output to an input, as the mouse does."""
    page.get_by_test_id(f"port-{source}-out-output").hover()
    page.mouse.down()
    page.get_by_test_id(f"port-{target}-in-input").hover()
    page.get_by_test_id(f"port-{target}-in-input").hover()
    page.mouse.up()


def open_lenet(page: Page, address: str) -> None:
    page.goto(address)
    first_chapter = page.locator(".st-key-templates_0")
    first_chapter.get_by_role("button", name="LeNet on digits", exact=True).click()
    checked(page, PATIENCE_MS)  # the first answer waits for the import of torch


def drop_a_block_and_wire_it(page: Page) -> None:
    page.get_by_test_id("palette-search").fill("Dropout")
    canvas = page.get_by_test_id("canvas")
    box = canvas.bounding_box()
    assert box is not None
    place = {"x": box["width"] - 260, "y": box["height"] - 230}
    page.get_by_test_id("palette-Dropout").drag_to(canvas, target_position=place)
    expect(page.get_by_test_id("node-drop1")).to_be_visible()
    wire(page, "tanh4", "drop1")
    wire(page, "drop1", "fc3")
    checked(page)
    expect(page.get_by_test_id("node-drop1")).to_have_attribute("data-state", "ok")


def break_a_shape_and_press_the_fix(page: Page) -> None:
    page.get_by_test_id("node-pool2").click()
    field = page.get_by_test_id("setting-kernel_size")
    field.fill("20")
    field.press("Enter")
    node = page.get_by_test_id("node-pool2")
    expect(node).to_have_attribute("data-state", "error")
    popover = page.get_by_test_id("popover-pool2")
    expect(popover).to_contain_text("pool2 has a 20x20 kernel but receives a 10x10 image")
    popover.get_by_test_id("fix-pool2-0").click()
    expect(node).to_have_attribute("data-state", "ok")
    checked(page)


def points(page: Page) -> int:
    return int(page.get_by_test_id("curve-loss").get_attribute("data-points") or 0)


def train_and_watch_the_curve(page: Page) -> None:
    page.get_by_test_id("toolbar-train").click()
    page.wait_for_url("**/train**")
    expect(page.get_by_test_id("curve-loss")).to_be_visible()
    until(page, lambda: points(page) > 0, "the curve stays empty")


def reload_and_find_all_there(page: Page) -> None:
    run = re.search(r"run=([\w-]+)", page.url)
    assert run is not None
    page.reload()
    expect(page.get_by_test_id("curve-loss")).to_be_visible()
    assert run.group() in page.url
    expect(page.get_by_test_id("run-state")).to_have_text("Finished")
    page.get_by_role("link", name="Build", exact=True).click()
    page.wait_for_url("**/build?*project=*")
    page.reload()
    checked(page)
    expect(page.get_by_test_id("node-drop1")).to_be_visible()


def open_feature_maps(page: Page) -> None:
    page.get_by_role("link", name="Look inside", exact=True).click()
    strip = page.locator(".st-key-inside_strip")
    expect(strip.get_by_text("conv1").first).to_be_visible()
    expect(page.locator(".st-key-inside_large img").first).to_be_visible()


def export(page: Page, folder: Path) -> None:
    page.get_by_role("link", name="Export", exact=True).first.click()
    choose_format(page, "TorchScript, scripted")
    card = page.locator(".st-key-export_card_torchscript_script")
    expect(card).to_be_visible()
    at_rest(page)
    card.get_by_role("button", name="Export").click()
    expect(card).to_contain_text(re.compile("exactly the network|difference"))
    at_rest(page)
    with page.expect_download() as download:
        card.get_by_role("button", name="Download").click()
    file = folder / "lenet.pt"
    download.value.save_as(file)
    module = torch.jit.load(str(file))
    assert module(torch.zeros(2, 1, 28, 28)).shape == (2, 10)


@pytest.mark.gate
def test_from_a_template_to_a_trained_network_taken_home(page: Page, server, tmp_path):
    open_lenet(page, server.address)
    drop_a_block_and_wire_it(page)
    break_a_shape_and_press_the_fix(page)
    train_and_watch_the_curve(page)
    reload_and_find_all_there(page)
    open_feature_maps(page)
    export(page, tmp_path)
