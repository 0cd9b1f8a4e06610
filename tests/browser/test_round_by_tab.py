"""Tab goes through all of Build and comes around: no place keeps the keyboard (WCAG 2.1.2)."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hand import Hand

NOW = """() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  if (!at || at === document.body) return null;
  const {outlineStyle, outlineWidth, boxShadow} = getComputedStyle(at);
  const marked = getComputedStyle(at, '::after').backgroundColor;  // of the splitter: its line
  const wire = at.querySelector('.react-flow__edge-path');
  const last = window.lastStop, first = window.firstStop ??= at;
  window.lastStop = at;
  const name = at.dataset.testid ?? (at.id || at.innerText || at.className);
  return {
    name: (name ?? at.tagName).trim(), stays: at === last, around: at === first,
    shown: (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
      || marked !== 'rgba(0, 0, 0, 0)'
      || (wire !== null && getComputedStyle(wire).strokeWidth !== '1.5px'),
  };
}"""
MOST = 150
"""Presses that must bring it around: three times what there is to stop at."""
PLACES = (
    "toolbar-arrange", "toolbar-costs", "toolbar-share", "toolbar-train", "palette-search",
    "suggested-Linear", "family-Activations", "palette-all", "rf__node-image", "rf__node-conv1",
    "rf__node-logits",
    "tab-block", "side-panel",
)  # fmt: skip


def round_by(page: Page, key: str) -> list[str]:
    """Press a key until the keyboard comes back to where it began; where it stopped on the way."""
    first = page.evaluate(NOW)
    stops: list[str] = [first["name"]]
    hidden: list[str] = []
    for _ in range(MOST):
        page.keyboard.press(key)
        now = page.evaluate(NOW)
        if now is None:  # the browser's own controls stand between the end and the beginning
            continue
        if now["around"]:
            assert hidden == [], "these have the focus without showing it"
            return stops
        assert not now["stays"], f"{key} stays at {now['name']}"
        stops.append(now["name"])
        if not now["shown"]:
            hidden.append(now["name"])
    raise AssertionError(f"{key} does not come around: {stops[-12:]}")


@pytest.mark.parametrize("key", ["Tab", "Shift+Tab"])
@pytest.mark.parametrize("chosen", ["", "conv1"], ids=["nothing selected", "a block selected"])
def test_every_part_of_build_is_reached_and_left(page: Page, server, key: str, chosen: str) -> None:
    hand = Hand(page, server)
    hand.open(f"round-{key[:5]}-{chosen or 'none'}")
    if chosen:
        hand.choose(chosen)
        expect(hand("inspector")).to_be_visible()
    hand("toolbar-arrange").focus()
    stops = round_by(page, key)
    wanted = [*PLACES, *(["setting-out_channels", "more-settings"] if chosen else [])]
    assert [place for place in wanted if place not in stops] == []
