"""What the canvas sends to this wing: a block, to see which cards suit it."""

from collections.abc import Mapping
from typing import Any

from app.pages.shared import state
from app.wings.cards import card_list, card_view
from app.wings.cards.learn import PART

LONGEST = 200
"""Letters of a block's path that are kept."""


def show(args: Mapping[str, Any]) -> None:
    """Go to the cards that suit a block."""
    state.keep("learn:part", PART)
    state.keep(card_view.CHOSEN, None)
    state.keep(card_view.BLOCK, str(args.get("block", ""))[:LONGEST])
    state.keep(card_list.ABOUT, state.value(card_view.BLOCK))
    state.go("learn")


ACTIONS = {"cards": show}
