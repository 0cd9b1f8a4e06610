"""From here to there: two blocks are chosen, what lies between runs and becomes a drawing."""

from playwright.sync_api import Page, expect

from tests.browser.hand import Hand


def test_a_part_runs_and_is_opened_as_a_drawing_of_its_own(page: Page, server) -> None:
    hand = Hand(page, server)
    hand.open("run-a-part", data={"source": "digits"})
    hand.choose("conv1")
    page.locator('.react-flow__node[data-id="fc1"]').click(modifiers=["Shift"])
    hand("workbench").focus()
    hand.keys("m")
    expect(hand("menu-part")).to_have_text("Run from conv1 to fc1…")
    hand.click("menu-part")
    expect(hand("part-told")).to_contain_text("bit-identical to the whole network")
    expect(hand("part-row-relu1")).to_contain_text("ReLU")
    hand.click("part-zeros")
    expect(hand("part-dialog")).to_have_attribute("data-feed", "zeros")
    expect(hand("part-told")).not_to_contain_text("bit-identical to the whole network")
    hand.click("part-export")
    expect(page.locator('.react-flow__node[data-id="logits"]')).to_be_visible()
    expect(page.get_by_text("Saved with its weights")).to_be_visible()
    page.reload()
    expect(page.locator('.react-flow__node[data-id="conv1"]')).to_be_visible()
