"""What the canvas marks, hides and folds for a step of a lesson."""

import pytest

from core.wings.lessons import list_lessons
from core.wings.lessons.focus import Focus, focus

COURSE = {lesson.name: lesson for lesson in list_lessons()}


def of(lesson: str, step: str, *answered: str) -> Focus:
    found = COURSE[lesson].step(step)
    assert found is not None
    return focus(COURSE[lesson], found, answered)


def test_a_question_hides_its_answer_until_it_is_given() -> None:
    assert of("01_one_neuron", "count") == Focus(("fc3",), (("params", "fc3"),))
    assert of("01_one_neuron", "count", "count") == Focus(("fc3",))


def test_the_steps_before_a_question_hide_its_answer_and_those_after_do_not() -> None:
    assert of("01_one_neuron", "meet").hidden == (("params", "fc3"),)
    assert of("02_layers", "wide").hidden == (("shape", "fc1"), ("params", "fc1"))
    assert of("02_layers", "train").hidden == ()


def test_a_question_about_an_edited_drawing_hides_nothing() -> None:
    assert of("03_convolution", "stride", "share") == Focus(("conv1",))
    assert of("01_one_neuron", "imagine").hidden == ()


def test_a_drawing_step_marks_the_blocks_that_change() -> None:
    assert of("01_one_neuron", "draw") == Focus(("fc1", "relu1", "fc2", "relu2"))
    assert of("09_residual", "cut").about == ("join",)


@pytest.mark.parametrize(
    ("lesson", "step", "palette", "settings"),
    [
        ("05_depth", "deeper", True, True),
        ("07_overfitting", "insert", True, False),
        ("04_pooling", "max", False, True),
        ("09_residual", "deep", False, True),
        ("11_attention", "eight", False, True),
        ("01_one_neuron", "draw", False, False),
    ],
)
def test_a_step_opens_only_the_panels_it_needs(lesson, step, palette, settings) -> None:
    assert (of(lesson, step).palette, of(lesson, step).settings) == (palette, settings)
