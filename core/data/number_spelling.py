"""How numbers are written: decimal sign, sign between thousands, currency or unit around them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

DECIMALS = (".", ",")
LARGEST_NUMBER = 3.4028234663852886e38
"""Of 32 bits, which is what a network is given."""
THOUSANDS = ("", ",", ".", "'", "\u2019", " ", "\u00a0", "\u202f")
SYMBOLS = (
    "$",
    "€",
    "£",
    "¥",
    "%",
    "EUR",
    "USD",
    "CHF",
    "GBP",
    "kg",
    "g",
    "mg",
    "km",
    "cm",
    "mm",
    "m",
    "m²",
    "m2",
    "h",
    "min",
    "s",
    "ms",
    "°C",
    "°F",
    "°",
    "kWh",
    "W",
    "V",
    "MB",
    "GB",
)
"""What may stand before or after every number of a column, the same in each cell."""
_SYMBOL = "|".join(map(re.escape, sorted(SYMBOLS, key=len, reverse=True)))
_DRESSED = re.compile(rf"(?:({_SYMBOL})\s?)?([^\s].*?)(?:\s?({_SYMBOL}))?")


@dataclass(frozen=True)
class NumberSpelling:
    """How the numbers of one column are written. symbol: before or after each of them."""

    decimal: str = "."
    thousands: str = ""
    symbol: str = ""

    @property
    def plain(self) -> bool:
        return (self.decimal, self.thousands, self.symbol) == (".", "", "")

    def number(self, cell: str) -> float | None:
        """The number in a cell; None for what is not one or is infinite in 32 bits."""
        text = cell
        if self.symbol:
            text = text.removeprefix(self.symbol).removesuffix(self.symbol).strip()
        if not _pattern(self.decimal, self.thousands).fullmatch(text):
            return None
        if self.thousands:
            text = text.replace(self.thousands, "")
        found = float(text.replace(self.decimal, "."))
        return found if abs(found) <= LARGEST_NUMBER else None


PLAIN = NumberSpelling()
_patterns: dict[tuple[str, str], re.Pattern[str]] = {}


def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    """Numbers with these signs; groups of three where there is a sign between thousands."""
    key = decimal, thousands
    if key not in _patterns:
        d, t = re.escape(decimal), re.escape(thousands)
        whole = rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:{t}[0-9]{{3}})+)" if thousands else "[0-9]+"
        text = rf"[+-]?(?:{whole}(?:{d}[0-9]*)?|{d}[0-9]+)(?:[eE][+-]?[0-9]+)?"
        _patterns[key] = re.compile(text)
    return _patterns[key]


@dataclass(frozen=True)
class Reading:
    """How a column may be read. share: of its cells that are numbers so. sure: whether its own
    cells leave no other decimal sign."""

    spelling: NumberSpelling
    share: float
    sure: bool


def spell(
    cells: Mapping[str, int], decimal: str = "", thousands: str | None = None, ambiguous: str = "."
) -> Reading:
    """How the numbers of a column are written.

    cells: the different cells that hold a value, and how often each comes. decimal: the sign of
    the file, "" where nothing tells it; then `ambiguous` decides what may be read in two ways.
    thousands: the sign between thousands where somebody chose it.
    """
    symbol = _symbol(cells)
    total = sum(cells.values())
    shares: dict[tuple[str, str], int] = {}
    for d in DECIMALS:
        for t in THOUSANDS if thousands is None else (thousands,):
            if t != d:
                found = NumberSpelling(d, t, symbol)
                shares[d, t] = sum(n for c, n in cells.items() if found.number(c) is not None)
    best = max(shares.values(), default=0)
    good = [pair for pair, share in shares.items() if share == best]
    signs = {d for d, _ in good}
    wanted = decimal or ambiguous
    chosen = min(good, key=lambda pair: (pair[0] != wanted, THOUSANDS.index(pair[1])))
    return Reading(
        NumberSpelling(*chosen, symbol),
        best / total if total else 0.0,
        best > 0 and len(signs) == 1,
    )


def _symbol(cells: Iterable[str]) -> str:
    """The currency or unit that stands in every cell, "" for none."""
    found = ""
    for cell in cells:
        match = _DRESSED.fullmatch(cell)
        before, _, after = match.groups() if match else (None, "", None)
        symbol = before or after or ""
        if not symbol or (found and symbol != found):
            return ""
        found = symbol
    return found


def not_a_number(cell: str) -> str:
    """Why a cell cannot be used as a number, as the end of a sentence."""
    try:
        too_large = abs(float(cell)) > LARGEST_NUMBER
    except ValueError:
        too_large = False
    return f"beyond {LARGEST_NUMBER:.2g}, the most of 32 bits" if too_large else "not a number"
