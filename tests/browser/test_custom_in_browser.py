"""Blocks in Python in a real Chromium: written, trusted, wired, changed, undone, carried over."""

from playwright.sync_api import Page, expect

from tests.browser.access import press
from tests.browser.conftest import ROOT
from tests.browser.customs import GATE, GATED, area, button, code, gate, write
from tests.browser.drawings import CHAIN, checked, saved
from tests.browser.hand import SECOND, Hand
from tests.browser.rest import at_rest, choose_format
from tests.browser.states import go

SOFT = """class Soft(nn.Module):
    def __init__(self, slope: float = 1.0) -> None:
        super().__init__()
        self.slope = nn.Parameter(torch.tensor(slope))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.sigmoid(self.slope * x)"""


WRONG = "class Gate(nn.Module):\n    def forward(self, x: int) -> Tensor:\n        return x"


def new_block(hand: Hand) -> None:
    """Find the entry that begins a block of one's own."""
    hand.fill("palette-search", "custom")
    hand.click("custom-new")


def add_soft(hand: Hand, text: str = SOFT) -> None:
    new_block(hand)
    write(hand, text)
    expect(hand.page.get_by_text("slope = 1.0")).to_be_visible()
    button(hand, "Add to project").click()
    expect(hand("palette-Soft")).to_be_visible()


def test_a_stranger_s_code_waits_until_it_was_read_and_trusted(page: Page, server):
    hand, ran = Hand(page, server), server.workspace / "gate-ran"
    text = GATE.replace("# {which}", f'open("{ran.as_posix()}", "w").close()')
    hand.open("strange", GATED, composites={"Gate": {"python": text.split("\n")}})
    expect(hand("node-gate1")).to_have_attribute("data-state", "error")
    expect(hand("node-logits")).to_contain_text("waiting for input")
    expect(
        page.get_by_text("contains Python code that you have not trusted yet").first
    ).to_be_visible()
    hand.choose("gate1")
    hand("popover-gate1").get_by_role("button", name="Read the code").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("It came with the project strange, from strange.loom.json.")
    expect(dialog).to_contain_text(
        "the code runs as you, on this computer, with all your permissions"
    )
    expect(dialog).to_contain_text("self.fc = nn.Linear(channels, channels)")
    assert not ran.exists()
    button(hand, "I have read Gate: trust this code").click()
    expect(hand("node-gate1")).to_contain_text("(N, 8, 4, 4)")
    expect(hand("total-params")).to_have_text("72")
    expect(page.get_by_role("button", name="Read the code")).to_have_count(0)
    assert ran.exists()


def test_a_block_is_written_used_set_undone_and_still_there_after_a_reload(page: Page, server):
    hand = Hand(page, server)
    hand.open("written")
    add_soft(hand)
    hand.choose("relu1")
    hand.click("palette-Soft")
    checked(page)
    expect(hand("node-soft1")).to_contain_text("1 param")
    hand.fill("setting-slope", "0.5")
    file = saved(page, hand.path)
    assert file["graph"]["nodes"]["soft1"] == {"block": "Soft", "settings": {"slope": 0.5}}
    assert file["composites"] == {"Soft": {"python": SOFT.split("\n")}}
    assert "relu1 -> soft1" in file["graph"]["edges"]
    hand.reload()
    expect(hand("node-soft1")).to_contain_text("1 param")
    hand("workbench").focus()
    hand.keys("Control+z", "Control+z", "Control+z")
    expect(hand("palette-Soft")).to_have_count(0)
    hand.keys("Control+y")
    expect(hand("palette-Soft")).to_be_visible()


def test_its_code_changes_its_name_and_ports_and_every_use_follows(page: Page, server):
    hand = Hand(page, server)
    hand.open("changed")
    add_soft(hand, SOFT + "  # changed")
    hand.choose("relu1")
    hand.click("palette-Soft")
    hand("node-soft1").dblclick(position=SECOND)
    expect(area(hand)).to_contain_text("# changed")
    assert code(hand) == SOFT + "  # changed"
    write(
        hand,
        SOFT.replace("Soft", "Swish").replace("x: Tensor", "image: Tensor").replace("x", "image"),
    )
    button(hand, "Save changes").click()
    expect(hand("palette-Swish")).to_be_visible()
    expect(hand("node-soft1")).to_contain_text("Swish")
    file = saved(page, hand.path)
    assert file["graph"]["nodes"]["soft1"] == {"block": "Swish"}
    assert "relu1 -> soft1" in file["graph"]["edges"]
    assert list(file["composites"]) == ["Swish"]
    hand.choose("soft1")
    hand.keys("Delete")
    page.get_by_role("button", name="Delete Swish", exact=True).click()
    assert not saved(page, hand.path).get("composites")


