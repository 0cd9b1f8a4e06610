"""A guess compared with the measured number, in words."""

from dataclasses import dataclass
from math import isfinite

RIGHT, NEAR, FAR = 0.01, 0.25, 10.0
COUNTED = 1000
"""Whole numbers below this are counts, for which a difference means more than a factor."""

WHOLE = 1e12
"""Whole numbers below are written in full."""


@dataclass(frozen=True)
class GuessResult:
    """Whether a guess is right, and a sentence on how close it is."""

    right: bool
    text: str


def read_number(text: str) -> float | None:
    """Parse a number such as 1,024 or 1e-3; None if it is not one."""
    try:
        value = float(text.replace(",", "").replace("_", "").strip())
    except ValueError:
        return None
    return value if isfinite(value) else None


def shown(value: float) -> str:
    """Format a number: whole ones in full, others to four digits."""
    if isinstance(value, bool | int):
        return f"{value:,}"
    if not isfinite(value):
        return "not a number" if value != value else "infinite" if value > 0 else "-infinite"
    if abs(value) < WHOLE and value == int(value):
        return f"{value:,.0f}"
    return f"{value:,.4g}" if abs(value) < 1e6 else f"{value:.4g}"


def compare_guess(guess: float, value: float) -> GuessResult:
    """Compare a guess with the value."""
    text = f"Your guess is {shown(guess)}, the value is {shown(value)}"
    whole = isinstance(value, int)
    if not isfinite(value):
        return GuessResult(False, f"{text}.")
    off = abs(guess - value) / abs(value) if value else float("inf")
    if guess == value or (not whole and off <= RIGHT):
        return GuessResult(True, f"{text}: right.")
    if whole and abs(value) < COUNTED:
        side = "low" if guess < value else "high"
        return GuessResult(False, f"{text}: {shown(abs(guess - value))} too {side}.")
    if value and guess * value > 0:
        times = max(guess / value, value / guess)
        factor = shown(float(f"{times:.2g}"))
        if off <= NEAR:
            return GuessResult(False, f"{text}: close, {off:.0%} off.")
        if times <= FAR:
            return GuessResult(False, f"{text}: wrong by a factor of {factor}.")
        return GuessResult(
            False, f"{text}: wrong by a factor of {factor}. What would explain that?"
        )
    return GuessResult(False, f"{text}. What would explain that?")
