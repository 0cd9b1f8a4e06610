"""Cost of a training step, for display and for the command line. No torch."""

from dataclasses import dataclass

PHASES = ("data", "forward", "loss", "backward", "optimizer", "other")
"""Parts of a step, in order; `other` is what none of them holds."""


@dataclass(frozen=True)
class BlockCost:
    """Milliseconds of one step in one block, with all that is inside it, and bytes kept.

    depth: 1 for the blocks of the drawing itself. kept: for the backward pass.
    """

    path: str
    block: str
    depth: int
    forward_ms: float
    backward_ms: float
    kept: int = 0


@dataclass(frozen=True)
class Span:
    """One piece of a step: from where to where, how deep inside others.

    kind: forward, backward, or another of PHASES.
    """

    name: str
    kind: str
    start_ms: float
    length_ms: float
    depth: int


@dataclass(frozen=True)
class Profile:
    """The mean of some real training steps after the first.

    phases: milliseconds of a step, by PHASES. spans: of the last step. memory: bytes by what they
    hold: weights, gradients, optimizer, kept. over_time: (milliseconds into the last step, bytes
    allocated in it so far, less those freed).
    """

    steps: int
    batch: int
    device: str
    threads: int
    phases: dict[str, float]
    blocks: tuple[BlockCost, ...]
    spans: tuple[Span, ...]
    memory: dict[str, int]
    over_time: tuple[tuple[float, int], ...]

    @property
    def step_ms(self) -> float:
        return sum(self.phases.values())
