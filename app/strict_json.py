"""Values as strict JSON has them, without NaN and infinity."""

import math
from collections.abc import Mapping
from typing import Any


def json_safe(value: Any) -> Any:
    """Copy JSON-like values, with lists for tuples and None for NaN and infinities."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): json_safe(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_safe(item) for item in value]
    return value
