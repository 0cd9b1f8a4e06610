"""Parse a typed answer: a shape or a number, in the usual notations."""

import re

LONGEST = 100
_DIGITS = re.compile(r"\d+")
_GROUPED = re.compile(r"\d{1,3}(?:[,. '\u2019\u00a0\u202f]\d{3})+")
_SHAPE = re.compile(
    r"\s*[(\[]?\s*(?:[nN]\s*[,x\u00d7*]\s*)?(\d+(?:\s*[,x\u00d7* ]\s*\d+)*)\s*,?\s*[)\]]?\s*"
)
_LAST = re.compile(r"\s*[(\[]?\s*(\d+(?:\s*[,x\u00d7* ]\s*\d+)*)\s*[,x\u00d7* ]\s*[nN]\s*[)\]]?\s*")
_SUM = re.compile(r"(\s*\d[\d\s]*(?:[-+*x\u00b7\u00d7][\d\s]+)+)=?\s*")


def read_count(text: str) -> int | None:
    """Read one number: 1210, 1,210 or 1 210. None if it is not one."""
    plain = text.strip() if len(text) <= LONGEST else ""
    if _GROUPED.fullmatch(plain):
        plain = re.sub(r"\D", "", plain)
    return int(plain) if plain.isascii() and plain.isdigit() else None


def read_shape(text: str) -> list[int] | None:
    """Read a shape with or without its batch: (N, 6, 28, 28), 6x28x28. None if it is not one."""
    match = _SHAPE.fullmatch(text) if len(text) <= LONGEST else None
    if match is None:
        return None
    return [int(size) for size in _DIGITS.findall(match[1])]


def not_a_shape(text: str) -> str:
    """Say why a text cannot be read as a shape, and how to write one."""
    match = _LAST.fullmatch(text) if len(text) <= LONGEST else None
    if match is None:
        return "This cannot be read as a shape. Write the batch size N first, as in (N, 8, 14, 14)."
    sizes = ", ".join(_DIGITS.findall(match[1]))
    return f"The batch size N comes first: (N, {sizes})."


def not_a_count(text: str) -> str:
    """Say why a text cannot be read as a whole number, and how to write one."""
    if len(text) <= LONGEST and (sum_of := _SUM.fullmatch(text)):
        return f"Type the result of {sum_of[1].strip()}, a whole number."
    return "This is not a whole number. Type digits only, as in 1024."


def difference(typed: list[int], right: list[int]) -> str:
    """Say in what a shape differs from the right one, without giving the right one."""
    if len(typed) != len(right):
        return f"The shape has {_sizes(len(right))} after N; yours has {len(typed)}."
    wrong = [i for i, (a, b) in enumerate(zip(typed, right, strict=True)) if a != b]
    beside = len(wrong) > 1 and wrong[-1] - wrong[0] == len(wrong) - 1
    sizes = (" \u00d7 " if beside else " and ").join(f"{typed[i]:,}" for i in wrong)
    return f"{sizes} {'are' if len(wrong) > 1 and not beside else 'is'} not right."


def _sizes(count: int) -> str:
    return "1 size" if count == 1 else f"{count} sizes"
