"""The search space: `KEY=LOW..HIGH`, `KEY=LOW..HIGH:log`, `KEY=LOW..HIGH:STEP`, `KEY=A,B,C`."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.common.errors import SweepError
from core.settings.literal import literal, text_of

DIGITS = 5  # significant, of a number that is drawn: as many as anybody would write
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
"""Settings that are thought of in powers of ten."""
HINT = "Write KEY=LOW..HIGH, KEY=LOW..HIGH:log, KEY=LOW..HIGH:STEP or KEY=A,B,C."


@dataclass(frozen=True)
class Tie:
    """What a setting exists beside: values of another key that is searched too."""

    key: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Range:
    """Numbers from low to high, both included. step 0: any between. whole: integers only."""

    key: str
    low: float
    high: float
    log: bool = False
    step: float = 0.0
    whole: bool = False
    tie: Tie | None = None

    @property
    def ends(self) -> tuple[Any, ...]:
        """The smallest and the largest value."""
        return (round(self.low), round(self.high)) if self.whole else (self.low, self.high)

    @property
    def count(self) -> float:
        """How many values there are; infinity where they lie close."""
        step = self.step or (1.0 if self.whole else 0.0)
        return math.floor((self.high - self.low) / step + 1e-9) + 1 if step else math.inf

    def values(self) -> list[Any]:
        """Every value, where they can be counted."""
        step = self.step or 1.0
        return [self.tidy(self.low + step * i) for i in range(int(self.count))]

    def tidy(self, value: float) -> Any:
        """A number as it is set, short enough to be written again by hand."""
        if self.whole:
            return round(value)
        return min(max(float(f"{value:.{DIGITS}g}"), float(self.low)), float(self.high))

    def __str__(self) -> str:
        more = ":log" if self.log else f":{self.step:g}" if self.step else ""
        return f"{self.key}={self.low:g}..{self.high:g}{more}"


@dataclass(frozen=True)
class Choices:
    """One of several values."""

    key: str
    options: tuple[Any, ...]
    tie: Tie | None = None

    @property
    def ends(self) -> tuple[Any, ...]:
        """All of them: each is checked."""
        return self.options

    @property
    def count(self) -> float:
        """How many there are."""
        return len(self.options)

    def values(self) -> list[Any]:
        """All of them."""
        return list(self.options)

    def __str__(self) -> str:
        return f"{self.key}={','.join(text_of(value) for value in self.options)}"


Searched = Range | Choices


def read(pair: str) -> Searched:
    """Read `KEY=...`. Raises SweepError naming key and text, and what is expected."""
    key, equals, text = (part.strip() for part in pair.partition("="))
    if not equals or not key or not text:
        raise SweepError(key, f"--search needs KEY and values but receives {pair}.", HINT)
    key = key.removeprefix("training.")
    if ".." in text:
        return _range(key, text)
    options = tuple(literal(part) for part in _split_values(text))
    if len(options) < 2:
        hint = f"Write {key}=A,B or {key}=LOW..HIGH, or fix it with --set {key}={text}."
        raise SweepError(key, f"{key}={text} is one value, so there is nothing to search.", hint)
    written = [text_of(option) for option in options]
    if twice := [each for i, each in enumerate(written) if each in written[:i]]:
        raise SweepError(key, f"{key}={text} has {twice[0]} twice.", "List each value once.")
    return Choices(key, options)


def _split_values(text: str) -> list[str]:
    """The values between commas, those in brackets or quotation marks left whole."""
    parts = re.findall(r'(?:\[[^\]]*\]|"[^"]*"|[^,\[\]"])+', text)
    return [part.strip() for part in parts if part.strip()]


def _range(key: str, text: str) -> Range:
    span, _, modifier = text.partition(":")
    low, _, high = (part.strip() for part in span.partition(".."))
    modifier = modifier.strip()
    for part in (low, high, *([modifier] if modifier and modifier != "log" else [])):
        if not NUMBER.fullmatch(part) or not math.isfinite(float(part)):
            message = f"{key}={text} needs numbers but receives {part or 'nothing'}."
            raise SweepError(key, message, HINT)
    searched = Range(
        key,
        float(low),
        float(high),
        modifier == "log",
        float(modifier) if modifier not in ("", "log") else 0.0,
        all(is_whole(part) for part in (low, high)),
    )
    _check_range(searched, text, modifier)
    return searched


def is_whole(text: str) -> bool:
    """Whether a number is written as a whole one."""
    return re.fullmatch(r"[+-]?\d+", text) is not None


def _check_range(searched: Range, text: str, modifier: str) -> None:
    key = searched.key
    if searched.low >= searched.high:
        message = f"{key}={text} is empty: it needs a lower end below {searched.high:g}."
        raise SweepError(key, message, f"Write {key}=LOW..HIGH with LOW below HIGH.")
    if searched.log and searched.low <= 0:
        message = f"{key}={text} is searched on a log scale, so it needs a lower end above 0"
        raise SweepError(key, f"{message} but receives {searched.low:g}.", "Remove :log.")
    if modifier and not searched.log and not 0 < searched.step <= searched.high - searched.low:
        message = f"{key}={text} needs a step from 0 to {searched.high - searched.low:g}"
        raise SweepError(key, f"{message} but receives {modifier}.", HINT)


def holds(searched: Searched, known: Mapping[str, Any]) -> bool:
    """Whether a key exists beside what is drawn already."""
    tie = searched.tie
    return tie is None or (tie.key in known and known[tie.key] in tie.values)


def combinations(space: Sequence[Searched], most: int) -> list[dict[str, Any]]:
    """Every combination of values, if there are at most so many; else none."""
    if any(each.count > most for each in space):
        return []
    rows: list[dict[str, Any]] = [{}]
    for each in space:
        rows = [more for row in rows for more in _extended(row, each)]
        if len(rows) > most:
            return []
    return rows


def _extended(row: dict[str, Any], each: Searched) -> list[dict[str, Any]]:
    return [{**row, each.key: value} for value in each.values()] if holds(each, row) else [row]


def settings_text(values: Mapping[str, Any]) -> str:
    """Settings in a line: `lr=0.01 fc1.out_features=64`."""
    return " ".join(f"{key}={text_of(value)}" for key, value in values.items())
