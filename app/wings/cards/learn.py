"""The part of the Learn page that shows the cards."""

from app.wings.cards import card_list

PART, ORDER = "Cards", 1
show = card_list.show


def whole_page() -> bool:
    """A card does not fill the page."""
    return False
