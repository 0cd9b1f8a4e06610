"""Steps per epoch, without torch."""


def steps_per_epoch(n: int, size: int, drop_last: bool = False) -> int:
    """How many batches `batches` makes of `n` samples."""
    full, rest = divmod(n, size)
    if drop_last:
        return max(1, full)
    return max(1, full + (rest > 1)) if size > 1 else n
