"""One network and one set of samples have one answer at every door, or a sentence says why not."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.crossing.cross import crossed, trained
from tests.crossing.doors import DOORS
from tests.crossing.own_project import trusted
from tests.crossing.projects import PROJECTS
from tests.crossing.trained_run import TrainedRun
from tests.crossing.turn import chosen, shift

Trained = Callable[[str], TrainedRun]
OFTEN = chosen(list(PROJECTS), DOORS, shift())
"""What the gate crosses, others with each commit; `make crossing` and `make test-all` cross all."""
PAIRS = [
    pytest.param(name, door, marks=pytest.mark.gate if (name, door) in OFTEN else pytest.mark.slow)
    for name in PROJECTS
    for door in DOORS
]


@pytest.fixture(scope="module")
def run_of() -> Iterator[Trained]:
    """Trains a project once, and lets go of the one before."""
    with ExitStack() as stack:
        known = dict[str, TrainedRun]()

        def run(name: str) -> TrainedRun:
            if name not in known:
                stack.close()
                known.clear()
                known[name] = trained(name, stack.enter_context(trusted()))
            return known[name]

        yield run


@pytest.mark.parametrize(("name", "door"), PAIRS)
def test_a_door_gives_the_answer_of_the_run(
    run_of: Trained, name: str, door: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of(name)
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(run.workspace))
    found = crossed(run, DOORS[door])
    assert found.word in ("equal", "stated", "refused"), found.why
    assert found.word == "equal" or found.why
