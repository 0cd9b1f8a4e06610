"""A bundle made in one workspace and opened in another, in a real Chromium."""

import json
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Server, workbench
from tests.browser.rest import at_rest
from tests.browser.states import go

SHORT = {"epochs": 3, "threads": 1}


def begin(server: Server) -> str:
    """A project of the first workspace, and its address there."""
    text = Path("projects/mlp_iris.loom.json").read_text("utf-8")
    project = json.loads(text)
    project |= {"name": "Ours", "training": {**project["training"], **SHORT}}
    (server.workspace / "ours.loom.json").write_text(json.dumps(project), "utf-8")
    return f"{server.address}/build?project=ours.loom.json"


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def downloaded(page: Page, pressed: Locator) -> bytes:
    with page.expect_download() as download:
        pressed.click()
    return Path(download.value.path()).read_bytes()


def curves(page: Page, server: Server, run: str) -> list[object]:
    """The records that the curves of a run are drawn from, without the number of the attempt."""
    with page.expect_response(lambda answer: f"/runs/{run}" in answer.url and answer.ok) as answer:
        page.reload()
    records = answer.value.json()["records"]
    assert [record["kind"] for record in records]
    return records


def weights(page: Page) -> bytes:
    go(page, "Export")
    card = page.locator(".st-key-export_card_safetensors")
    card.get_by_role("button", name="Make it").click()
    made = card.get_by_role("button", name="Download")
    made.wait_for()
    return downloaded(page, made)


def trained(page: Page, server: Server) -> list[object]:
    """Train the project; the curves of its run."""
    page.goto(begin(server))
    go(page, "Train")
    expect(button(page, "Train")).to_be_enabled()
    button(page, "Train").click()
    expect(page.get_by_test_id("run-state")).to_have_text("Finished")
    return curves(page, server, "ours-001")


def shared(page: Page) -> bytes:
    """The bundle of the project and its run."""
    button(page, "Share").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("ours-001")
    dialog.get_by_role("button", name="Create file").click()
    made = dialog.get_by_role("button", name="Download")
    made.wait_for()
    content = downloaded(page, made)
    page.keyboard.press("Escape")
    return content


def opened(page: Page, server: Server, bundle: bytes) -> None:
    """Open the bundle and show its run."""
    page.goto(server.address)
    file = {"name": "ours.loom.zip", "mimeType": "application/zip", "buffer": bundle}
    chosen = page.get_by_test_id("choose-files").first
    chosen.set_input_files([file])  # pyright: ignore[reportArgumentType]
    notice = page.locator(".st-key-bundle_notice")
    expect(notice).to_contain_text("This project was imported from ours.loom.zip, with 1 run.")
    go(page, "Train")
    runs = page.locator(".st-key-run_list")
    runs.get_by_role("button", name="ours-001").click()
    expect(runs).to_contain_text("Shared")
    expect(page.get_by_test_id("run-state")).to_have_text("Finished")
    expect(page.locator(".st-key-brought")).to_contain_text("Imported from ours.loom.zip")
    expect(button(page, "Resume")).to_have_count(0)


def test_what_is_shared_opens_elsewhere_with_its_curves_and_weights_and_trains_on(
    page: Page, server: Server, tmp_path: Path
):
    ours, bundle = trained(page, server), shared(page)
    our_weights = weights(page)
    with workbench(tmp_path / "theirs") as theirs:
        opened(page, theirs, bundle)
        assert curves(page, theirs, "ours-001") == ours
        assert weights(page) == our_weights
        go(page, "Train")
        button(page, "Start from its weights").click()
        expect(page.get_by_role("combobox", name="Start from")).to_have_value("run ours-001")
        at_rest(page)
        button(page, "Train").click()
        lineage = page.get_by_text("Starts with the best weights of ours-001")
        expect(lineage.first).to_be_visible()
        expect(page.get_by_test_id("run-state")).to_have_text("Finished")
