"""The batch size of validation."""

MOST, VALUES = 256, 1 << 22
"""Samples in one go, and values they may have together."""


def validation_batch(batch_size: int, values: int) -> int:
    """As many as learn at once, or up to 256 where the `values` of a sample leave room."""
    return max(batch_size, min(MOST, VALUES // max(1, values)))
