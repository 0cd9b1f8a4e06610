"""Pictures of cards: what a card declares can be drawn, several bars beside a name too."""

import base64
import re

import pytest

from app.wings.cards.card_pictures import picture_html
from core.wings.cards.card import Card, CardPicture
from core.wings.cards.catalogue import CARDS


@pytest.mark.parametrize("card", CARDS.values(), ids=list(CARDS))
def test_each_picture_of_a_card_is_drawn_of_as_many_lists_as_it_names(card: Card) -> None:
    for picture in card.pictures:
        given = {name: [[1.0, 2.0], [3.0, 4.0]] if picture.kind in ("heat", "table") else [1.0, 2.0]
                 for name in picture.names}  # fmt: skip
        if picture.kind == "pixels":
            given = {picture.names[0]: [[[1.0, 2.0]]]}
        assert picture.words in picture_html(picture, given).replace("&#x27;", "'")


def test_further_values_are_bars_of_their_own_named_by_the_parts() -> None:
    picture = CardPicture("bars", "T", ("names", "a", "b"), "w", ("before", "clipped"))
    drawn = picture_html(picture, {"names": ["fc1"], "a": [15360.0], "b": [0.25]})
    images = re.findall(r"base64,([A-Za-z0-9+/=]+)", drawn)
    text = "".join(base64.b64decode(image).decode() for image in images)
    assert "fc1, before" in text
    assert "fc1, clipped" in text
    assert "15,360" in text
