"""What several processes that make a step together exchange in it; a single process has none."""

from typing import Protocol

from core.source.fold import Slots


class StepExchange(Protocol):
    """This process's part of a step. slots: of the text of the step."""

    slots: Slots

    def begin(self) -> None:
        """What the text of the step calls before a forward pass."""
        ...

    def exchange(self) -> None:
        """What it calls after the backward pass of a micro-batch, for the gradients of all."""
        ...
