"""Gradient norm and throughput, taken when metrics are written anyway: no step pays for them."""

import time
from typing import Any

import torch
from torch import nn

from .record import number


class Pulse:
    """What a run's curves show beside loss and metrics."""

    def __init__(self, step: int) -> None:
        self.step, self.at = step, time.monotonic()

    def taken(self, module: nn.Module, step: int, batch_size: int) -> dict[str, list[Any]]:
        """One point: the L2 norm of all gradients of the newest step, samples per second.

        The norm is the one the optimiser saw, after clipping. Empty where there was no step.
        """
        now, before = time.monotonic(), self.step
        speed = (step - before) * batch_size / max(now - self.at, 1e-9)
        self.step, self.at = step, now
        gradients = [weight.grad for weight in module.parameters() if weight.grad is not None]
        if step <= before or not gradients:
            return {}
        norms = torch.stack([gradient.detach().norm() for gradient in gradients])
        return {
            "step": [step],
            "grad_norm": [number(float(norms.norm()))],
            "samples_per_s": [number(speed)],
        }
