"""The random numbers of each micro-batch of a step, whoever calculates it."""

import hashlib


def stream_seed(seed: int, step: int, k: int) -> int:
    """The seed of what micro-batch k of a step draws."""
    digest = hashlib.sha256(f"{seed} {step} {k}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
