"""How the samples of a step are calculated: in batches, whose gradients are accumulated."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from core.common.errors import TrainingError

BATCH_SIZE: Final = "batch_size"
ACCUMULATE: Final = "accumulate"
"""The names of both in the settings of a training."""


@dataclass(frozen=True)
class StepSettings:
    """What the settings of a training say of a step.

    batch_size: samples that are calculated at once. batches: how many such batches make a step.
    """

    batch_size: int
    batches: int = 1

    @classmethod
    def of(cls, training: Mapping[str, Any]) -> Self:
        """Those of resolved settings."""
        return cls(training[BATCH_SIZE], training[ACCUMULATE])

    @classmethod
    def of_project(cls, settings: Mapping[str, Any]) -> Self | None:
        """Those of settings that nobody checked, with defaults; None where one is no number."""
        found = cls.of(settings)
        return found if type(found.batch_size) is type(found.batches) is int else None

    @property
    def samples(self) -> int:
        """How many samples a step has."""
        return self.batch_size * self.batches

    def steps(self, batches: int) -> int:
        """The steps of an epoch of so many batches."""
        return -(-batches // self.batches)

    def settings(self) -> dict[str, int]:
        """Both under their names."""
        return {BATCH_SIZE: self.batch_size, ACCUMULATE: self.batches}

    def words(self) -> str:
        """Both as a user writes them."""
        return f"{BATCH_SIZE} {self.batch_size}, {ACCUMULATE} {self.batches}"

    def cut(self, world: int) -> Self:
        """The same samples for a number of ranks: as many batches as they can share equally.

        Raises TrainingError where a batch cannot be divided so.
        """
        parts = world // math.gcd(self.batches, world)
        if self.batch_size % parts:
            raise _indivisible(self.batch_size, parts, world)
        return type(self)(self.batch_size // parts, self.batches * parts)


def check_shared(batches: int, world: int) -> None:
    """Raise TrainingError where ranks cannot share the batches of a step equally."""
    if batches % world:
        count = f"{batches} micro-batch{'es' if batches != 1 else ''}"
        message = (
            f"A step has {count} ({ACCUMULATE}), which {world} processes cannot share equally."
        )
        hint = f"Use a number of processes that divides {batches}."
        raise TrainingError(f"training.{ACCUMULATE}", message, hint)


def _indivisible(batch_size: int, parts: int, world: int) -> TrainingError:
    lower = batch_size // parts * parts
    choices = " or ".join(str(size) for size in (lower, lower + parts) if size)
    message = f"A batch of {batch_size} samples cannot be divided among {world} processes."
    return TrainingError(f"training.{BATCH_SIZE}", message, f"Set {BATCH_SIZE} to {choices}.")
