"""Parse a typed answer: a shape or a number, in the usual notations."""

import re

LONGEST = 100
_DIGITS = re.compile(r"\d+")
_GROUPED = re.compile(r"\d{1,3}(?:[,. '\u2019\u00a0\u202f]\d{3})+")
_SHAPE = re.compile(
    r"\s*[(\[]?\s*(?:[nN]\s*[,x\u00d7*]\s*)?(\d+(?:\s*[,x\u00d7* ]\s*\d+)*)\s*,?\s*[)\]]?\s*"
)


def read_count(text: str) -> int | None:
    """Read one number: 1210, 1,210 or 1 210. None if it is none."""
    plain = text.strip() if len(text) <= LONGEST else ""
    if _GROUPED.fullmatch(plain):
        plain = re.sub(r"\D", "", plain)
    return int(plain) if plain.isascii() and plain.isdigit() else None


def read_shape(text: str) -> list[int] | None:
    """Read a shape with or without its batch: (N, 6, 28, 28), 6x28x28. None if it is none."""
    match = _SHAPE.fullmatch(text) if len(text) <= LONGEST else None
    if match is None:
        return None
    return [int(size) for size in _DIGITS.findall(match[1])]


def difference(typed: list[int], right: list[int]) -> str:
    """Say in what a shape differs from the right one, without telling the right one."""
    if len(typed) != len(right):
        return f"It has {len(right)} sizes beside N; you wrote {len(typed)}."
    wrong = [i for i, (a, b) in enumerate(zip(typed, right, strict=True)) if a != b]
    wrong_sizes = ", ".join(str(typed[i]) for i in wrong)
    verb = "is not right" if len(wrong) == 1 else "are not right"
    return f"{wrong_sizes} {verb}."
