"""Steps per epoch, without torch."""


def steps_per_epoch(n: int, size: int) -> int:
    """How many batches `batches` makes of `n` samples."""
    full, rest = divmod(n, size)
    return max(1, full + (rest > 1)) if size > 1 else n
