"""What the canvas marks: the block in which a run diverged, all of a note; and that it stays."""

import json

from playwright.sync_api import Page, expect

from tests.browser.hand import Hand

MESSAGE = "In step 3 relu1 put out 4 NaN of 64 numbers."
SENTENCE = "One word after the other, until there is no more room for them on this paper. "
WATCH = """() => {
  window.taken = 0;
  const root = document.querySelector("[data-testid=stBidiComponentIsolated]").shadowRoot;
  const count = (found) => found.forEach((one) => one.removedNodes.forEach((node) => {
    if (node.className === "loom-host") window.taken += 1;
  }));
  new MutationObserver(count).observe(root, { childList: true, subtree: true });
}"""


def diverged(server, project: str, node: str) -> str:
    """A run's folder as a worker leaves it that met a number that is not finite."""
    folder = server.runs / f"{project}-001"
    folder.mkdir(parents=True)
    spec = {"project": project, "training": {"epochs": 2}, "task": "classification"}
    origin = {"node": node, "step": 3, "message": MESSAGE}
    status = {"state": "failed", "attempt": 1, "message": "The loss became NaN.", "origin": origin}
    (folder / "spec.json").write_text(json.dumps(spec))
    (folder / "status.json").write_text(json.dumps(status))
    return folder.name


def test_the_block_in_which_the_newest_run_diverged_is_a_click_away_and_marked(
    page: Page, server
) -> None:
    hand = Hand(page, server)
    hand.open("ran-away", data={"source": "digits"})
    expect(hand("fault-mark")).to_have_count(0)
    run = diverged(server, "ran-away", "relu1")
    page.goto(f"{server.address}/train?project={hand.path.name}&run={run}")
    page.get_by_role("button", name="Show relu1 on the canvas").click()
    expect(hand("node-relu1").get_by_test_id("fault-mark")).to_be_visible()
    expect(hand("node-relu1")).to_have_attribute("data-selected", "true")
    expect(hand("fault-note")).to_have_text(f"{run} diverged here. {MESSAGE}")
    hand.choose("conv1")
    expect(hand("fault-note")).to_have_count(0)
    expect(hand("fault-mark")).to_have_count(1)


def test_a_note_that_is_cut_off_shows_all_of_its_text_when_it_is_looked_at(
    page: Page, server
) -> None:
    hand = Hand(page, server)
    long = {"text": SENTENCE * 6, "at": [0, 400]}
    hand.open("long-note", notes=[long, {"text": "Short.", "at": [320, 400]}])
    whole = hand("note-1").get_by_test_id("note-whole")
    expect(whole).to_be_hidden()
    hand("note-1").hover()
    expect(whole).to_be_visible()
    inside = "e => e.scrollHeight <= e.clientHeight + 1"
    assert whole.evaluate(inside)
    expect(hand("note-2").get_by_test_id("note-whole")).to_have_count(0)


def test_the_workbench_stays_on_the_page_while_answers_overtake_each_other(
    page: Page, server
) -> None:
    hand = Hand(page, server)
    hand.open("stays")
    page.evaluate(WATCH)
    for channels in range(9, 21):
        hand.choose("conv1")
        hand.fill("setting-out_channels", str(channels))
        hand.keys("Control+s")
        expect(hand("status")).to_contain_text("saved in")
    assert page.evaluate("window.taken") == 0