def test_what_is_wrong_with_the_code_is_shown_by_line_and_nothing_is_added(page: Page, server):
    hand = Hand(page, server)
    hand.open("wrong")
    hand.fill("palette-search", "xyzzy")
    new_block(hand)
    write(hand, WRONG)
    alert = page.get_by_role("dialog").get_by_role("alert")
    expect(page.locator(".cm-lint-marker-error")).to_have_count(1)
    expect(alert).to_contain_text(
        "Line 2 declares x: int in forward; arguments of forward must be Tensors."
    )
    button(hand, "Add to project").click()
    expect(alert).to_be_visible()
    hand.keys("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(hand("palette-own")).to_have_count(0)
    new_block(hand)
    expect(area(hand)).to_contain_text("x: int")
    assert code(hand) == WRONG


def test_what_its_forward_raises_is_an_error_on_the_block_with_its_line(page: Page, server):
    hand = Hand(page, server)
    hand.open("raising")
    add_soft(hand, SOFT.replace("self.slope * x", "self.slope @ x"))
    hand.choose("relu1")
    hand.click("palette-Soft")
    checked(page)
    expect(hand("node-soft1")).to_have_attribute("data-state", "error")
    hand.choose("soft1")
    expect(hand("popover-soft1")).to_contain_text("line 7")


def test_a_copied_block_brings_its_code_into_another_project(page: Page, server):
    hand = Hand(page, server)
    hand.open("giving")
    add_soft(hand, SOFT + "  # given")
    hand.choose("conv1")
    hand.click("palette-Soft")
    hand.choose("soft1")
    page.get_by_test_id("workbench").press("Control+c")
    hand.open("taking", CHAIN)
    page.get_by_test_id("workbench").press("Control+v")
    file = saved(page, hand.path)
    assert file["composites"]["Soft"]["python"] == (SOFT + "  # given").split("\n")
    assert file["graph"]["nodes"]["soft1"] == {"block": "Soft"}


def test_a_block_is_written_and_added_without_a_mouse(page: Page, server):
    hand = Hand(page, server)
    hand.open("keys")
    hand("workbench").focus()
    press(page, "/")
    page.keyboard.type("python")
    press(page, "Enter")
    expect(area(hand)).to_be_visible()
    area(hand).focus()
    press(page, "Control+a")
    page.keyboard.insert_text(SOFT + "  # by keys")
    press(page, "Escape")
    press(page, "Tab")
    expect(area(hand)).not_to_be_focused()
    button(hand, "Add to project").focus()
    press(page, "Enter")
    hand.fill("palette-search", "")
    expect(hand("palette-Soft")).to_be_visible()


def test_groups_take_custom_blocks_along(page: Page, server):
    hand = Hand(page, server)
    hand.open("grouped", GATED, **gate("grouped"))
    page.get_by_role("button", name="Read the code").first.click()
    button(hand, "I have read Gate").click()
    expect(hand("total-params")).to_have_text("72")
    hand.group("Stage", "gate1")
    checked(page)
    expect(hand("total-params")).to_have_text("72")
    file = saved(page, hand.path)
    assert file["composites"]["Stage"]["nodes"]["gate1"]["block"] == "Gate"
    assert list(file["composites"]["Gate"]) == ["python"]


def test_once_trusted_it_trains_is_looked_into_and_exported(page: Page, server):
    hand = Hand(page, server)
    text = (ROOT / "tests" / "files" / "v1" / "python.loom.json").read_text("utf-8")
    path = server.workspace / "whole.loom.json"
    path.write_text(text.replace("Gated digits", "The whole line"), encoding="utf-8")
    page.goto(f"{server.address}/build?project={path.name}")
    page.get_by_role("button", name="Read the code").first.click()
    button(hand, "I have read Gate").click()
    button(hand, "I have read Halves").click()
    expect(hand("total-params")).to_have_text("2,762")
    hand.click("toolbar-train")
    expect(page.get_by_test_id("run-state")).to_have_text("Finished")
    go(page, "Look inside")
    page.locator(".st-key-inside_large img").first.wait_for()
    at_rest(page)
    page.get_by_role("radio", name="Summary").click()
    expect(page.locator(".ll-table").first).to_contain_text("gate1")
    go(page, "Export")
    choose_format(page, "TorchScript, scripted")
    card = page.locator(".st-key-export_card_torchscript_script")
    card.get_by_role("button", name="Export").click()
    card.get_by_role("button", name="Download").wait_for()
