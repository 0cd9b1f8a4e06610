"""How numbers are written: decimal sign, sign between thousands, currency or unit around them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

DECIMALS = (".", ",")
LARGEST_NUMBER = 3.4028234663852886e38
"""Of 32 bits, which is what a network is given."""
THOUSANDS = ("", ",", ".", "'", "\u2019", " ", "\u00a0", "\u202f", "\u2009")
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
    "Fr.",
    "SFr.",
    "kr",
    "kr.",
    "zł",
    "Kč",
    "Ft",
    "lei",
    "R$",
    "US$",
    "₹",
    "Rs",
    "Rs.",
    "₽",
    "₺",
    "₩",
    "₫",
    "₪",
    "₴",
    "DKK",
    "NOK",
    "SEK",
    "PLN",
    "CZK",
    "HUF",
    "JPY",
    "CNY",
    "INR",
    "AUD",
    "CAD",
    "kg",
    "g",
    "mg",
    "km",
    "cm",
    "mm",
    "µm",
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
TYPESET, BRACKETS, BEHIND, FIRST = "\u2212", "()", "5-", "-$"
"""Ways to write a negative number: a typeset minus sign, an accountant's brackets, the sign behind
the number, or in front of its currency."""
DASHES = "-\u2013\u2014"
"""Signs that stand for no cents, one or two of them: 5,- or 1'234.--"""
_SYMBOL = "|".join(map(re.escape, sorted(SYMBOLS, key=len, reverse=True)))
_DRESSED = re.compile(rf"(?:({_SYMBOL})\s?)?([^\s].*?)(?:\s?({_SYMBOL}))?")


@dataclass(frozen=True)
class NumberSpelling:
    """How the numbers of one column are written. symbol: before or after each of them. minus: how
    the negative ones are, if not by a plain sign in front of the digits."""

    decimal: str = "."
    thousands: str = ""
    symbol: str = ""
    minus: str = ""

    @property
    def plain(self) -> bool:
        return self == PLAIN

    def number(self, cell: str) -> float | None:
        """The number in a cell; None for what is not one or is infinite in 32 bits."""
        text = _signed(cell, self.minus)
        if self.symbol:
            sign = "-" if self.minus and text.startswith("-") else ""
            text = text.removeprefix(sign).removeprefix(self.symbol).removesuffix(self.symbol)
            text = sign + text.strip()
        if not _pattern(self.decimal, self.thousands).fullmatch(text):
            return None
        if self.thousands:
            text = text.replace(self.thousands, "")
        found = float(text.rstrip(DASHES).replace(self.decimal, "."))
        return found if abs(found) <= LARGEST_NUMBER else None

    def dashes(self, cells: Iterable[str]) -> tuple[str, ...]:
        """The different ways to write no cents among these cells, such as ",-", longer ones
        first."""
        bare = {cell.removesuffix(self.symbol).rstrip() for cell in cells}
        ends = {
            cell[len(cell.rstrip(DASHES)) - 1 :] for cell in bare if cell.endswith(tuple(DASHES))
        }
        found = (end for end in ends if end.startswith(self.decimal))
        return tuple(sorted(found, key=lambda end: (-len(end), end)))


PLAIN = NumberSpelling()


def _signed(cell: str, minus: str) -> str:
    """A cell with a plain sign in front where its number is negative."""
    if minus == TYPESET:
        return cell.replace(TYPESET, "-", 1)
    if minus == BRACKETS and cell.startswith("(") and cell.endswith(")"):
        return f"-{cell[1:-1]}"
    return f"-{cell[:-1]}" if minus == BEHIND and cell.endswith("-") else cell


def _minus(cells: Iterable[str]) -> str:
    """How the negative numbers of a column are written, "" for plainly or where there are none."""
    for cell in cells:
        if cell.startswith("(") and cell.endswith(")"):
            return BRACKETS
        if TYPESET in cell:
            return TYPESET
        if cell[:-1].strip()[-1:].isdigit() and cell.endswith("-"):
            return BEHIND
        if cell.startswith("-") and not cell[1:2].isdigit() and _symbol([cell[1:]]):
            return FIRST
    return ""


_patterns: dict[tuple[str, str], re.Pattern[str]] = {}


def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    """Numbers with these signs, in any digits; groups of three where there is a sign between
    thousands, or as in India of two behind the first three."""
    key = decimal, thousands
    if key not in _patterns:
        d, t = re.escape(decimal), re.escape(thousands)
        groups = rf"[1-9]\d{{0,2}}(?:{t}\d{{3}})+"
        lakhs = rf"|[1-9]\d?(?:{t}\d{{2}})+{t}\d{{3}}" if thousands == "," else ""
        whole = rf"(?:\d+|{groups}{lakhs})" if thousands else r"\d+"
        number = rf"(?:{whole}(?:{d}\d*)?|{d}\d+)(?:[eE][+-]?\d+)?"
        text = rf"[+-]?(?:{number}|{whole}{d}[{DASHES}]{{1,2}})"
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
    minus = _minus(cells)
    symbol = _symbol(_signed(cell, minus).removeprefix("-" if minus else "") for cell in cells)
    total = sum(cells.values())
    shares: dict[tuple[str, str], int] = {}
    for d in DECIMALS:
        for t in THOUSANDS if thousands is None else (thousands,):
            if t != d:
                spelling = NumberSpelling(d, t, symbol, minus)
                shares[d, t] = sum(n for c, n in cells.items() if spelling.number(c) is not None)
    best = max(shares.values(), default=0)
    good = [pair for pair, share in shares.items() if share == best]
    signs = {d for d, _ in good}
    separator = decimal or ambiguous
    chosen = min(good, key=lambda pair: (pair[0] != separator, THOUSANDS.index(pair[1])))
    return Reading(
        NumberSpelling(*chosen, symbol, minus),
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
