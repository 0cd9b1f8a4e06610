"""The verbs of the canvas as a table: name, the drawing it starts from, what the hand does."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.browser.drawings import CHAIN
from tests.browser.hand import Hand

Steps = Callable[[Hand], None]


@dataclass(frozen=True)
class Verb:
    """undos: how many undo steps it is. 0: it changes nothing in the file."""

    name: str
    steps: Steps
    graph: dict[str, Any]
    parts: dict[str, Any]
    undos: int


class Table(list[Verb]):
    """Verbs, each entered by writing `@table()` above its steps."""

    def __call__(
        self, graph: dict[str, Any] = CHAIN, undos: int = 1, **parts: Any
    ) -> Callable[[Steps], Steps]:
        def enter(steps: Steps) -> Steps:
            self.append(Verb(steps.__name__, steps, graph, parts, undos))
            return steps

        return enter
