"""How fast a run goes, how long it will take, how often it may stop to be looked at."""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from core.runs.jsonl import number
from core.runs.status import HANG_AFTER_S

OVER_S = 20.0
LONGEST_REST_S = 10.0


class Eta:
    """Steps per second over the last seconds, validation included."""

    def __init__(self, step: int) -> None:
        self.seen: deque[tuple[float, int]] = deque([(time.monotonic(), step)])

    def told(self, step: int, steps: int) -> dict[str, Any]:
        """What status.json says about speed; nothing before the first step."""
        now = time.monotonic()
        self.seen.append((now, step))
        while len(self.seen) > 2 and now - self.seen[1][0] > OVER_S:
            self.seen.popleft()
        then, first = self.seen[0]
        if step <= first or now <= then:
            return {}
        each = (now - then) / (step - first)
        return {
            "steps_per_s": number(1 / each),
            "left_s": round((steps - step) * each, 1),
            "hang_after_s": max(HANG_AFTER_S, 50 * each),
        }


class ViewThrottle:
    """Something done now and then, so seldom that it costs no more than a share of the time."""

    def __init__(self, least_s: float, share: float) -> None:
        self.least_s, self.share = least_s, share
        self.next = 0.0

    @property
    def over(self) -> bool:
        """Whether it may be done again."""
        return time.monotonic() >= self.next

    @contextmanager
    def spent(self) -> Iterator[None]:
        """Do it; the longer it takes, the longer the rest after it.

        What a GPU still has to do is waited for before, as that is no time spent on it.
        """
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()
        started = time.monotonic()
        try:
            yield
        finally:
            now = time.monotonic()
            rest = min((now - started) / self.share, LONGEST_REST_S)
            self.next = now + max(self.least_s, rest)
