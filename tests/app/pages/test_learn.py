"""The Learn page: predict, draw, progress over reloads, begin anew, and nothing unforeseen."""

import os
from pathlib import Path

import pytest

from app.pages.learn.text import marked, paragraph
from app.services import lessons
from core.lessons import list_lessons
from core.lessons.progress import read_progress
from core.project.drafts import drop_draft
from tests.app.page_process import heavy_imports
from tests.app.tab import Tab
from tests.core.lessons.solutions import SOLUTIONS, changed

pytestmark = pytest.mark.slow
FIRST = list_lessons()[0]
DRAW = SOLUTIONS[FIRST.name, "draw"]


@pytest.fixture
def learn(workspace):
    """A tab in the first lesson."""
    return Tab("learn").press(f"lesson_{FIRST.name}")


def html(tab) -> str:
    return " ".join(str(element.proto.body) for element in tab.at.get("html"))


def answer(tab, step: str, text: str):
    tab.at.text_input(key=f"answer_{FIRST.name}_{step}").input(text)
    next(button for button in tab.at.button if button.label == "Check").click().run()
    tab.assert_calm()
    return tab


def done() -> tuple[str, ...]:
    return read_progress().done(FIRST)


def test_the_course_has_a_card_for_every_lesson(workspace):
    tab = Tab("learn")
    tab.assert_calm()
    keys = {button.key for button in tab.at.button}
    assert {f"lesson_{lesson.name}" for lesson in list_lessons()} <= keys
    assert "0 of 11 lessons done" in html(tab)
    assert "learn_forget" not in keys


def test_a_wrong_answer_is_explained_and_a_right_one_is_kept(learn):
    answer(learn.press("step_count"), "count", "16")
    assert learn.texts == ["16 is not right. Follow it through, then type what comes out."]
    assert "<li>weight: 1 · 16 = 16</li><li>bias: 1</li><li>together 17</li>" in html(learn)
    assert done() == ()
    answer(learn, "count", "17")
    assert learn.texts == []
    assert "Right: 17." in html(learn)
    assert done() == ("count",)
    again = Tab("learn", lesson=FIRST.name).press("step_count")
    assert "Done: 17." in html(again)


def test_what_is_no_number_is_asked_for_again_without_an_explanation(learn):
    answer(learn.press("step_count"), "count", "seventeen")
    assert learn.texts == ["That is no whole number. Write it as 1024."]
    assert "ll-worked" not in html(learn).partition("<style>")[0]


def test_a_shape_may_be_typed_in_any_usual_way(workspace):
    tab = Tab("learn").press("lesson_02_layers")
    tab.at.text_input(key="answer_02_layers_wide").input("N x 16")
    next(button for button in tab.at.button if button.label == "Check").click().run()
    tab.assert_calm()
    assert "Right: (N, 16)." in html(tab)


def test_predicting_leaves_the_open_project_open(lenet):
    before = lenet.document
    lenet.go("learn").press(f"lesson_{FIRST.name}").press("step_count")
    answer(lenet, "count", "17")
    assert lenet.document is before


def test_a_drawing_is_checked_when_the_page_is_shown(learn):
    learn.press("step_draw")
    assert "Open the drawing of this lesson with the button above" in html(learn)
    learn.press("learn_go").assert_calm()
    assert learn.document.project.name == FIRST.title
    learn.go("learn").assert_calm()
    assert "Still there: relu1, relu2." in html(learn)
    assert done() == ()
    learn.document.replace(changed(learn.document.project, DRAW))
    learn.go("learn").assert_calm()
    assert "Still there" not in html(learn)
    assert done() == ("draw",)


def test_a_reload_comes_back_to_the_lesson_and_its_first_open_step(learn):
    learn.press("learn_seen").press("step_draw").press("learn_go")
    assert learn.at.query_params["lesson"] in (FIRST.name, [FIRST.name])
    project = learn.document.address
    again = Tab("learn", lesson=FIRST.name, project=project)
    again.assert_calm()
    assert [h.value for h in again.at.subheader] == ["Count what it learns"]
    assert again.document.address == project


