"""The Learn page: predict, draw, progress over reloads, begin anew, and nothing unforeseen."""

import json
import os
from pathlib import Path

import pytest

from app.wings.lessons import service as lessons
from app.wings.lessons.text import marked, paragraph
from core.graph.edits import remove
from core.project.drafts import drop_draft
from core.wings.lessons import list_lessons
from core.wings.lessons.drawing import solve_step
from core.wings.lessons.progress import read_progress
from tests.app.page_process import heavy_imports
from tests.app.tab import Tab

pytestmark = pytest.mark.slow
FIRST = list_lessons()[0]
DRAW = next(step for step in FIRST.steps if step.name == "draw")


@pytest.fixture
def learn(workspace):
    """A tab in the first lesson."""
    return Tab("learn", lesson=FIRST.name)


def html(tab) -> str:
    return " ".join(str(element.proto.body) for element in tab.at.get("html"))


def unfolded(tab) -> list[str]:
    return [each.label for each in tab.at.expander if each.proto.expanded]


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


def test_a_card_is_found_predicted_run_and_still_there_after_another_page(lenet):
    tab = lenet.go("learn")
    tab.at.segmented_control(key="learn_part").set_value("Cards").run()
    tab.at.text_input(key="learn_card_search").input("neuron hand").run()
    assert [b.key for b in tab.at.button if str(b.key).startswith("exp_")] == ["exp_one-neuron"]
    tab.press("exp_one-neuron")
    assert unfolded(tab) == []
    tab.at.selectbox(key="exp_block_one-neuron").set_value("fc3").run()
    tab.at.text_input(key="exp_guess_one-neuron").input("0")
    next(button for button in tab.at.button if button.label == "Run").click().run(timeout=900)
    tab.assert_calm()
    assert "Your guess is 0, the value is 0: right." in html(tab)
    assert unfolded(tab) == ["The code that does it"]
    tab.go("build").go("learn")
    assert "Your guess is 0, the value is 0: right." in html(tab)
    assert tab.at.selectbox(key="exp_block_one-neuron").value == "fc3"


def test_a_card_that_does_not_fit_says_why(workspace):
    tab = Tab("learn")
    tab.at.segmented_control(key="learn_part").set_value("Cards").run()
    assert "Cards run on the open drawing. Open or start a project first." in tab.texts
    assert "Start or open a project" in [link.proto.label for link in tab.at.get("page_link")]


def test_a_wrong_answer_gets_a_hint_then_the_calculation_and_a_right_one_is_kept(learn):
    answer(learn.press("step_count"), "count", "16")
    assert learn.texts == ["Not 16. Read the hint below and try again."]
    assert "Each of them has a weight of its own." in html(learn)
    assert "ll-worked" not in html(learn).partition("<style>")[0]
    answer(learn, "count", "16").assert_calm()
    assert learn.texts == ["Not 16. Read the hint below and try again."]
    answer(learn, "count", "18")
    assert learn.texts == ["Not 18. Work through the calculation and type the result."]
    assert "<li>weight: 1 · 16 = 16</li><li>bias: 1</li><li>total 17</li>" in html(learn)
    assert done() == ()
    answer(learn, "count", "17")
    assert learn.texts == []
    assert "Right: 17." in html(learn)
    assert done() == ("count",)
    again = Tab("learn", lesson=FIRST.name).press("step_count")
    assert "Done: 17." in html(again)


def test_what_is_no_number_is_asked_for_again_without_an_explanation(learn):
    answer(learn.press("step_count"), "count", "seventeen")
    assert learn.texts == ["This is not a whole number. Type digits only, as in 1024."]
    assert "ll-worked" not in html(learn).partition("<style>")[0]


def test_a_shape_may_be_typed_in_any_usual_way(workspace):
    tab = Tab("learn", lesson="02_layers")
    tab.at.text_input(key="answer_02_layers_wide").input("N x 16")
    next(button for button in tab.at.button if button.label == "Check").click().run()
    tab.assert_calm()
    assert "Right: (N, 16)." in html(tab)


def test_predicting_leaves_the_open_project_open(lenet):
    before = lenet.document
    lenet.at.session_state["lesson"] = FIRST.name
    lenet.go("learn").press("step_count")
    answer(lenet, "count", "17")
    assert lenet.document is before


def test_a_lesson_opens_beside_its_drawing(workspace):
    tab = Tab("learn").press(f"lesson_{FIRST.name}")
    tab.assert_calm()
    assert tab.document.project.name == FIRST.title
    assert [h.value for h in tab.at.subheader] == ["Meet the neuron"]
    assert "Step 1 of 5, 0 done" in html(tab)


