"""The tasks that come with Layerloom: the solution has all points, the start has not."""

import pytest

from core.wings.classroom import open_key, write_key, write_task
from core.wings.classroom.evidence import evidence_of
from core.wings.classroom.judge import judge_each
from core.wings.classroom.model import KEY_ENDING
from core.wings.classroom.ready import FOLDER, list_tasks

TASKS = {each.name: each.task for each in list_tasks() if each.task}
KEYS = {name: open_key(FOLDER / f"{name}{KEY_ENDING}") for name in TASKS}


def test_there_are_twelve_from_a_hidden_layer_to_a_transformer() -> None:
    assert len(TASKS) == 12
    assert next(iter(TASKS)) == "01_hidden_layer"
    assert list(TASKS)[-1] == "12_transformer"
    assert {each.problem for each in list_tasks()} == {""}


@pytest.mark.parametrize("name", TASKS)
def test_a_file_is_as_it_would_be_written_and_its_key_is_its_own(name: str) -> None:
    task, key = TASKS[name], KEYS[name]
    assert (FOLDER / f"{name}.task.json").read_text("utf-8") == write_task(task)
    assert (FOLDER / f"{name}{KEY_ENDING}").read_text("utf-8") == write_key(key)
    assert key.task == task.title
    assert key.data["test"] == 0.3


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_the_drawing_of_the_solution_holds_and_that_of_the_start_runs(name: str) -> None:
    task, solution = TASKS[name], KEYS[name].solution
    assert solution is not None
    assert all(line.holds for line in judge_each(task, evidence_of(solution)) if line.judged)
    assert evidence_of(task.start).report["ok"]


@pytest.mark.slow(keep=["04_convolution"])
@pytest.mark.parametrize("name", TASKS)
def test_the_solution_has_all_points_and_the_start_has_not(name: str) -> None:
    task, key = TASKS[name], KEYS[name]
    assert key.solution is not None
    points = [
        sum(line.points for line in judge_each(task, evidence_of(project, key=key)))
        for project in (key.solution, task.start)
    ]
    assert points[0] == task.points
    assert points[1] < task.points
