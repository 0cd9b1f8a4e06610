"""The registry of supported ONNX operations, by name."""

from collections.abc import Callable
from typing import Any

from core.importing.onnx.ops import (
    attention,
    elementwise,
    gather,
    layers,
    losses,
    math_functions,
    pool,
    recurrent,
    reduce,
    resize,
    scatter,
    shape,
)

OPERATIONS: dict[str, Callable[..., Any]] = {
    **elementwise.OPERATIONS,
    **attention.OPERATIONS,
    **math_functions.OPERATIONS,
    **layers.OPERATIONS,
    **losses.OPERATIONS,
    **gather.OPERATIONS,
    **pool.OPERATIONS,
    **recurrent.OPERATIONS,
    **reduce.OPERATIONS,
    **resize.OPERATIONS,
    **scatter.OPERATIONS,
    **shape.OPERATIONS,
}
