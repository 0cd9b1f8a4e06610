"""The class: who has finished which lesson, for the teacher."""

from collections.abc import Sequence

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import markup, state
from app.wings.lessons import service as lessons
from core.project import ProjectError
from core.wings.lessons import Lesson, class_progress, progress
from core.wings.lessons.class_progress import Student

SHOWN = "learn:class"
LEAD = (
    "Who has finished what. Start the server with LAYERLOOM_CLASS=FOLDER and every student's "
    "progress is stored in that folder and read here. Otherwise collect the files that students "
    "download with “Hand in” on Learn. Nothing in them is executed."
)
BRIEF = "Who has finished which lesson. Nothing in a student's file is executed."
NEW = (
    "**No student progress yet.** There are two ways to collect it:",
    "- **One server for the whole class.** Start it with a folder for the progress, such as "
    "`LAYERLOOM_CLASS=progress layerloom`, and give the students its address.\n"
    "- **Each student on their own machine.** They press “Hand in” on Learn and send you the "
    "file; read all files at once with “Read files that were handed in”.",
    "Each student is then a row and each lesson a column: done, the number of steps done, or not "
    "started. You can download the table as CSV.",
)
"""Text for a teacher without students yet."""


def show() -> None:
    """Draw the page of the teacher."""
    if st.button("All lessons", icon=":material/arrow_back:", type="tertiary", key="class_back"):
        state.keep(SHOWN, False)
        st.rerun()
    st.title("Class")
    lead = st.container(key="learn_lead")
    course = lessons.course()
    students = _students()
    lead.markdown(LEAD if students else BRIEF)
    if not students:
        _nobody(course)
        return
    st.html(_table(students, course))
    for student in students:
        if student.progress.problem:
            st.warning(escape_markdown(student.progress.problem, 300), icon=":material/warning:")
    st.download_button(
        "Download as CSV",
        class_progress.table_csv(students, course),
        "class.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
    )


def _nobody(course: Sequence[Lesson]) -> None:
    """Show how to collect progress, and list the lessons."""
    for paragraph in NEW:
        st.markdown(paragraph)
    with st.container(key="class_lessons"):
        st.header("The lessons", anchor=False)
    rows = "".join(
        f'<tr><td class="n">{number}</td><th scope="row">{markup.escape(lesson.title)}</th>'
        f"<td>{len(lesson.steps)}</td></tr>"
        for number, lesson in enumerate(course, 1)
    )
    st.html(
        '<div class="ll-class"><table><thead><tr><th scope="col">No.</th><th scope="col">Lesson'
        f'</th><th scope="col">Steps</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _students() -> list[Student]:
    """Students of the class folder, and of uploaded files."""
    with st.popover("Read files that were handed in", icon=":material/upload_file:"):
        files = st.file_uploader(
            "Progress of students", "json", accept_multiple_files=True, key="class_files"
        )
    handed_in = class_progress.read_handed_in((file.name, file.getvalue()) for file in files or ())
    folder = progress.class_folder()
    if folder is None:
        return handed_in
    try:
        return [*class_progress.read_class(folder), *handed_in]
    except ProjectError as error:
        st.error(escape_markdown(error, 300), icon=":material/error:")
        return handed_in


def _table(students: Sequence[Student], course: Sequence[Lesson]) -> str:
    heads = "".join(
        f'<th scope="col" title="{markup.escape(lesson.title)}">{number}</th>'
        for number, lesson in enumerate(course, 1)
    )
    rows = "".join(_row(student, course) for student in students)
    done = class_progress.done_by_lesson(students, course)
    sums = "".join(f"<td>{done[lesson.name]}</td>" for lesson in course)
    size = sum(student.count for student in students)
    names = "".join(f"<li>{markup.escape(lesson.title)}</li>" for lesson in course)
    return (
        f'<div class="ll-class"><table><thead><tr><th scope="col">Student</th>{heads}'
        f'<th scope="col">Lessons done</th></tr></thead><tbody>{rows}</tbody>'
        f'<tfoot><tr><th scope="row">Done by (of {size})</th>{sums}<td></td></tr></tfoot>'
        f"</table><ol>{names}</ol></div>"
    )


def _row(student: Student, course: Sequence[Lesson]) -> str:
    cells = "".join(_cell(student, lesson) for lesson in course)
    count = class_progress.count_done(student.progress, course)
    name = markup.escape(student.name)
    return f'<tr><th scope="row">{name}</th>{cells}<td>{count} of {len(course)}</td></tr>'


def _cell(student: Student, lesson: Lesson) -> str:
    done, of = len(student.progress.done(lesson)), len(lesson.steps)
    if done == of:
        return '<td class="done">✓ done</td>'
    if lesson.name in student.progress.lessons:
        return f'<td class="begun">{done} of {of}</td>'
    return '<td class="new" title="not started">&ndash;</td>'
