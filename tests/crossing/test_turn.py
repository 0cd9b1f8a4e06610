"""The pairs of the gate: each quick door once, few projects, others with each commit."""

from pathlib import Path

from core.settings.schema import TRAINING
from tests.crossing.doors import DOORS, Door
from tests.crossing.projects import PROJECTS
from tests.crossing.settings import ELSEWHERE, OTHER
from tests.crossing.trained_run import TrainedRun
from tests.crossing.turn import FEW_PROJECTS, chosen, shift


def nothing(_: TrainedRun):
    raise AssertionError


DOOR = {
    "a": Door(nothing),
    "b": Door(nothing),
    "slower": Door(nothing, seconds=9),
    "slowest": Door(nothing, seconds=99),
}


def test_each_quick_door_is_crossed_once_with_few_projects() -> None:
    pairs = chosen(list(PROJECTS), DOORS, 7)
    assert len({project for project, _ in pairs}) == FEW_PROJECTS
    assert {"resume", "source", "look"} < {door for _, door in pairs}
    assert len({door for _, door in pairs}) == len(pairs)


def test_all_pairs_but_the_slowest_have_their_turn() -> None:
    names = [f"p{i}" for i in range(7)]
    met = set[tuple[str, str]]()
    for number in range(7 * 10):
        met |= chosen(names, DOOR, number)
    assert met == {(name, door) for name in names for door in ("a", "b", "slower")}


def test_the_shift_is_one_number_within_a_commit_and_without_git(tmp_path: Path) -> None:
    assert shift() == shift()
    (tmp_path / "core").mkdir()
    (tmp_path / "core/a.py").write_text("1")
    first = shift(tmp_path)
    (tmp_path / "core/a.py").write_text("2")
    assert shift(tmp_path) != first


def test_every_training_setting_is_crossed_or_named() -> None:
    names = {setting.name for setting in TRAINING}
    assert names - set(OTHER) == ELSEWHERE
    assert set(OTHER) <= names