def test_a_drawing_is_checked_beside_it_and_ticked_when_it_is_done(learn):
    learn.press("step_draw")
    assert "Open the drawing of this lesson with the button above" in html(learn)
    learn.press("learn_go").assert_calm()
    assert learn.document.project.name == FIRST.title
    assert "Still there: relu1, relu2." in html(learn)
    assert done() == ()
    learn.document.replace(solve_step(learn.document.project, DRAW.solution))
    learn.at.run()
    learn.assert_calm()
    assert "Still there" not in html(learn)
    assert "Step 4 of 5, 1 done" in html(learn)
    assert done() == ("draw",)


def test_hints_come_one_by_one_and_the_last_draws_the_solution(learn):
    learn.press("step_draw").press("learn_go")
    assert "ll-hints" not in html(learn).partition("<style>")[0]
    for number, hint in enumerate(DRAW.hints, 1):
        learn.press("learn_hint").assert_calm()
        assert marked(hint) in html(learn)
        assert html(learn).count("<li>") >= number
    learn.press("learn_answer").assert_calm()
    assert learn.document.project.graph.of_block("ReLU") == ()
    assert done() == ("draw",)


def test_a_solution_does_not_fit_a_drawing_that_is_another(learn):
    learn.press("step_draw").press("learn_go")
    learn.document.put_graph(remove(learn.document.project.graph, "relu1"))
    before = learn.document.project
    for _ in DRAW.hints:
        learn.press("learn_hint")
    learn.press("learn_answer")
    assert learn.texts == [
        "Your drawing differs from the start of this step: relu1 is not in the graph. Undo "
        "your edits with Ctrl+Z, or start the lesson over."
    ]
    assert learn.document.project == before


def test_the_last_hint_of_a_question_is_its_answer_with_the_calculation(learn):
    learn.press("step_count").press("learn_hint").press("learn_hint")
    assert "total 17" not in html(learn)
    learn.press("learn_answer").assert_calm()
    assert "Done: 17." in html(learn)
    assert "total 17" in html(learn)
    assert done() == ("count",)


def test_a_reload_comes_back_to_the_lesson_and_its_first_open_step(learn):
    learn.press("learn_next").press("step_draw").press("learn_go")
    assert learn.at.query_params["lesson"] in (FIRST.name, [FIRST.name])
    project = learn.document.address
    again = Tab("learn", lesson=FIRST.name, project=project)
    again.assert_calm()
    assert [h.value for h in again.at.subheader] == ["Count what it learns"]
    assert again.document.address == project


def test_the_panel_stands_beside_the_pages_of_the_lesson_only(learn):
    learn.press("step_draw").press("learn_go").assert_calm()
    assert "<b>One neuron</b><span>Step 4 of 5" in html(learn)
    learn.go("train").assert_calm()
    assert "<b>One neuron</b><span>Step 4 of 5" in html(learn)
    learn.go("").press("open_template_lenet_digits").assert_calm()
    assert "<b>One neuron</b>" not in html(learn)


def test_a_saved_drawing_is_still_that_of_the_lesson(learn, workspace):
    learn.press("step_draw").press("learn_go").carry_out("save").assert_calm()
    learn.go("learn").assert_calm()
    assert read_progress().lessons[FIRST.name].project == "one-neuron.loom.json"
    again = Tab("learn", lesson=FIRST.name).press("step_draw").press("learn_go")
    again.assert_calm()
    assert again.document.path == workspace / "one-neuron.loom.json"


def test_a_lesson_can_be_begun_anew(learn):
    learn.press("learn_next").press("step_draw").press("learn_go")
    first = learn.document.doc_id
    learn.go("learn").press("learn_anew").assert_calm()
    assert done() == ()
    assert learn.document.doc_id != first
    assert [h.value for h in learn.at.subheader] == ["Meet the neuron"]


def test_the_course_can_be_begun_anew(learn):
    learn.press("learn_next").press("learn_all").assert_calm()
    assert "1 of 5 steps" in html(learn)
    learn.press("learn_forget").assert_calm()
    assert "1 of 5 steps" not in html(learn)
    assert read_progress().lessons == {}


def test_a_drawing_that_is_gone_is_reported(learn):
    learn.press("learn_next")
    drop_draft(read_progress().lessons[FIRST.name].project)
    learn.press("step_draw").press("learn_go")
    assert learn.texts[0].startswith("The drawing of this lesson was deleted.")
    learn.press("learn_anew").assert_calm()
    assert learn.document.project.name == FIRST.title


