"""The data card as a worker process makes it for a page. Imports nothing heavy until it runs."""

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.wings.findings.card import DataCard


def card_of(text: str, seed: int) -> "DataCard":
    """The card of data settings given as JSON. Raises DataError."""
    from core.wings.findings.card import data_card

    return data_card(json.loads(text), seed)
