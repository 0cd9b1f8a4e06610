"""The `data` settings of a project, read strictly. No path or address is among them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, cast

from core.data.catalogue import SOURCES, Source
from core.data.errors import DataError

Target = Literal["label", "input", "mask"]
TARGETS = ("label", "input", "mask")
KEYS = ("source", "target", "noise", "validation", "normalize", "limit")
VALIDATION = 0.2


@dataclass(frozen=True)
class DataSettings:
    """What a project says about its data, every value filled in.

    `validation` is the share of samples to validate with; None where the makers of the data set
    keep a test part apart, which then validates.
    """

    source: Source
    target: Target = "label"
    noise: float = 0.0
    validation: float | None = VALIDATION
    normalize: bool = False
    limit: int | None = None


def read_settings(data: Mapping[str, Any]) -> DataSettings:
    """Check the `data` settings of a project. Raises DataError naming the setting."""
    for key in data:
        if key not in KEYS:
            raise _unknown(f"data has no setting {key!r}.", key, KEYS)
    source = _source(data.get("source"))
    target = data.get("target", "label")
    if target not in TARGETS:
        raise _unknown(f"data.target is {target!r}.", target, TARGETS)
    normalize = data.get("normalize", source.kind == "table")
    if not isinstance(normalize, bool):
        raise DataError(f"data.normalize is {normalize!r}.", "Use true or false.")
    return DataSettings(
        source,
        cast(Target, target),
        _number(data, "noise", 0.0, low=0.0, high=10.0),
        _validation(data, source),
        normalize,
        _limit(data.get("limit")),
    )


def _source(name: object) -> Source:
    if name is None:
        raise DataError("The project names no data.", f"Set data.source to {_listed(SOURCES)}.")
    if not isinstance(name, str) or name not in SOURCES:
        raise _unknown(f"There is no data set {name!r}.", name, tuple(SOURCES))
    return SOURCES[name]


def _validation(data: Mapping[str, Any], source: Source) -> float | None:
    if "validation" not in data:
        return None if source.test else VALIDATION
    return _number(data, "validation", VALIDATION, low=0.01, high=0.99)


def _limit(limit: object) -> int | None:
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 2:
        raise DataError(f"data.limit is {limit!r}.", "Use a whole number of samples, 2 or more.")
    return limit


def _number(data: Mapping[str, Any], key: str, default: float, low: float, high: float) -> float:
    value = data.get(key, default)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or not low <= value <= high:
        raise DataError(f"data.{key} is {value!r}.", f"Use a number from {low:g} to {high:g}.")
    return float(value)


def _unknown(message: str, given: object, choices: tuple[str, ...]) -> DataError:
    lower = {choice.lower(): choice for choice in choices}
    near = get_close_matches(str(given).lower(), lower, n=1)
    guess = f"Did you mean {lower[near[0]]!r}? " if near else ""
    return DataError(message, f"{guess}There is {_listed(choices)}.")


def _listed(names: Mapping[str, object] | tuple[str, ...]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}"
