"""The door of this wing is crossed in the gate."""

from tests.crossing.doors import DOORS
from tests.crossing.projects import PROJECTS
from tests.crossing.turn import chosen


def test_a_bundle_is_crossed_with_each_commit() -> None:
    assert "bundle" in {door for _, door in chosen(list(PROJECTS), DOORS, 7)}
