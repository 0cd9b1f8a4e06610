"""What a module of the table is: a class or a function that makes one, with a sample's shape."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from torch import nn

from core.wings.importing.tracing.model_call import ModelCall

Shape = tuple[int, ...]
Made = TypeVar("Made", bound=Callable[[], nn.Module])


@dataclass(frozen=True)
class Page:
    """One module. habit: what it is there for. refused: words of the reason, where that is true.

    batch_dim: where it has the batch. step: words of the reason for which a training step of the
    drawing has to differ. unrolled: a loop over the steps, which are as many as they are.
    """

    name: str
    book: str
    habit: str
    make: Callable[[], nn.Module]
    shapes: tuple[Shape, ...]
    dtypes: tuple[str, ...] = ()
    refused: str = ""
    step: str = ""
    batch_dim: int = 0
    unrolled: bool = False

    @property
    def run(self) -> ModelCall | None:
        """How it is called, None for its inputs in order."""
        return ModelCall(("",) * len(self.shapes), {}, self.batch_dim) if self.batch_dim else None


PAGES: dict[str, Page] = {}


def page(
    book: str, *shapes: Shape, dtypes: tuple[str, ...] = (), **more: Any
) -> Callable[[Made], Made]:  # fmt: skip
    """Enter a class, or a function that makes a module, under its name."""

    def enter(make: Made) -> Made:
        found: Any = make
        name = str(found.__name__)
        assert name not in PAGES
        habit = str(found.__doc__).strip()
        PAGES[name] = Page(name, book, habit, make, shapes, dtypes, **more)
        return make

    return enter
