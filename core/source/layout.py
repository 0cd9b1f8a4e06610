"""Line breaking as in common formatters, so that formatting the source changes nothing."""

import re
from collections.abc import Iterator

WIDTH = 88
CLOSE = {"(": ")", "[": "]"}


def wrap(indent: str, text: str, suffix: str = "") -> list[str]:
    """Break one statement at its last bracket until every line fits."""
    line = indent + text + suffix
    if len(line) <= WIDTH or (start := _last_bracket(text)) is None:
        return [line]
    target, equals, value = text.partition(" = ")
    if equals and '"' not in target and len(indent + text[: start + 1]) > WIDTH:
        return [f"{indent}{target} = (", *wrap(indent + "    ", value), f"{indent}){suffix}"]
    end = _match(text, start)
    body, deeper = text[start + 1 : end], indent + "    "
    last = indent + text[end:] + suffix
    if not body:
        return [line]
    if text.startswith(("*[", "[")) and " for _ in range(" in body and end == len(text) - 1:
        item, _, loop = body.rpartition(" for _ in ")
        if not _commas(body):
            head = indent + text[: start + 1]
            return [head, *wrap(deeper, item), f"{deeper}for _ in {loop}", last]
    if len(deeper + body) <= WIDTH:
        return [indent + text[: start + 1], deeper + body, last]
    if body.startswith("*[") and " for _ in range(" in body and not _commas(body):
        inner = wrap(deeper, body)
    else:
        comma = "," if _commas(body) or _is_call(text, start) else ""
        inner = [line for part in split(body) if part for line in wrap(deeper, part, comma)]
    return [indent + text[: start + 1], *inner, last]


def wrap_inside(margin: str, text: str) -> list[str]:
    """Break one statement that will stand behind a margin. The lines come without the margin."""
    return [line.removeprefix(margin) for line in wrap(margin, text)]


CALLED = re.compile(r"[\w)\]]\(")


def _is_call(text: str, start: int) -> bool:
    """Whether a bracket holds the arguments of a call, where a comma at the end changes nothing.

    Around a calculation, or in an index, it would make a tuple.
    """
    return start > 0 and CALLED.fullmatch(text[start - 1 : start + 1]) is not None


def wrap_def(indent: str, head: str, arguments: list[str], result: str) -> list[str]:
    """Break a method's first line at its arguments."""
    line = f"{indent}{head}({', '.join(arguments)}) -> {result}:"
    if len(line) <= WIDTH:
        return [line]
    deeper = indent + "    "
    inner = [deeper + ", ".join(arguments)]
    if len(inner[0]) > WIDTH:
        inner = [f"{deeper}{argument}," for argument in arguments]
    return [f"{indent}{head}(", *inner, f"{indent}) -> {result}:"]


def split(text: str) -> list[str]:
    """Split at commas that stand in no bracket and no string."""
    parts: list[str] = []
    start = 0
    for comma in _commas(text):
        parts.append(text[start:comma].strip())
        start = comma + 1
    return [*parts, text[start:].strip()]


def _commas(text: str) -> list[int]:
    return [i for i, c, depth in _scan(text) if c == "," and depth == 0]


def _last_bracket(text: str) -> int | None:
    opens = [i for i, c, depth in _scan(text) if c in CLOSE and depth == 0]
    return opens[-1] if opens else None


def _match(text: str, start: int) -> int:
    return next(i for i, c, depth in _scan(text[start + 1 :]) if c in ")]" and depth == -1) + (
        start + 1
    )


def _scan(text: str) -> Iterator[tuple[int, str, int]]:
    """Yield (position, character, depth before an opening and after a closing bracket)."""
    depth, quoted, escaped = 0, False, False
    for i, c in enumerate(text):
        if escaped or (quoted and c == "\\"):
            escaped = not escaped
            continue
        if c == '"':
            quoted = not quoted
        if quoted:
            continue
        if c in ")]":
            depth -= 1
        yield i, c, depth
        if c in CLOSE:
            depth += 1
