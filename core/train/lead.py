"""How far the processor runs ahead of the GPU while it plays recorded steps."""

import time
from typing import Any

import torch

LEAD_S = 0.05  # of steps that may lie before the GPU
MOST = 64  # steps between two looks at how far it is


class Lead:
    """Keeps it short: playing a step takes the processor no time, whatever it takes the GPU.

    Else hundreds of steps lie before it, and who reads a loss or stops the run waits for them all.
    """

    def __init__(self) -> None:
        self.played = self.next = 0
        self.ahead = 1
        self.mark: Any = None  # where the GPU was asked to be at the last look
        self.looked = 0.0

    def keep(self) -> None:
        """Count a step that was played; now and then wait until the GPU has come near."""
        self.played += 1
        if self.played < self.next:
            return
        if self.mark:
            self.mark.synchronize()
            self._suit(time.monotonic())
        self.mark = torch.cuda.Event(blocking=True)
        self.mark.record()
        self.next = self.played + self.ahead

    def _suit(self, now: float) -> None:
        """Look more often the longer steps take."""
        took, self.looked = now - self.looked, now
        if took < LEAD_S / 2:
            self.ahead = min(2 * self.ahead, MOST)
        elif took > LEAD_S:
            self.ahead = max(self.ahead // 2, 1)
