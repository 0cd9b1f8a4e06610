"""What a bad connection does next: cards from shuffled decks, so that each trick has its turn."""

import random
from collections import Counter
from collections.abc import Collection

LATE_S = 0.6
DECKS = {
    "channel up": {"pass": 14, "late": 4, "twice": 3, "drop": 1, "reorder": 1},
    "channel down": {"pass": 18, "late": 3, "drop": 1, "reorder": 1},
    "page up": {"pass": 11, "late": 3, "twice": 2, "drop": 1},
    "page down": {"pass": 8, "late": 2, "twice": 2, "drop": 1, "reorder": 2},
}
"""By way and direction: `channel` is the canvas's own route, `page` Streamlit's websocket."""

TRICKS = {f"{way} {trick}" for way, deck in DECKS.items() for trick in deck}


class Mischief:
    """How often what happens. `calm` lets everything pass."""

    def __init__(self, seed: int) -> None:
        self.calm = True
        self.played: Counter[str] = Counter()
        self._rng = random.Random(seed)
        self._decks: dict[str, list[str]] = {way: [] for way in DECKS}

    def deal(self, way: str, but: Collection[str] = ()) -> str:
        """The next trick; those that cannot be played now (`but`) stay in the deck."""
        if self.calm:
            return "pass"
        deck = self._decks[way]
        if not set(deck) - set(but):
            fresh = [trick for trick, count in DECKS[way].items() for _ in range(count)]
            deck += self._rng.sample(fresh, len(fresh))
        trick = next(card for card in deck if card not in but)
        deck.remove(trick)
        self.played[f"{way} {trick}"] += 1
        return trick

    def late_s(self) -> float:
        return self._rng.uniform(0.05, LATE_S)
