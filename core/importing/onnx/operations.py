"""All operations of ONNX that are known, by name."""

from collections.abc import Callable
from typing import Any

from core.importing.onnx import (
    arithmetic,
    layers,
    moving,
    pads,
    recurrent,
    reducing,
    resizing,
    shaping,
)

OPERATIONS: dict[str, Callable[..., Any]] = {
    **arithmetic.OPERATIONS,
    **layers.OPERATIONS,
    **moving.OPERATIONS,
    **pads.OPERATIONS,
    **recurrent.OPERATIONS,
    **reducing.OPERATIONS,
    **resizing.OPERATIONS,
    **shaping.OPERATIONS,
}
