"""How fast a run goes, how long it will take, and how long its silence is no cause for worry."""

import time
from collections import deque
from typing import Any

from .record import number
from .status import HANG_AFTER_S

OVER_S = 20.0


class Pace:
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
