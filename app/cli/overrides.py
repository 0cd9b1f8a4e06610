"""`--set KEY=VALUE`: a training setting for this run only, read strictly."""

import difflib
import json
import math
from collections.abc import Sequence
from typing import Any

from app.cli import speak
from blocks import Setting

WORDS = {"int": "a whole number", "float": "a number", "bool": "true or false", "choice": "a name"}
INSIDE = ("scheduler", "optimizer_settings", "loss_settings", "data", "start_from", "distil")


def read(pairs: Sequence[str], known: Sequence[Setting]) -> dict[str, Any]:
    """Read `KEY=VALUE` texts. Raises UsageError naming the pair that is wrong.

    A dot reaches inside: `optimizer_settings.momentum=0.9`, `scheduler.name=StepLR`,
    `data.noise=0.1`. Naming a schedule starts it from its own defaults.
    """
    settings = {setting.name: setting for setting in known}
    found: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals:
            raise speak.UsageError(f"--set needs KEY=VALUE but receives {pair}.", "Try lr=0.01.")
        key = key.removeprefix("training.")
        head, dot, inner = key.partition(".")
        if head in INSIDE and inner:
            found[key] = literal(text)
        elif head in settings and not dot:
            found[key] = typed(settings[head], text)
        else:
            raise unknown(key, [*settings, *INSIDE])
    return schedule(found)


def schedule(found: dict[str, Any]) -> dict[str, Any]:
    """Put the settings of a schedule that is named anew together."""
    if "scheduler.name" not in found:
        return found
    inside = {key: found.pop(key) for key in list(found) if key.startswith("scheduler.")}
    return {**found, "scheduler": {k.removeprefix("scheduler."): v for k, v in inside.items()}}


def unknown(key: str, names: Sequence[str]) -> speak.UsageError:
    """Word a setting that does not exist, with the nearest that does."""
    near = difflib.get_close_matches(key, names, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"There is {', '.join(dict.fromkeys(names))}."
    return speak.UsageError(f"There is no training setting called {key}.", hint)


def typed(setting: Setting, text: str) -> Any:
    """Read one value in the type its setting has. Raises UsageError for another type."""
    value = literal(text)
    whole = type(value) is int
    fits = {
        "int": whole,
        "float": whole or isinstance(value, float),
        "bool": isinstance(value, bool),
        "choice": isinstance(value, str),
    }
    if value is None and setting.optional:
        return None
    if not fits.get(setting.kind, True):
        wanted = WORDS[setting.kind]
        raise speak.UsageError(
            f"{setting.name} needs {wanted} but receives {text or 'nothing'}.", setting.help
        )
    return value


def literal(text: str) -> Any:
    """Read strict JSON; what is no JSON is a name."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if isinstance(value, float) and not math.isfinite(value):
        return text  # NaN and Infinity are no JSON, although Python reads them
    return value
