"""Every lesson that comes with the program: what it names exists; reading is strict."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from core.project import ProjectError, read_text, write_text
from core.wings.lessons import FOLDER, list_lessons, picture, read_lesson, start

LESSONS = list_lessons()
NAMES = [lesson.name for lesson in LESSONS]


def test_the_course_goes_from_one_neuron_to_attention() -> None:
    assert NAMES == [
        "01_one_neuron",
        "02_layers",
        "03_convolution",
        "04_pooling",
        "05_depth",
        "06_normalisation",
        "07_overfitting",
        "08_learning_rate",
        "09_residual",
        "10_recurrent",
        "11_attention",
    ]


@pytest.mark.parametrize("lesson", LESSONS, ids=NAMES)
def test_a_lesson_starts_with_its_template_under_its_own_title(lesson) -> None:
    project = start(lesson)
    assert project.name == lesson.title
    assert project.graph.nodes
    assert read_text(write_text(project), "again") == project


@pytest.mark.parametrize("lesson", LESSONS, ids=NAMES)
def test_the_nodes_that_a_lesson_marks_are_in_its_template_or_are_settings(lesson) -> None:
    graph = start(lesson).graph
    inner = [name for part in graph.composites.values() for name in part.graph.nodes]
    known = {*graph.nodes, *inner, "N", "lr", "val_r2", "val_accuracy", "val_loss"}
    texts = " ".join(words for step in lesson.steps for words in (step.text, *step.hints))
    assert {word for word in texts.split("`")[1::2]} <= known


@pytest.mark.parametrize("lesson", LESSONS, ids=NAMES)
def test_a_lesson_has_a_picture_of_its_own_of_plain_shapes(lesson) -> None:
    root = ElementTree.fromstring(picture(lesson))
    assert root.get("viewBox") == "0 0 280 92"
    drawn = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert drawn <= {"svg", "rect", "circle", "line", "path", "text"}
    assert len({picture(each) for each in LESSONS}) == len(LESSONS)


GOOD = json.loads((FOLDER / "01_one_neuron.json").read_text("utf-8"))


def refused(folder: Path, change) -> str:
    """Write a lesson with one change; return what reading it says."""
    lesson = json.loads(json.dumps(GOOD))
    change(lesson)
    file = folder / "01_one.json"
    file.write_text(json.dumps(lesson), "utf-8")
    with pytest.raises(ProjectError) as error:
        read_lesson(file)
    return str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x.update(script="print()"), "01_one.json: script is not known."),
        (lambda x: x.pop("see"), "01_one.json: see is missing."),
        (lambda x: x.update(lesson=2), "01_one.json: lesson needs a whole number from 1 to 1"),
        (lambda x: x.update(title=["a"]), "01_one.json: title needs text"),
        (lambda x: x.update(title=" "), "01_one.json: title needs text"),
        (lambda x: x.update(minutes=True), "01_one.json: minutes needs a whole number"),
        (lambda x: x.update(steps=x["steps"][:2]), "01_one.json: steps has 2 steps."),
        (lambda x: x["steps"][0].update(go="shop"), 'steps[0].go "shop" is not allowed here.'),
        (lambda x: x["steps"][0].update(name="A b"), 'steps[0].name "A b" is not a step name.'),
        (lambda x: x["steps"][1].update(name="meet"), 'steps[1].name "meet" is already used.'),
        (lambda x: x["steps"][0].update(text="\u202egnp"), "steps[0].text contains the invisible"),
        (
            lambda x: x["steps"][1].update(do=[{"claim": "no_errors"}]),
            "steps[1] has two tasks.",
        ),
        (
            lambda x: x["steps"][1]["predict"].update(answer=17),
            "steps[1].predict.answer is not known.",
        ),
        (lambda x: x["steps"][1]["predict"].pop("node"), "steps[1].predict.node is needed for"),
        (lambda x: x["steps"][3].update(do=[]), "steps[3].do is empty."),
        (lambda x: x["steps"][1].update(hints=[]), "steps[1].hints has 0 hints."),
        (lambda x: x["steps"][1].update(hints=[7]), "steps[1].hints[0] needs text"),
        (lambda x: x["steps"][3].update(solution={}), "steps[3].solution is empty."),
        (
            lambda x: x["steps"][3].update(solution={"code": "1"}),
            "steps[3].solution.code is not known.",
        ),
        (
            lambda x: x["steps"][0].update(solution={"training": {"lr": 1}}),
            "steps[0] has a solution but no task",
        ),
        (
            lambda x: x["steps"][3].update(do=[{"claim": "eval", "code": "1"}]),
            'steps[3].do[0].claim "eval" is not a claim.',
        ),
        (
            lambda x: x["steps"][3].update(do=[{"claim": "has", "block": "Rocket"}]),
            'steps[3].do[0].block "Rocket" is not a block.',
        ),
        (
            lambda x: x["steps"][4]["train"][0].update(at_least="0.4"),
            "steps[4].train[0].at_least needs a number",
        ),
        (
            lambda x: x["steps"][4]["train"][0].update(having=[{"claim": "no_errors"}]),
            'steps[4].train[0].having[0].claim "no_errors" is not a claim.',
        ),
    ],
)
def test_what_the_schema_does_not_know_is_refused_with_its_place(change, message, tmp_path) -> None:
    assert message in refused(tmp_path, change)


def test_a_key_written_twice_and_a_strange_name_are_refused(tmp_path) -> None:
    file = tmp_path / "01_one.json"
    file.write_text('{"lesson": 1, "lesson": 1}', "utf-8")
    with pytest.raises(ProjectError, match='repeats the key "lesson"'):
        read_lesson(file)
    file = tmp_path / "one.json"
    file.write_text(json.dumps(GOOD), "utf-8")
    with pytest.raises(ProjectError, match="is not a lesson name"):
        read_lesson(file)
