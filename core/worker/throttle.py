"""Steps per second, the estimated time left, and a throttle for views that interrupt training."""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from core.runs.jsonl import number
from core.runs.status import HANG_AFTER_S

OVER_S = 20.0
FEW_STEPS, WARM_UP_S = 5, 5.0
"""With fewer steps or seconds than these, the first step counts most, which takes longest."""
LONGEST_REST_S = 10.0


class Eta:
    """Steps per second over the last seconds, validation included."""

    def __init__(self, step: int) -> None:
        self.seen: deque[tuple[float, int]] = deque([(time.monotonic(), step)])
        self.warm = False

    def status_fields(self, step: int, steps: int) -> dict[str, Any]:
        """steps_per_s, left_s, hang_after_s (seconds) of status.json; {} before the first step.

        The first few steps take longer than all others, so they promise no time left.
        """
        now = time.monotonic()
        self.seen.append((now, step))
        while len(self.seen) > 2 and now - self.seen[1][0] > OVER_S:
            self.seen.popleft()
        then, first = self.seen[0]
        if step <= first or now <= then:
            return {}
        seconds_per_step = (now - then) / (step - first)
        fields = {
            "steps_per_s": number(1 / seconds_per_step),
            "hang_after_s": max(HANG_AFTER_S, 50 * seconds_per_step),
        }
        if not self.warm:
            self.warm = True
            if step - first < FEW_STEPS or now - then < WARM_UP_S:
                self.seen = deque([(now, step)])
                return {**fields, "left_s": None}
        return {**fields, "left_s": round((steps - step) * seconds_per_step, 1)}


class ViewThrottle:
    """Limits how often something is done: every `least_s` seconds, at most `share` of the time.

    longest_s: after so many seconds it is due whatever its share.
    """

    def __init__(self, least_s: float, share: float, longest_s: float = LONGEST_REST_S) -> None:
        self.least_s, self.share, self.longest_s = least_s, share, longest_s
        self.next = 0.0

    @property
    def due(self) -> bool:
        """Whether enough time has passed to do it again."""
        return time.monotonic() >= self.next

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Time what is done inside; the longer it takes, the later it is due again.

        What a GPU still has to do is waited for before, as that is no time spent on it.
        """
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()
        started = time.monotonic()
        try:
            yield
        finally:
            now = time.monotonic()
            rest = min((now - started) / self.share, self.longest_s)
            self.next = now + max(self.least_s, rest)
