"""All operations of ONNX that are known, by name."""

from collections.abc import Callable
from typing import Any

from core.importing.onnx import (
    arithmetic,
    attending,
    functions,
    layers,
    losses,
    moving,
    pads,
    recurrent,
    reducing,
    resizing,
    scattering,
    shaping,
)

OPERATIONS: dict[str, Callable[..., Any]] = {
    **arithmetic.OPERATIONS,
    **attending.OPERATIONS,
    **functions.OPERATIONS,
    **layers.OPERATIONS,
    **losses.OPERATIONS,
    **moving.OPERATIONS,
    **pads.OPERATIONS,
    **recurrent.OPERATIONS,
    **reducing.OPERATIONS,
    **resizing.OPERATIONS,
    **scattering.OPERATIONS,
    **shaping.OPERATIONS,
}
