"""Goals are told from run folders alone: here folders with literal numbers."""

import json
from dataclasses import replace
from pathlib import Path

from core.claims import Check
from core.project import save_project
from core.project.templates import load_template
from core.runs.listing import RunView
from core.wings.lessons import list_lessons
from core.wings.lessons.goals import GoalResult, met, runs_of

PROJECT = load_template("regression_diabetes")


def run(folder: Path, number: int, **parts) -> RunView:
    """A run folder with a spec and a project, and the view of it."""
    path = folder / f"run-{number}"
    path.mkdir()
    training = parts.pop("training", {"lr": 0.005})
    (path / "spec.json").write_text(json.dumps({"training": training}))
    save_project(parts.pop("project", PROJECT), path / "project.loom.json")
    given = {"state": "finished", "project_name": "One neuron", "created_s": 100.0 + number}
    return RunView(path, path.name, **{**given, **parts})


def reaches(least: float, *having: Check) -> Check:
    return Check("reaches", {"metric": "val_r2", "at_least": least, "having": having})


def outcome(found: GoalResult) -> tuple[bool, str, tuple[str, ...]]:
    return found.verdict.holds, found.verdict.now, found.runs


def best(value: float) -> dict:
    return {"metric": "val_loss", "value": 1.0, "metrics": {"val_r2": value}}


def test_the_best_run_counts_and_is_named(tmp_path) -> None:
    views = [run(tmp_path, 2, best=best(0.3)), run(tmp_path, 1, best=best(0.41))]
    assert outcome(met(reaches(0.4), views)) == (True, "run-1: 0.41.", ("run-1",))
    assert outcome(met(reaches(0.42), views)) == (False, "run-1: 0.41.", ("run-1",))


def test_without_a_run_it_says_so(tmp_path) -> None:
    assert outcome(met(reaches(0.4), [])) == (False, "No run of this lesson yet.", ())
    views = [run(tmp_path, 1, best=best(0.9))]
    lacks = Check("lacks", {"block": "ReLU"})
    goal = reaches(0.4, lacks)
    assert outcome(met(goal, views)) == (False, "No run of such a network yet.", ())
    expected = "Train a network without ReLU to at least 0.4 validation R²."
    assert met(goal, views).verdict.text == expected


def test_a_run_without_numbers_or_with_a_broken_project_reaches_nothing(tmp_path) -> None:
    views = [run(tmp_path, 1, best=None), run(tmp_path, 2, best=best(0.9))]
    (views[1].dir / "project.loom.json").write_text("{")
    has = Check("has", {"block": "ReLU"})
    assert not met(reaches(0.4, has), views).verdict.holds
    assert met(reaches(0.4), views[:1]).verdict.now == ""


def test_curves_that_part_and_curves_that_stay_together(tmp_path) -> None:
    given = {"metric": "val_loss", "over": "train_loss", "times": 3.0}
    parted = run(tmp_path, 1, metrics={"val_loss": 1.0, "train_loss": 0.1})
    close = run(tmp_path, 2, metrics={"val_loss": 0.5, "train_loss": 0.4})
    stopped = run(tmp_path, 3, metrics={"val_loss": 9.0, "train_loss": 0.1}, state="stopped")
    exact = run(tmp_path, 4, metrics={"val_loss": 9.0, "train_loss": 0.0})
    drifts, keeps = Check("drifts", given), Check("keeps_close", given)
    expected = (True, "run-1: 1 / 0.1 = 10.", ("run-1",))
    assert outcome(met(drifts, [close, parted, stopped])) == expected
    assert not met(drifts, [close, stopped, exact]).verdict.holds
    assert outcome(met(keeps, [close, parted])) == (
        True,
        "run-2: 0.5 / 0.4 = 1.25.",
        ("run-2",),
    )
    assert not met(keeps, [parted]).verdict.holds


def test_two_runs_that_differ_in_a_setting(tmp_path) -> None:
    goal = Check("apart", {"setting": "lr", "values": (0.002, 0.00002)})
    one = run(tmp_path, 1, training={"lr": 0.002})
    other = run(tmp_path, 2, training={"lr": 0.00002})
    alive = run(tmp_path, 3, training={"lr": 0.00002}, state="running")
    assert outcome(met(goal, [])) == (False, "No run has finished yet.", ())
    missing = "One run has finished. Still missing: learning rate 0.00002."
    assert outcome(met(goal, [alive, one])) == (False, missing, ())
    assert outcome(met(goal, [other, one])) == (True, "", ("run-1", "run-2"))
    expected = "Finish two runs: one with learning rate 0.002, one with learning rate 0.00002."
    assert met(goal, []).verdict.text == expected


def test_runs_of_a_lesson_are_those_of_its_drawing_since_it_began(tmp_path) -> None:
    views = [run(tmp_path, number) for number in (3, 2, 1)]
    views.append(run(tmp_path, 4, project_name="Other"))
    views.append(run(tmp_path, 5, state="lost"))
    found = runs_of(views, {"One neuron"}, 102.0)
    assert [view.name for view in found] == ["run-3", "run-2"]


def test_a_project_without_the_block_is_one_that_a_claim_on_runs_speaks_of(tmp_path) -> None:
    bare = replace(PROJECT, data={"source": "diabetes", "normalize": False})
    goal = Check("finishes", {"having": (Check("data", {"setting": "normalize", "value": False}),)})
    assert not met(goal, [run(tmp_path, 1)]).verdict.holds
    assert met(goal, [run(tmp_path, 2, project=bare)]).verdict.holds


def test_a_goal_is_an_order_in_the_words_of_the_charts() -> None:
    texts = {met(goal, []).verdict.text for lesson in list_lessons()
             for step in lesson.steps for goal in step.train}  # fmt: skip
    assert {
        "Train a network with ReLU to at least 90% validation accuracy.",
        "Train a network with Conv2d after conv4 and before pool2 to at least 95% validation "
        "accuracy.",
        "Train a network with BatchNorm1d before fc1 and with normalise off to at most 0.1 "
        "validation loss.",
        "Train a network with kernel_size 3 in conv1 to at least 95% validation accuracy.",
        "Train a network without Dropout and with epochs 200: in the end the validation loss is at "
        "least 5 times the training loss.",
        "Train a network without add and with stage1 repeated 6 times until the run has finished.",
    } <= texts
