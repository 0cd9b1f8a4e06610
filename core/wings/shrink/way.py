"""Declaration of a compression method, and its result. Imports no torch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from core.common.errors import LayerloomError

if TYPE_CHECKING:
    from torch import Tensor

    from core.export.subject import Subject
    from core.project import Project

EXTRA = "pip install 'layerloom[shrink]'"
ReportStep = Callable[[str], None]
"""Receives the current step, in a few words."""


class ShrinkError(LayerloomError):
    """A network that a method does not support: the block, the reason, and an alternative."""


@dataclass(frozen=True)
class TryOptions:
    """Settings of one try. amount: the method's number, as declared; epochs: of fine-tuning."""

    amount: float = 0.0
    epochs: int = 0


@dataclass(frozen=True)
class Amount:
    """The number that a method takes: its title, default and bounds."""

    title: str
    default: float
    low: float = 0.05
    high: float = 0.95


@dataclass(frozen=True, eq=False)
class SmallerNetwork:
    """A smaller network. run: what it computes, as a function of its inputs.

    content: the file; "" of a drawing, which is `project` with `weights` instead. lines: the
    Python that makes it, beside network.py, network.safetensors and samples.safetensors.
    compared: whether its outputs are meant to equal the network's.
    """

    run: Callable[..., Any]
    lines: str
    content: bytes = b""
    project: "Project | None" = None
    weights: "Mapping[str, Tensor]" = field(default_factory=lambda: {})
    notes: tuple[str, ...] = ()
    compared: bool = True


@dataclass(frozen=True)
class Way:
    """One method. name: in commands and folders. make: raises ShrinkError.

    ending: of the file it gives; "" where it gives a drawing. amount: the number it takes.
    epochs: of training after it, as usual; None where nothing is trained. packages: that it needs
    beside the main ones. usual: whether it is tried if no method is named.
    """

    name: str
    title: str
    about: str
    make: "Callable[[Subject, TryOptions, ReportStep], SmallerNetwork]"
    ending: str = ""
    amount: Amount | None = None
    epochs: int | None = None
    packages: tuple[str, ...] = ()
    usual: bool = True

    @property
    def missing(self) -> str:
        """The first package that is not here, "" for none."""
        return next((name for name in self.packages if find_spec(name) is None), "")

    def options(self, amount: float | None = None, epochs: int | None = None) -> TryOptions:
        """The settings of a try, with defaults for None. Raises ShrinkError."""
        if amount is not None and self.amount is None:
            raise ShrinkError(
                f"{self.name} takes no number but received {amount:g}.", "Leave it out."
            )
        if self.amount and amount is not None and not self.amount.low <= amount <= self.amount.high:
            bounds = f"{self.amount.low:g} to {self.amount.high:g}"
            raise ShrinkError(f"{self.name} needs a number from {bounds} but received {amount:g}.")
        number = self.amount.default if self.amount and amount is None else amount
        trained = (self.epochs if epochs is None else epochs) if self.epochs is not None else 0
        return TryOptions(number or 0.0, trained or 0)

    def label(self, options: TryOptions) -> str:
        """The name of a try: its folder."""
        return f"{self.name}-{options.amount * 100:g}" if self.amount else self.name
