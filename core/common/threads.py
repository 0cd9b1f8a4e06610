"""Which number of torch's threads a call is fastest with, tried out. Needs torch."""

from collections.abc import Callable

import torch

TRIED = 5  # calls with each number
LONG_S = 2.0  # a call that takes as long is not tried with fewer threads


def seconds_by_threads(call: Callable[[], float], most: int) -> dict[int, float]:
    """The shortest seconds of a call, which returns its own, with `most` threads and with each
    power of two below. torch keeps the number that was tried last."""
    seconds: dict[int, float] = {}
    for count in thread_counts(most):
        torch.set_num_threads(count)
        call()  # the first one starts threads and fills caches
        tries = TRIED if seconds.get(most, 0.0) < LONG_S / 4 else 2
        seconds[count] = min(call() for _ in range(tries))
        if seconds[count] > LONG_S:
            break
    return seconds


def thread_counts(most: int) -> list[int]:
    """The numbers of threads to try, the largest first: `most`, then powers of two below it."""
    powers = [2**n for n in range(11) if 2**n < most]
    return [most, *reversed(powers)]
