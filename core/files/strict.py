"""Strict JSON: refuses what json.loads would accept, with line and column.

Everything is checked on the text before it is parsed: size, depth, keys written twice, NaN and
Infinity, numbers too large for a float or too long, and half characters (lone surrogates).
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from core.files.messages import fail, quote

MAX_BYTES = 5_000_000
MAX_DEPTH = 64
MAX_DIGITS = 4300  # Python itself refuses to read longer integers

# An unclosed string matches up to the end of the text, so that no input scans quadratically.
TOKEN = re.compile(
    r'(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+"?)(?P<colon>\s*+:)?'
    r"|(?P<open>[\[{])|(?P<close>[\]}])"
    r"|(?P<comma>,\s*+[\]}])"
    r"|(?P<word>-?(?:NaN|Infinity))"
    r"|(?P<long>(?<![\d.])-?\d{300,}+[\d.eE+-]*+)"
    r"|(?P<power>(?<![\d.])-?\d++(?:\.\d++)?[eE][+-]?\d++)",
    re.DOTALL,
)
IN_WORDS = {
    "Expecting value": "a value is missing or misspelt",
    "Expecting property name": "a key in double quotation marks is missing",
    "Expecting ','": "a comma or a closing bracket is missing",
    "Expecting ':'": "a colon is missing",
    "Invalid control character": "a string contains a line break or another control character",
    "Invalid \\": "a string contains an unknown escape such as \\x",
    "Extra data": "there is more after the end",
}
CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7})", re.MULTILINE)
CHOOSE = "Open the file in the workbench to choose between the versions."
REPAIR = "Correct this place, or restore the file from a backup."
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


def decode(data: bytes, limit: int = MAX_BYTES) -> str:
    """Turn the bytes of a file into text. Raises ProjectError over 5 MB or if not UTF-8."""
    if len(data) > limit:
        fail("", f"is larger than {limit // 1_000_000} MB.", "Check that this is a project file.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fail(f"line {line}", "is not UTF-8 text.", "Save the file with the encoding UTF-8.")


def parse(text: str, limit: int = MAX_BYTES, deepest: int = MAX_DEPTH) -> Any:
    """Read strict JSON. Raises ProjectError with line and column."""
    if len(text) > limit:
        fail("", f"is larger than {limit // 1_000_000} MB.", "Check that this is a project file.")
    if marker := CONFLICT.search(text):  # no string of JSON goes on in another line
        line = _line(text, marker.start())
        fail(line, "is not JSON: git left a merge conflict here.", CHOOSE)
    _check(text, deepest)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = _in_words(text[error.pos :], error.msg)
        fail(_line(text, error.pos), f"is not JSON: {problem}.", REPAIR)


def _in_words(rest: str, message: str) -> str:
    """Describe an error of json.loads, in the same words for all versions of Python."""
    if not rest.strip() or message.startswith("Unterminated string"):
        return "the file ends too early, or a string has no closing quotation mark"
    known = (words for start, words in IN_WORDS.items() if message.startswith(start))
    return next(known, "the syntax is wrong here")


def _line(text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    return f"line {line}, column {position - (text.rfind(chr(10), 0, position))}"


def _check(text: str, deepest: int) -> None:
    """Walk over strings, brackets and unusual numbers; the rest json.loads judges itself."""
    objects: list[dict[str, int]] = []
    for token in TOKEN.finditer(text):
        start = token.start()
        match token.lastgroup:
            case "string" | "colon":
                _check_string(text, start, token["string"])
                if token["colon"] and objects:
                    _check_key(text, start, token["string"], objects[-1])
            case "open":
                objects.append({})
                if len(objects) > deepest:
                    fail(
                        _line(text, start), f"is nested more than {deepest} brackets deep.", REPAIR
                    )
            case "close":
                del objects[-1:]
            case "comma":
                fail(_line(text, start), "has a comma before a closing bracket.", "Delete it.")
            case _:
                _check_number(text, start, token[0])


def _check_string(text: str, start: int, string: str) -> None:
    if SURROGATE.search(string):
        for half in _lone(string):
            line = _line(text, start + half)
            fail(line, "contains half a character (a lone surrogate).", "Write the text again.")


def _lone(string: str) -> Iterator[int]:
    """Positions in a JSON string of surrogates without their other half."""
    pair = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    for match in re.finditer(pair + r"|\\(?!u)(?s:.)|(?P<half>" + SURROGATE.pattern + ")", string):
        if match["half"]:
            yield match.start()


def _check_key(text: str, start: int, string: str, keys: dict[str, int]) -> None:
    try:
        key: str = json.loads(string)
    except json.JSONDecodeError:
        return  # json.loads of the whole text will say what is wrong and where
    if key in keys:
        fail(
            _line(text, start),
            f"repeats the key {quote(key)} of {_line(text, keys[key])}.",
            "Keep one of the two.",
        )
    keys[key] = start


def _check_number(text: str, start: int, number: str) -> None:
    if problem := _wrong_number(number):
        fail(_line(text, start), problem, "Write a shorter, finite number.")


def _wrong_number(number: str) -> str:
    if number.endswith(("NaN", "Infinity")):
        return f"has {number}, which is not a number in JSON."
    if len(number) > MAX_DIGITS:
        return f"has a number of more than {MAX_DIGITS} digits."
    try:
        infinite = abs(float(number)) == float("inf")
    except ValueError:
        return ""  # not a number at all: json.loads reports it
    too_large = infinite and not number.lstrip("-").isdigit()
    return f"has {quote(number)}, which is too large." if too_large else ""
