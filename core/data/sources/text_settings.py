"""Settings of texts with a class each: how a text is cut into tokens, and which are kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from core.common.errors import DataError

CutBy = Literal["word", "letter"]
WAYS: tuple[CutBy, ...] = ("word", "letter")
KEYS = ("tokens", "vocabulary", "min_count", "lower")
LONGEST = 2048
"""The most tokens of one text that an Input may have: attention over more takes gigabytes."""
FEWEST, MOST, USUAL = 3, 100_000, 10_000
"""Bounds of a vocabulary, and its default: 10,000 words cover 95 of 100 in English texts."""
LEAST, MOST_LEAST = 2, 1000
"""A token that training texts have once teaches nothing, but lets <unknown> be learned."""


@dataclass(frozen=True)
class TextSettings:
    """cut_by: what a token is. most: the most tokens of the vocabulary, <padding> and <unknown>
    among them. least: how often training texts must have a token. lower: in small letters."""

    cut_by: CutBy = "word"
    most: int = USUAL
    least: int = LEAST
    lower: bool = True


def read_text_settings(data: Mapping[str, Any]) -> TextSettings:
    """Check the settings. Raises DataError naming the setting."""
    cut_by = data.get("tokens", "word")
    if cut_by not in WAYS:
        raise DataError(f"data.tokens is {cut_by!r}.", 'Use "word" or "letter".')
    lower = data.get("lower", True)
    if not isinstance(lower, bool):
        raise DataError(f"data.lower is {lower!r}.", "Use true or false.")
    most = _whole(data, "vocabulary", USUAL, FEWEST, MOST)
    return TextSettings(cut_by, most, _whole(data, "min_count", LEAST, 1, MOST_LEAST), lower)


def _whole(data: Mapping[str, Any], key: str, usual: int, low: int, high: int) -> int:
    value = data.get(key, usual)
    if type(value) is int and low <= value <= high:
        return value
    raise DataError(f"data.{key} is {value!r}.", f"Use a whole number from {low} to {high:,}.")
