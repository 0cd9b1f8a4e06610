"""Strict check of the settings as given: nothing that fails here may reach a source text."""

import difflib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from blocks.spec import REQUIRED, Block, Fix, Problem, Setting

LIMIT = 2**31 - 1
"""No size, count or index in torch needs more; larger integers are refused."""


def setting_problems(block: Block, given: Mapping[str, Any]) -> list[Problem]:
    """Check given settings: names, types, ranges, choices, lengths, and that none is missing."""
    found = [unknown_setting(block, name) for name in given if block.setting(name) is None]
    for setting in block.settings:
        if setting.name in given:
            found += bad_setting(block, setting, given[setting.name])
        elif setting.default is REQUIRED and setting.infer is None:
            found.append(missing_setting(block, setting))
    return found


def unknown_setting(block: Block, name: str) -> Problem:
    """Say that a block has no such setting, and which one was probably meant."""
    known = [setting.name for setting in block.settings]
    near = difflib.get_close_matches(name, known, n=1)
    edit = {"op": "set", "settings": {name: None}}
    shown = repr(name if len(name) <= 60 else name[:57] + "...")
    hint = f"Did you mean {near[0]}?" if near else _known_settings(block.name, known)
    return Problem(
        "unknown_setting",
        f"has a setting {shown} that {block.name} does not know.",
        hint,
        (Fix(f"Remove {shown}", (edit,)),),
    )


def _known_settings(name: str, known: Sequence[str]) -> str:
    return f"{name} has {', '.join(known)}." if known else f"{name} has no settings; remove it."


def missing_setting(block: Block, setting: Setting) -> Problem:
    """Say that a setting without a default was not given."""
    value = sensible(setting)
    return Problem(
        "bad_setting",
        f"needs {setting.name} but has none.",
        f"Set {setting.name}: {setting.help}",
        (_set(setting.name, value),),
    )


def bad_setting(block: Block, setting: Setting, value: object) -> Iterator[Problem]:
    """Say what a value should have been; nothing if it is right."""
    if (setting.optional and value is None) or fits(setting, value):
        return
    fixes = (_set(setting.name, sensible(setting, value)),)
    if setting.default is not REQUIRED or setting.infer:
        follow = "let the wire decide" if setting.infer else "torch's default"
        remove = Fix(
            f"Remove {setting.name} ({follow})",
            ({"op": "set", "settings": {setting.name: None}},),
        )
        fixes = (remove, *fixes) if setting.infer else (*fixes, remove)
    yield Problem(
        "bad_setting",
        f"needs {setting.name} to be {expected(setting)} but receives {show_value(value)}.",
        f"Set {setting.name} to {expected(setting)}.",
        fixes,
    )


def _set(name: str, value: object) -> Fix:
    title = f"Set {name} to {show_value(value)}"
    return Fix(title, ({"op": "set", "settings": {name: value}},))


def fits(setting: Setting, value: object) -> bool:
    """Whether a value that is not None is of the setting's kind and inside its range."""
    match setting.kind:
        case "bool":
            return type(value) is bool
        case "int":
            return _whole(setting, value)
        case "float":
            chosen = isinstance(value, str) and value in setting.choices
            return chosen or _number(setting, value) or _number_list(setting, value)
        case "choice":
            return isinstance(value, str) and value in setting.choices
        case "text":
            return isinstance(value, str) and bool(re.fullmatch(setting.pattern, value, re.ASCII))
        case "size":
            chosen = isinstance(value, str) and value in setting.choices
            return chosen or _whole(setting, value) or _whole_list(setting, value)
        case "dims":
            return _whole_list(setting, value)


def _whole(setting: Setting, value: object) -> bool:
    return type(value) is int and abs(value) <= LIMIT and _in_range(setting, value)


def _number(setting: Setting, value: object) -> bool:
    if type(value) is int:
        return abs(value) <= LIMIT and _in_range(setting, value)
    return type(value) is float and math.isfinite(value) and _in_range(setting, value)


def _whole_list(setting: Setting, value: object) -> bool:
    if not isinstance(value, list | tuple):
        return False
    items = cast("Sequence[object]", value)
    if setting.length and len(items) != setting.length:
        return False
    if setting.default is REQUIRED and not items and setting.kind == "size":
        return False
    return len(items) <= 16 and all(
        (setting.holes and v is None) or _whole(setting, v) for v in items
    )


def _number_list(setting: Setting, value: object) -> bool:
    """Whether these are several numbers, where a setting takes them."""
    if not (setting.several and isinstance(value, list | tuple)):
        return False
    items = cast("Sequence[object]", value)
    fitting = len(items) == setting.length if setting.length else 0 < len(items) <= 16
    return fitting and all(_number(setting, v) for v in items)


def _in_range(setting: Setting, value: float) -> bool:
    above = setting.low is None or value >= setting.low
    return above and (setting.high is None or value <= setting.high)


def expected(setting: Setting) -> str:
    """Say in words which values a setting takes, such as "a whole number of at least 1"."""
    words = {
        "bool": "true or false",
        "int": "a whole number" + _range(setting),
        "float": ", or ".join((_numbers(setting), *setting.choices)),
        "choice": "one of " + ", ".join(setting.choices),
        "text": f"text of the form {setting.pattern}",
        "size": _size(setting),
        "dims": "a list of whole numbers" + _range(setting),
    }[setting.kind]
    return words + (", or nothing" if setting.optional else "")


def _numbers(setting: Setting) -> str:
    several = f" or a list of {setting.length or 'them'}" if setting.several else ""
    return "a number" + _range(setting) + several


def _size(setting: Setting) -> str:
    words = "a whole number" + _range(setting)
    if setting.length != 1:
        words += f" or a list of {setting.length or 'them'}"
    return words + "".join(f", or {choice}" for choice in setting.choices)


def _range(setting: Setting) -> str:
    low, high = setting.low, setting.high
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    if low is not None:
        return f" of at least {low:g}"
    return f" of at most {high:g}" if high is not None else ""


def sensible(setting: Setting, value: object = None) -> Any:
    """Choose a legal value near the given one: the nearest in range, else start, default, low."""
    if type(value) in (int, float) and setting.kind in ("int", "size", "float"):
        near = nearest(setting, cast("float", value))
        if near is not None:
            return near
    for candidate in (setting.start, setting.default):
        if candidate is not None and candidate is not REQUIRED:
            return candidate
    if setting.choices:
        return setting.choices[0]
    if setting.kind == "float" and setting.low is not None:
        return setting.low
    least = int(setting.low) if setting.low is not None else 1
    return (least,) if setting.kind == "dims" else setting.kind == "bool" or least


def nearest(setting: Setting, value: float) -> float | None:
    """Bring a number into the setting's range; None if that does not make it legal."""
    if abs(value) > LIMIT or not math.isfinite(value):
        return None
    near = value if setting.low is None else max(value, setting.low)
    near = near if setting.high is None else min(near, setting.high)
    near = near if setting.kind == "float" else round(near)
    return near if fits(setting, near) else None


def show_value(value: object) -> str:
    """Write a value as the project file does, cut short if it is long."""
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    if isinstance(value, list | tuple):
        text = "[" + ", ".join(show_value(v) for v in cast("Sequence[object]", value)[:16]) + "]"
    else:
        text = repr(value) if isinstance(value, str | float) else _cut_number(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _cut_number(value: object) -> str:
    if isinstance(value, int):
        return str(value) if abs(value) <= 10**40 else "a huge number"
    return f"a {type(value).__name__}"
