"""The Import page in a real Chromium: search, import, verdicts, open on the canvas."""

import re
from pathlib import Path
from typing import Any, Literal, get_args

import pytest
from playwright.sync_api import Page, expect

from core.export.run import export
from core.project import open_project, templates
from tests.browser import access, conftest
from tests.browser.access import empty_streamlit
from tests.browser.rest import at_rest, choose_from

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = get_args(Theme)
HELD = (str(Path(__file__).parents[1] / "wings" / "importing" / "held_comparisons.py"),)
"""`layerloom` whose comparisons wait for files."""
VERDICTS = ("the sample", "another batch", "another image size", "one training step")


def to_import(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Import a model").click()
    heading = page.get_by_role("heading", name="Import a model you already have")
    expect(heading).to_be_visible()
    at_rest(page)


def search(page: Page, name: str) -> None:
    choose_from(page, re.compile("Search 121 models"), re.compile(f"^{name} "), typed=name)


def smaller(page: Page) -> None:
    """Have a model imported for small images, which is sooner compared."""
    side = page.get_by_role("spinbutton", name="Side of the image")
    at_rest(page)
    side.fill("64")
    side.press("Enter")
    at_rest(page)


def verdict(page: Page, name: str):
    return page.get_by_role("row").filter(has=page.get_by_role("cell", name=name, exact=True))


def test_resnet18_is_searched_imported_judged_and_opened_on_the_canvas(page: Page, server):
    to_import(page, server.address)
    search(page, "resnet18")
    expect(page.get_by_text("11,689,512")).to_be_visible()
    smaller(page)
    page.get_by_role("button", name="Import resnet18").click()
    opens = page.get_by_role("button", name="Open on the canvas")
    expect(opens).to_be_visible()
    for name in VERDICTS:
        expect(verdict(page, name)).to_contain_text("equal")
    opens.click()
    page.wait_for_url("**/build?*project=resnet18.loom.json*")
    for node in ("conv1", "layer1", "layer4", "fc"):
        expect(page.get_by_test_id(f"node-{node}")).to_be_visible()
    expect(page.get_by_test_id("palette-BasicBlock")).to_be_attached()
    page.get_by_role("tab", name="Source").click()
    expect(page.get_by_text("class BasicBlock(nn.Module):")).to_be_visible()
    weights = server.workspace / "resnet18.safetensors"
    assert weights.stat().st_size > 4 * 11_689_512


def test_layers_that_forward_does_not_use_are_kept_and_marked(page: Page, server):
    to_import(page, server.address)
    search(page, "googlenet")
    smaller(page)
    form = page.get_by_role("tabpanel", name="torchvision")
    form.get_by_text("Further options").click()
    at_rest(page)  # what is drawn anew moves from under the hand
    form.get_by_text("Keep layers that forward does not use").click()
    keeps = form.get_by_role("checkbox", name="Keep layers that forward does not use")
    expect(keeps).to_be_checked()
    at_rest(page)
    page.get_by_role("button", name="Import googlenet").click()
    opens = page.get_by_role("button", name="Open on the canvas")
    expect(opens).to_be_visible()
    expect(page.get_by_text("13,004,888")).to_be_visible()
    opens.click()
    page.wait_for_url("**/build?*")
    head = page.get_by_test_id("node-aux1")
    expect(head).to_have_attribute("data-state", "unused")
    expect(head).to_contain_text("not used by forward")
    page.get_by_role("tab", name="Source").click()
    comment = page.get_by_text("# kept for its weights: forward does not call it")
    expect(comment.first).to_be_attached()


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder whose files let verdicts be reached, by a workbench of its own."""
    folder = tmp_path / "held"
    folder.mkdir()
    monkeypatch.setenv("LAYERLOOM_TEST_HELD", str(folder))
    return folder


def test_a_model_is_open_while_it_is_compared_and_the_line_over_it_says_how_that_ends(
    page: Page, held: Path, tmp_path: Path
):
    folder = held
    with conftest.workbench(tmp_path / "home", program=HELD) as server:
        to_import(page, server.address)
        search(page, "squeezenet1_1")
        smaller(page)
        page.get_by_role("button", name="Import squeezenet1_1").click()
        opens = page.get_by_role("button", name="Open on the canvas")
        expect(opens).to_be_visible()
        expect(verdict(page, VERDICTS[0])).to_contain_text("comparing")
        opens.click()
        expect(page.get_by_test_id("node-features")).to_be_visible()
        line = page.get_by_role("status").filter(has_text="original")
        expect(line).to_contain_text("0 of 4 equal so far")
        page.get_by_test_id("node-features").click(position={"x": 40, "y": 14})
        for name in VERDICTS[:3]:
            (folder / name).touch()
        expect(line).to_contain_text("3 of 4 equal so far")
        (folder / "part").write_text("gradients differ by up to 1.0e-03")
        (folder / "part").rename(folder / VERDICTS[3])
        expect(line).to_contain_text("it differs from the original on one training step")
        page.get_by_role("button", name="Show all comparisons").click()
        expect(verdict(page, VERDICTS[3])).to_contain_text("differs")
        expect(page.get_by_test_id("node-features")).to_have_attribute("data-selected", "true")
        page.keyboard.press("Escape")
        page.get_by_role("link", name="Import").click()
        expect(verdict(page, VERDICTS[2])).to_contain_text("equal")
        expect(page.get_by_role("alert")).to_contain_text("gradients differ by up to")


def test_an_onnx_file_is_chosen_and_imported_and_a_bad_one_is_one_sentence(
    page: Page, server, tmp_path
):
    out = tmp_path / "lenet.onnx"
    export(templates.load_template("mlp_iris"), "onnx", out)
    bad = tmp_path / "bad.onnx"
    bad.write_bytes(b"no network")
    to_import(page, server.address)
    for path in (bad, out):
        page.get_by_role("tab", name="ONNX file").click()
        page.locator("input[type=file]").set_input_files(path)
        page.get_by_role("button", name="Import the file").click()
        if path is bad:
            expect(page.get_by_role("alert")).to_contain_text("bad.onnx is not an ONNX file.")
            page.get_by_role("button", name="Import another model").click()
            expect(page.get_by_role("tab", name="ONNX file")).to_be_visible()
            at_rest(page)
    page.get_by_role("button", name="Open on the canvas").click()
    page.wait_for_url("**/build?*")
    expect(page.get_by_test_id("node-fc1")).to_be_visible()
    assert open_project(server.workspace / "MLPOnIris.loom.json").name == "MLPOnIris"


def test_an_import_is_cancelled(page: Page, server):
    to_import(page, server.address)
    search(page, "convnext_large")
    page.get_by_role("button", name="Import convnext_large").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The import of convnext_large was cancelled.")).to_be_visible()


def test_a_module_of_one_s_own_is_a_command_and_never_run_here(page: Page, server):
    to_import(page, server.address)
    page.get_by_role("tab", name="Your own module").click()
    command = "layerloom import python:package.module:expression -o my_model.loom.json"
    expect(page.get_by_text(command)).to_be_visible()
    expect(page.get_by_role("button", name="Import", exact=False)).to_have_count(0)


def test_axe_finds_nothing_on_the_page(page: Page, server, tmp_path_factory):
    axe = access.axe_script()

    def looked_at() -> dict[tuple[str, str, str], dict[str, Any]]:
        """What is wrong in each scheme, by scheme, rule and place."""
        both: dict[tuple[str, str, str], dict[str, Any]] = {}
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            at_rest(page)
            both |= {(theme, v["rule"], v["where"]): v for v in access.violations(page, axe)}
        return both

    servers = empty_streamlit(tmp_path_factory.mktemp("empty"))
    page.goto(next(servers))
    expect(page.get_by_role("heading", name="Empty")).to_be_visible()
    known = looked_at()
    servers.close()
    to_import(page, server.address)
    search(page, "squeezenet1_1")
    expect(page.get_by_role("button", name="Import squeezenet1_1")).to_be_visible()
    found = looked_at()
    smaller(page)
    page.get_by_role("button", name="Import squeezenet1_1").click()
    expect(page.get_by_role("button", name="Open on the canvas")).to_be_visible()
    expect(verdict(page, VERDICTS[-1])).to_contain_text("equal")
    found |= looked_at()
    new = [each for key, each in found.items() if key not in known]
    assert new == [], access.describe(new)
