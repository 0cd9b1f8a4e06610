"""Values of settings as text, on the command line and in a search."""

import json
import math
from typing import Any


def text_of(value: Any) -> str:
    """A value as `--set KEY=VALUE` reads it."""
    if isinstance(value, str) and literal(value) == value:
        return value
    return json.dumps(value)


def literal(text: str) -> Any:
    """Read strict JSON; what is no JSON is a name."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if isinstance(value, float) and not math.isfinite(value):
        return text  # NaN and Infinity are no JSON, although Python reads them
    return value
