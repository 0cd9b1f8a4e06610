"""One network and one set of samples have one answer at every door, or a sentence says why not."""

from collections.abc import Callable, Iterator

import pytest

from tests.bench.exports_own import trusted
from tests.crossing.cross import crossed, trained
from tests.crossing.doors import DOORS, TrainedRun
from tests.crossing.projects import PROJECTS

Trained = Callable[[str], TrainedRun]
OFTEN = frozenset(
    (
        ("iris with suggested settings", "sweep, together"),
        ("iris with suggested settings", "resume"),
        ("iris with suggested settings", "serve, prepared"),
        ("table with dates and decimal commas", "script"),
        ("table with dates and decimal commas", "V, own row"),
        ("table with dates and decimal commas", "bundle"),
    )
)
"""What the gate crosses; `make crossing` and `make test-all` cross all."""
PAIRS = [
    pytest.param(name, door, marks=pytest.mark.gate if (name, door) in OFTEN else pytest.mark.slow)
    for name in PROJECTS
    for door in DOORS
]


@pytest.fixture(scope="module")
def run_of() -> Iterator[Trained]:
    """Trains a project once."""
    known = dict[str, TrainedRun]()
    with trusted() as workspace:

        def run(name: str) -> TrainedRun:
            if name not in known:
                known[name] = trained(name, workspace)
            return known[name]

        yield run


@pytest.mark.parametrize(("name", "door"), PAIRS)
def test_a_door_gives_the_answer_of_the_run(run_of: Trained, name: str, door: str) -> None:
    found = crossed(run_of(name), DOORS[door])
    assert found.word in ("equal", "refused"), found.why
    assert found.word == "equal" or found.why
