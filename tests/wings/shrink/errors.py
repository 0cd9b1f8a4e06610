"""The errors of this wing, for what all errors keep."""

from core.wings.shrink.way import ShrinkError

ERRORS = (ShrinkError,)
