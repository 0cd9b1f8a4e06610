"""Up to which size ranks add gradients in the order of micro-batches. No torch."""

ORDERED_BYTES = 100_000_000
"""Weights up to this size are added up in that order; larger ones by an all-reduce."""