@pytest.mark.parametrize("name", ["99_nowhere", "../../etc/passwd", "<b>x</b>", "x" * 5000])
def test_an_address_that_names_no_lesson_shows_the_course(name, workspace):
    tab = Tab("learn", lesson=name)
    assert not tab.at.exception
    assert tab.texts == ["There is no such lesson. Choose one from the list."]
    assert "0 of 11 lessons done" in html(tab)
    tab.press("learn_go_on").assert_calm()


def test_progress_that_cannot_be_read_is_reported_and_the_course_stays(workspace):
    Path(os.environ["LAYERLOOM_HOME"], "lessons.json").write_text("{")
    tab = Tab("learn")
    tab.assert_calm()
    assert "is not a progress file" in tab.texts[0]
    assert "0 of 11 lessons done" in html(tab)
    assert Tab().at.button(key="learn").label == "Learn step by step"


def test_a_teacher_without_students_reads_how_progress_comes_here(workspace):
    tab = Tab("learn").press("learn_class")
    tab.assert_calm()
    markdown = " ".join(text.value for text in tab.at.markdown)
    assert "No student progress yet." in markdown
    assert "`LAYERLOOM_CLASS=progress layerloom`" in markdown
    assert '<th scope="row">One neuron</th><td>5</td>' in html(tab)


def test_a_teacher_sees_who_has_done_what(workspace, tmp_path, monkeypatch):
    monkeypatch.setenv("LAYERLOOM_CLASS", str(tmp_path))
    done_steps = [step.name for step in FIRST.steps]
    rows = {FIRST.name: {"project": "new-0123456789ab", "since_s": 1.0, "done": done_steps}}
    Path(tmp_path, "<b>zoe.json").write_text(json.dumps({"progress": 1, "lessons": rows}))
    Path(tmp_path, "eve.json").write_text("[")
    tab = Tab("learn").press("learn_class")
    tab.assert_calm()
    assert '&lt;b&gt;zoe</th><td class="done">✓ done</td><td class="new" ' in html(tab)
    assert "1 of 11" in html(tab)
    assert tab.texts[0].startswith("eve.json is not a progress file")
    assert "0 of 11 lessons done" in html(tab.press("class_back"))


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
        '<p class="ll-lesson ll-prose">&lt;b&gt;<code>fc1</code>&lt;/b&gt; &amp; <b>Train</b></p>'
    )
    for lesson in list_lessons():
        for step in lesson.steps:
            assert not set("`*") & set(marked(step.text))


def test_the_page_process_of_the_lessons_imports_no_torch(workspace):
    steps = (
        "tab = Tab('learn', lesson='01_one_neuron').press('step_count')",
        "tab.at.text_input(key='answer_01_one_neuron_count').input('17')",
        "[b for b in tab.at.button if b.label == 'Check'][0].click().run()",
        "tab.press('step_draw').press('learn_go').go('learn').press('step_train')",
        "tab.assert_calm()",
    )
    assert heavy_imports(workspace, *steps) == []


def test_a_shape_with_the_batch_last_is_answered_with_where_it_stands(workspace):
    tab = Tab("learn", lesson="02_layers")
    tab.at.text_input(key="answer_02_layers_wide").input("(16, N)")
    next(button for button in tab.at.button if button.label == "Check").click().run()
    assert tab.texts == ["The batch size N comes first: (N, 16)."]
    assert read_progress().lessons == {}


@pytest.mark.parametrize("page", ["build", "train"])
def test_the_next_lesson_begins_wherever_one_is(page, workspace):
    last, second = FIRST.steps[-1], list_lessons()[1]
    tab = Tab("learn", lesson=FIRST.name).press("step_draw").press("learn_go")
    tab.at.session_state[f"learn:step:{FIRST.name}"] = last.name
    tab.go(page).press("learn_next_lesson").assert_calm()
    assert tab.document.project.name == second.title
    assert f"<b>{second.title}</b><span>Step 1 of 5, 0 done" in html(tab)
    assert read_progress().lessons[second.name].project == tab.document.address


def test_a_next_lesson_whose_drawing_was_deleted_says_so_on_learn(learn):
    second = list_lessons()[1]
    drop_draft(lessons.begin(second).address)
    learn.press("step_train").press("learn_next_lesson")
    assert learn.texts[0].startswith("The drawing of this lesson was deleted.")
    assert next(h.value for h in learn.at.header) == second.title


def test_who_presses_train_after_a_drawing_is_done_is_in_the_step_that_trains(learn):
    learn.press("step_draw").press("learn_go")
    learn.document.replace(solve_step(learn.document.project, DRAW.solution))
    learn.at.run()
    learn.go("train").assert_calm()
    assert "Step 5 of 5, 1 done" in html(learn)
    assert "learn_go" not in {button.key for button in learn.at.button}
