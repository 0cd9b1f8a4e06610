"""Sensitivity of each block of a network to 8 bits and to half of its weights pruned. No torch."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from core.tasks.metric_labels import better


@dataclass(frozen=True)
class BlockSensitivity:
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
    """All blocks with weights.

    before: the metric of the unchanged network; stamp: id of its weights.
    """

    metric: str
    before: float
    samples: int
    blocks: tuple[BlockSensitivity, ...]
    stamp: str = ""

    def json(self) -> dict[str, Any]:
        """The values as stored and printed."""
        return {
            "metric": self.metric,
            "before": self.before,
            "samples": self.samples,
            "blocks": [asdict(block) for block in self.blocks],
            "weights": self.stamp,
        }

    def harm(self, block: BlockSensitivity, what: str) -> float:
        """How much worse the metric is, 0 for no worse. what: "int8" or "half"."""
        change = self.before - getattr(block, what)
        return max(0.0, -change if better(self.metric) == "lower" else change)


def read_sensitivity(kept: Mapping[str, Any]) -> Sensitivity | None:
    """Read stored values; None if there are none."""
    if not kept:
        return None
    blocks = tuple(BlockSensitivity(**block) for block in kept["blocks"])
    return Sensitivity(kept["metric"], kept["before"], kept["samples"], blocks, kept["weights"])
