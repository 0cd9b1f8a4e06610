"""How the outputs of each kind of target are read. Imports torch; the kinds do not."""

from collections.abc import Iterator
from types import ModuleType

from core.tasks.measure import Measure
from core.tasks.readings import classes, compared, numeric, pictures, sequences


def _readings(module: ModuleType) -> Iterator[type[Measure]]:
    """The classes of a module that name a kind of target."""
    for each in vars(module).values():
        if isinstance(each, type) and issubclass(each, Measure) and "declared" in vars(each):
            yield each


READINGS: dict[str, type[Measure]] = {
    reading.declared.name: reading
    for module in (classes, compared, numeric, pictures, sequences)
    for reading in _readings(module)
}
"""By the name of the kind."""
