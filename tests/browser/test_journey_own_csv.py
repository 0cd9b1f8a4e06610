"""A table of one's own, dropped on the start page: to a trained network taken home."""

import base64

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.access import checked
from tests.browser.journey import Journey, accuracy, run_of
from tests.browser.patience import PATIENCE_MS
from tests.browser.rest import at_rest, choose_format, until

DRAG = """([name, text, drop]) => {
  const transfer = new DataTransfer();
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  transfer.items.add(new File([bytes], name));
  const over = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
  for (const kind of drop ? ['dragover', 'drop'] : ['dragover'])
    over.dispatchEvent(new DragEvent(kind, {dataTransfer: transfer, bubbles: true, composed: true,
                                            cancelable: true}));
}"""
RULE = 1 / 3
"""How often who always says the commonest of three kinds is right."""


def table() -> bytes:
    """Three kinds of leaves, as a spreadsheet of another country saves them, with a number each."""
    generator = np.random.default_rng(3)
    rows = ["id;Länge;Breite;Art"]
    for number in range(180):
        length, width = generator.normal([(4, 1), (7, 2), (6, 5)][number % 3], 0.6)
        kind = ("Birke", "Buche", "Eiche")[number % 3]
        rows.append(f"{number + 1};{length:.2f};{width:.2f};{kind}".replace(".", ","))
    return "\n".join(rows).encode("cp1252")


def drag(page: Page, name: str, content: bytes, drop: bool = True) -> None:
    page.evaluate(DRAG, [name, base64.b64encode(content).decode(), drop])


def dropped_and_previewed(page: Page, server) -> Journey:
    page.goto(server.address)
    zone = page.get_by_role("group", name="Open your own data")
    expect(zone).to_be_visible()
    at_rest(page)
    overlay = page.get_by_test_id("drop-overlay").first
    drag(page, "a.csv", b"", drop=False)
    expect(overlay).to_contain_text("Drop to open")
    expect(overlay).to_be_hidden()  # what is no longer dragged over the page has left it
    drag(page, "sheet.xlsx", b"x")
    expect(overlay).to_contain_text("sheet.xlsx is a spreadsheet. Save it as CSV")
    page.keyboard.press("Escape")
    expect(overlay).to_be_hidden()
    journey = Journey("own CSV to an export")
    journey.clicks += 1
    drag(page, "Blätter.csv", table())
    page.wait_for_url("**/data**")
    found = page.get_by_text("180 rows. Art is the target: 3 classes (Birke, Buche, Eiche).")
    expect(found).to_be_visible()
    expect(page.get_by_text("Left out: id numbers the rows.")).to_be_visible()
    expect(page.get_by_role("heading", name="Columns")).to_be_visible()
    return journey


@pytest.mark.gate
def test_from_a_dropped_table_to_a_trained_network_taken_home(
    page: Page, server, tmp_path, capsys: pytest.CaptureFixture[str]
):
    journey = dropped_and_previewed(page, server)
    journey.click(page.get_by_role("button", name="Make a network for this data"))
    page.wait_for_url("**/build**")
    checked(page, PATIENCE_MS)
    expect(page.get_by_test_id("node-fc3")).to_have_attribute("data-state", "ok")
    journey.mark("drawn")
    journey.click(page.get_by_test_id("toolbar-train"))
    page.wait_for_url("**/train**")
    expect(page.get_by_test_id("curve-loss")).to_be_visible()
    run = run_of(page, server.runs)
    until(page, (run / "final.json").exists, "the run does not end")
    journey.mark("trained")
    assert accuracy(run, "status.json") > RULE + 0.3
    at_rest(page)
    journey.click(page.get_by_role("link", name="Export", exact=True).first)
    choose_format(page, "Weights")
    card = page.locator(".st-key-export_card_safetensors")
    expect(card).to_be_visible()
    at_rest(page)
    journey.click(card.get_by_role("button", name="Export", exact=True))
    button = card.get_by_role("button", name="Download")
    expect(button).to_be_visible()
    at_rest(page)
    with page.expect_download() as download:
        journey.click(button)
    download.value.save_as(tmp_path / "leaves.safetensors")
    assert (tmp_path / "leaves.safetensors").stat().st_size > 500
    journey.end(capsys)


def test_a_table_is_dropped_on_the_canvas_and_undone_there(page: Page, server):
    """In a project with a network: its data changes, and undo brings the network back."""
    page.goto(server.address)
    page.locator(".st-key-templates_0").get_by_role("button", name="LeNet on digits").click()
    checked(page, PATIENCE_MS)
    drag(page, "leaves.csv", table())
    page.wait_for_url("**/data**")
    page.get_by_role("button", name="Make a network for this data").click()
    page.wait_for_url("**/build**")
    checked(page, PATIENCE_MS)
    expect(page.get_by_test_id("node-features")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.get_by_test_id("node-conv1")).to_be_visible()
