"""Typed access to parsed JSON: each function returns a value of its type, or raises
ProjectError."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, cast

from core.files.messages import at, fail, quote
from core.graph.names import check_id
from core.graph.python import INVISIBLE, MAX_WIDTH

Notes = list[tuple[str, str]]
"""Notices collected while reading: (JSON path, message)."""

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Marks that change the direction of writing, with which a text can show other than it is."""


def json_object(value: Any, path: str, expected: str = "an object {...}") -> dict[str, Any]:
    """Return `value` if it is a JSON object."""
    if not isinstance(value, dict):
        hint = 'Write it as {"key": value}.'
        fail(path, f"needs {expected} but receives {quote(value)}.", hint)
    return cast(dict[str, Any], value)


def json_list(value: Any, path: str, expected: str = "a list [...]") -> list[Any]:
    """Return `value` if it is a JSON list."""
    if not isinstance(value, list):
        fail(path, f"needs {expected} but receives {quote(value)}.", "Write it as [value, value].")
    return cast(list[Any], value)


def text(value: Any, path: str, longest: int, notices: Notes, lines: bool = False) -> str:
    """Return text for people: at most `longest` characters, no control or direction marks.

    Other ways to write the same characters become the usual one (NFC), with a notice.
    """
    if not isinstance(value, str):
        fail(path, f"needs text but receives {quote(value)}.", "Put it in quotation marks.")
    if len(value) > longest:
        fail(path, f"has {len(value)} characters; at most {longest} are allowed.", "Shorten it.")
    seen = re.sub(r"[\n\t]", "", value) if lines else value
    if match := CONTROL.search(seen) or BIDI.search(seen):
        code = f"U+{ord(match[0]):04X}"
        fail(path, f"contains the invisible character {code}.", "Write the text without it.")
    usual = unicodedata.normalize("NFC", value)
    if usual != value:
        notices.append((path, "was converted to the usual Unicode form (NFC)."))
    return usual


def code_line(value: Any, path: str) -> str:
    """Return one line of code as it stands, without invisible characters."""
    if not isinstance(value, str):
        fail(path, f"needs text but receives {quote(value)}.", "Put it in quotation marks.")
    if len(value) > MAX_WIDTH:
        fail(
            path,
            f"has {len(value)} characters; at most {MAX_WIDTH} are allowed.",
            "Break the line.",
        )
    if match := INVISIBLE.search(value) or re.search(r"[\t\n]", value):
        code = f"U+{ord(match[0]):04X}"
        fail(path, f"contains the invisible character {code}.", "Write the line without it.")
    return value


def whole(value: Any, path: str, low: int, high: int) -> int:
    """Return an integer from `low` to `high`; true and 1.0 are refused."""
    if type(value) is not int or not low <= value <= high:
        message = f"needs a whole number from {low} to {high} but receives {quote(value)}."
        fail(path, message, "Write it without quotation marks and without a fraction.")
    return value


def number(value: Any, path: str, low: float, high: float) -> float:
    """Return a number from `low` to `high`; true is refused."""
    if type(value) not in (int, float) or not low <= value <= high:
        message = f"needs a number from {low:g} to {high:g} but receives {quote(value)}."
        fail(path, message, "Write it without quotation marks.")
    return float(value)


def yes_or_no(value: Any, path: str) -> bool:
    """Return true or false."""
    if type(value) is not bool:
        message = f"needs true or false but receives {quote(value)}."
        fail(path, message, "Write true or false without quotation marks.")
    return value


def identifier(name: str, path: str, hint: str) -> None:
    """Refuse a key that is no valid name in the source; `path` ends in that key."""
    if reason := check_id(name):
        fail(path, f"{reason}.", hint)


def frozen(value: Any) -> Any:
    """Turn the lists in a JSON value into tuples."""
    if isinstance(value, dict):
        return {key: frozen(item) for key, item in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return tuple(frozen(item) for item in cast(list[Any], value))
    return value


def unknown(
    data: Mapping[str, Any], known: tuple[str, ...], path: str, notices: Notes
) -> dict[str, Any]:
    """Take out the keys this version does not know, with a notice for each."""
    extra = {key: frozen(value) for key, value in data.items() if key not in known}
    for key in extra:
        notices.append((at(path, key), "is not known to this version; it is kept unchanged."))
    return extra
