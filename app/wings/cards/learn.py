"""The part of the Learn page that shows the cards."""

from app.wings.cards import card_list

PART = "Cards"
show = card_list.show