def test_the_way_back_stands_over_the_pages_of_the_lesson_only(learn):
    learn.press("step_draw").press("learn_go").assert_calm()
    assert "<b>One neuron</b> · Leave it alone" in html(learn)
    learn.go("train").assert_calm()
    assert "<b>One neuron</b> · Leave it alone" in html(learn)
    learn.go("").press("open_template_lenet_digits").assert_calm()
    assert "<b>One neuron</b>" not in html(learn)


def test_a_saved_drawing_is_still_that_of_the_lesson(learn, workspace):
    learn.press("step_draw").press("learn_go").press("save").assert_calm()
    learn.go("learn").assert_calm()
    assert read_progress().lessons[FIRST.name].project == "one-neuron.loom.json"
    again = Tab("learn", lesson=FIRST.name).press("step_draw").press("learn_go")
    again.assert_calm()
    assert again.document.path == workspace / "one-neuron.loom.json"


def test_a_lesson_can_be_begun_anew(learn):
    learn.press("learn_seen").press("step_draw").press("learn_go")
    first = learn.document.doc_id
    learn.go("learn").press("learn_anew").assert_calm()
    assert done() == ()
    assert learn.document.doc_id != first
    assert [h.value for h in learn.at.subheader] == ["Meet the neuron"]


def test_the_course_can_be_begun_anew(learn):
    learn.press("learn_seen").press("learn_all").assert_calm()
    assert "1 of 5 steps" in html(learn)
    learn.press("learn_forget").assert_calm()
    assert "1 of 5 steps" not in html(learn)
    assert read_progress().lessons == {}


def test_a_drawing_that_is_gone_is_told(learn):
    learn.press("learn_seen")
    drop_draft(read_progress().lessons[FIRST.name].project)
    learn.press("step_draw").press("learn_go")
    assert learn.texts[0].startswith("The drawing of this lesson is no longer here.")
    learn.press("learn_anew").assert_calm()
    assert learn.document.project.name == FIRST.title


@pytest.mark.parametrize("name", ["99_nowhere", "../../etc/passwd", "<b>x</b>", "x" * 5000])
def test_an_address_that_names_no_lesson_shows_the_course(name, workspace):
    tab = Tab("learn", lesson=name)
    assert not tab.at.exception
    assert tab.texts == ["There is no such lesson. Choose one from the list."]
    assert "0 of 11 lessons done" in html(tab)
    tab.press("learn_go_on").assert_calm()


def test_progress_that_cannot_be_read_is_told_and_the_course_stays(workspace):
    Path(os.environ["LAYERLOOM_HOME"], "lessons.json").write_text("{")
    tab = Tab("learn")
    tab.assert_calm()
    assert "is not a file of progress" in tab.texts[0]
    assert "0 of 11 lessons done" in html(tab)
    assert Tab().at.button(key="learn").label == "Learn step by step"


def test_the_start_page_tells_how_many_lessons_are_done(workspace):
    lessons.begin(FIRST)
    for step in FIRST.steps:
        lessons.keep(lessons.progress.note_done, FIRST.name, step.name)
    tab = Tab()
    assert tab.at.button(key="learn").label == "Learn: 1 of 11 done"
    tab.press("learn").assert_calm()
    assert "Layers" in tab.at.button(key="learn_go_on").label


def test_an_untouched_drawing_of_a_lesson_is_nothing_to_continue(workspace):
    lessons.begin(FIRST)
    assert [b.key for b in Tab().at.button if str(b.key).startswith("open_recent")] == []


def test_texts_are_escaped_and_their_marks_set():
    assert paragraph("<b>`fc1`</b> & *Train*") == (
        '<p class="ll-lesson">&lt;b&gt;<code>fc1</code>&lt;/b&gt; &amp; <b>Train</b></p>'
    )
    for lesson in list_lessons():
        for step in lesson.steps:
            assert not set("`*") & set(marked(step.text))


def test_the_page_process_of_the_lessons_imports_no_torch(workspace):
    steps = (
        "tab = Tab('learn').press('lesson_01_one_neuron').press('step_count')",
        "tab.at.text_input(key='answer_01_one_neuron_count').input('17')",
        "[b for b in tab.at.button if b.label == 'Check'][0].click().run()",
        "tab.press('step_draw').press('learn_go').go('learn').press('step_train')",
        "tab.assert_calm()",
    )
    assert heavy_imports(workspace, *steps) == []
