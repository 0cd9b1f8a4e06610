"""Each verb of the canvas by hand in a real Chromium; the saved file is the expected text.

tests/golden/canvas/VERB.loom.json holds it. Undo then brings back the file as it was, byte for
byte, redo the expected text again, and undo the file as it was even after the page was loaded anew.
`--golden` writes the texts anew, to be read as a diff.
"""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import verbs_arranging, verbs_composites, verbs_editing, verbs_looking
from tests.browser.hand import Hand
from tests.browser.verbs import Verb

GOLDEN = Path(__file__).parents[1] / "golden" / "canvas"
TABLES = [verbs_editing, verbs_arranging, verbs_composites, verbs_looking]
VERBS = [verb for table in TABLES for verb in table.VERBS]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_the_file_after_a_verb_is_the_expected_text(
    verb: Verb, page: Page, server, golden: bool
) -> None:
    hand = Hand(page, server)
    hand.open(verb.name, verb.graph, **verb.parts)
    verb.steps(hand)
    text = hand.saved()
    if not verb.undos:
        assert text == hand.start
        return
    file = GOLDEN / f"{verb.name}.loom.json"
    if golden:
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text("utf-8")
    hand.undo(verb.undos)
    assert hand.saved() == hand.start
    expect(hand("toolbar-undo")).to_be_disabled()
    hand.redo(verb.undos)
    assert hand.saved() == text
    hand.reload()
    hand.undo(verb.undos)
    assert hand.saved() == hand.start
    expect(hand("toolbar-undo")).to_be_disabled()


def test_every_expected_text_belongs_to_a_verb() -> None:
    named = {f"{verb.name}.loom.json" for verb in VERBS if verb.undos}
    assert named == {file.name for file in GOLDEN.iterdir()}
