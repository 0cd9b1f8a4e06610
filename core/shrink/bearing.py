"""Sensitivity of each block of a network to 8 bits and to half of its weights pruned. No torch."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from core.shrink.rows import rises


@dataclass(frozen=True)
class Bearing:
    """One block. path: in the report. int8, half: the metric with this block alone in 8 bits, or
    without half of its weights; ..._changed: the share of samples with another class, None
    without classes.
    """

    path: str
    block: str
    weights: int
    int8: float
    half: float
    int8_changed: float | None = None
    half_changed: float | None = None


@dataclass(frozen=True)
class Sensitivity:
    """All blocks with weights. before: the metric of the network as it is; stamp: its weights'."""

    metric: str
    before: float
    samples: int
    blocks: tuple[Bearing, ...]
    stamp: str = ""

    def json(self) -> dict[str, Any]:
        """As it is kept and printed."""
        return {
            "metric": self.metric,
            "before": self.before,
            "samples": self.samples,
            "blocks": [asdict(block) for block in self.blocks],
            "weights": self.stamp,
        }

    def harm(self, block: Bearing, what: str) -> float:
        """How much worse the metric is, 0 for no worse. what: "int8" or "half"."""
        change = self.before - getattr(block, what)
        return max(0.0, change if rises(self.metric) else -change)


def read_sensitivity(kept: Mapping[str, Any]) -> Sensitivity | None:
    """What was kept, None for nothing."""
    if not kept:
        return None
    blocks = tuple(Bearing(**block) for block in kept["blocks"])
    return Sensitivity(kept["metric"], kept["before"], kept["samples"], blocks, kept["weights"])
