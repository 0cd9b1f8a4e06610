"""Every "do" of the lessons has a solution that is accepted; the untouched template is not."""

from dataclasses import replace
from typing import Any

import pytest

from core.analyse import analyse_project, report_json
from core.claims import Check
from core.claims.judge import judge, value_shown, with_article
from core.graph import Graph
from core.project import Project, ProjectError
from core.project.templates import load_template
from core.wings.lessons import list_lessons, start
from core.wings.lessons.drawing import solve_step
from tests.wings.lessons.solutions import along

LESSONS = {lesson.name: lesson for lesson in list_lessons()}
DOING = [(name, step.name) for name, x in LESSONS.items() for step in x.steps if step.do]


def holding(project: Project, claims: tuple[Check, ...]) -> list[bool]:
    report = report_json(analyse_project(project))
    return [judge(claim, project, report).holds for claim in claims]


@pytest.mark.parametrize(("lesson", "step"), DOING)
def test_the_solution_is_accepted_and_what_was_there_before_is_not(lesson: str, step: str) -> None:
    found = LESSONS[lesson]
    asked = found.step(step)
    assert asked is not None
    projects = [start(found), *(project for _, project in along(found))]
    place = [s.name for s in found.steps].index(step)
    before, after = projects[place], projects[place + 1]
    assert not all(holding(before, asked.do))
    assert not all(holding(start(found), asked.do))
    assert holding(after, asked.do) == [True] * len(asked.do)


@pytest.mark.parametrize(("lesson", "step"), DOING)
def test_a_solution_on_another_drawing_is_refused_in_a_sentence_and_not_half_done(
    lesson: str, step: str
) -> None:
    asked = LESSONS[lesson].step(step)
    assert asked is not None
    if asked.solution.edits:
        with pytest.raises(ProjectError, match="Your drawing differs from the start of this step"):
            solve_step(replace(LENET, graph=Graph()), asked.solution)


def test_every_step_that_asks_for_something_has_hints_and_every_drawing_a_solution() -> None:
    steps = [step for lesson in LESSONS.values() for step in lesson.steps]
    assert [step.name for step in steps if step.kind != "look" and not step.hints] == []
    assert [step.name for step in steps if step.do and not step.solution] == []


LENET = load_template("lenet_digits")


def judged(project: Project, kind: str, **given: Any) -> tuple[str, bool, str]:
    report = report_json(analyse_project(project))
    found = judge(Check(kind, given), project, report)
    return found.text, found.holds, found.now


@pytest.mark.parametrize(
    ("kind", "given", "wanted"),
    [
        ("has", {"block": "Tanh"}, ("There is a Tanh.", True, "")),
        ("has", {"block": "Tanh", "after": "fc1"}, ("There is a Tanh after fc1.", True, "")),
        (
            "has",
            {"block": "Conv2d", "after": "fc1"},
            ("There is a Conv2d after fc1.", False, "conv1 is not after fc1."),
        ),
        (
            "has",
            {"block": "Conv2d", "after": "conv1", "before": "fc1"},
            ("There is a Conv2d after conv1 and before fc1.", True, ""),
        ),
        (
            "has",
            {"block": "Linear", "after": "fc3"},
            ("There is a Linear after fc3.", False, "fc1 is not after fc3."),
        ),
        ("lacks", {"block": "ReLU"}, ("No ReLU is left.", True, "")),
        (
            "lacks",
            {"block": "AvgPool2d"},
            ("No AvgPool2d is left.", False, "Still there: pool1, pool2."),
        ),
        ("params_below", {"count": 61_706}, (
            "The network has fewer than 61,706 parameters.", False, "Now 61,706.")),
        ("params_below", {"count": 61_707}, (
            "The network has fewer than 61,707 parameters.", True, "Now 61,706.")),
        ("leaves", {"node": "pool1", "shape": (6, 14, 14)}, (
            "pool1 outputs (N, 6, 14, 14).", True, "")),
        ("leaves", {"node": "pool1", "shape": (6, 13, 13)}, (
            "pool1 outputs (N, 6, 13, 13).", False, "Now (N, 6, 14, 14).")),
        ("leaves", {"node": "gone", "shape": (6,)}, (
            "gone outputs (N, 6).", False, "No output yet.")),
        ("error_on", {"node": "pool2"}, ("pool2 is red.", False, "")),
        ("block_setting", {"node": "conv1", "setting": "kernel_size", "value": 5}, (
            "kernel_size of conv1 is 5.", True, "")),
        ("block_setting", {"node": "gone", "setting": "p", "value": 5}, (
            "p of gone is 5.", False, "gone is not in the drawing.")),
        ("training", {"setting": "lr", "value": 0.00002}, (
            "Learning rate is 0.00002 in the training settings.", False, "Now 0.002.")),
        ("data", {"setting": "normalize", "value": True}, (
            "Normalise is on in the data settings.", False, "Now not set.")),
        ("repeats", {"node": "conv1", "times": 3}, (
            "conv1 is repeated 3 times.", False, "Now 1.")),
    ],
)  # fmt: skip
def test_a_claim_says_what_it_asks_and_how_it_stands(kind, given, wanted) -> None:
    assert judged(LENET, kind, **given) == wanted


def test_a_broken_drawing_is_described_with_its_numbers() -> None:
    step = LESSONS["04_pooling"].step("break")
    assert step is not None
    broken = solve_step(LENET, step.solution)
    message = "pool2 has a 12x12 kernel but receives a 10x10 image."
    assert judged(broken, "error_on", node="pool2")[1:] == (True, message)
    assert judged(broken, "no_errors")[1:] == (False, message)
    assert judged(broken, "params_below", count=10**7)[1:] == (False, "It has errors.")


def test_a_drawing_that_is_empty_satisfies_nothing_but_what_lacks() -> None:
    empty = replace(LENET, graph=Graph())
    assert judged(empty, "lacks", block="ReLU")[1]
    for kind, given in (
        ("no_errors", {}),
        ("params_below", {"count": 5}),
        ("has", {"block": "ReLU"}),
        ("has", {"block": "ReLU", "after": "conv1"}),
        ("repeats", {"node": "conv1", "times": 1}),
    ):
        assert not judged(empty, kind, **given)[1], kind


def test_true_is_not_one_and_off_is_not_zero() -> None:
    project = replace(LENET, training={**LENET.training, "lr": 1, "histograms": False})
    assert not judged(project, "training", setting="lr", value=True)[1]
    assert not judged(project, "training", setting="histograms", value=0)[1]


@pytest.mark.parametrize(
    ("value", "words"), [(0.00002, "0.00002"), (0.3, "0.3"), (1.0, "1"), (True, "on"), (200, "200")]
)
def test_a_value_is_written_as_it_is_typed(value, words) -> None:
    assert value_shown(value) == words


@pytest.mark.parametrize(
    ("name", "said"), [("ReLU", "a ReLU"), ("LSTM", "an LSTM"), ("GRU", "a GRU"), ("add", "an add")]
)
def test_a_block_has_the_article_that_it_takes_when_it_is_said(name, said) -> None:
    assert with_article(name) == said
