"""The tasks on Learn: the teacher's own in the workspace, and those that come with Layerloom."""

from datetime import datetime
from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import graph_thumbnail, markup, state
from app.services import paths
from core.common.errors import ProjectError
from core.files.folder import write_bytes
from core.files.messages import in_file
from core.files.strict import decode
from core.wings.classroom import read_task
from core.wings.classroom.class_folder import TASKS, class_folder
from core.wings.classroom.model import ENDING, ClassTask
from core.wings.classroom.ready import FOLDER, ListedTask, list_tasks

_STYLE = Path(__file__).parents[2] / "theme" / "learn.css"
CHOSEN = "learn:task"
CLASS, OWN, READY = "class", "own", "ready"
LEAD = (
    "A task has a drawing to begin with and a list of what must hold. Change the drawing until it "
    "holds, train it, and hand it in."
)
TEACHERS = (
    "Make a task of the project START with `layerloom task new START -o NAME.task.json`, and grade "
    "what students hand in with `layerloom grade FOLDER --task NAME.task.json`. Hidden data and "
    "the solution stay in NAME.key.json, which only you have."
)


def style() -> None:
    """Bring in the style of this page."""
    st.html(_STYLE)


def folder_of(where: str) -> Path:
    """The folder of a list of tasks."""
    folder = class_folder()
    if where == CLASS and folder:
        return folder / TASKS
    return FOLDER if where == READY else paths.workspace()


def find(chosen: str) -> ClassTask | None:
    """The task that was chosen, as "ready:NAME" or with another list; None where it is gone."""
    where, _, name = chosen.partition(":")
    return next((e.task for e in list_tasks(folder_of(where)) if e.name == name), None)


def show() -> None:
    """Draw the list."""
    style()
    with st.container(key="learn_lead"):
        markup.prose(LEAD)
    with st.container(horizontal=True, vertical_alignment="center"):
        _bring()
        with st.popover("For teachers", icon=":material/groups:", type="tertiary"):
            st.markdown(TEACHERS)
    if class_folder() and (of_class := list_tasks(folder_of(CLASS))):
        _group("Of your class", CLASS, of_class)
    own = list_tasks(folder_of(OWN))
    if own:
        _group("From your teacher", OWN, own)
    _group("Ready tasks", READY, list_tasks())


def _group(title: str, where: str, tasks: list[ListedTask]) -> None:
    with st.container(key=f"topic_tasks_{where}"):
        st.header(title, anchor=False)
    with st.container(key=f"cards_tasks_{where}"):
        for number, each in enumerate(tasks):
            _card(where, number, each)


def _card(where: str, number: int, listed: ListedTask) -> None:
    with st.container(key=f"card_small_fits_{where}_{number}"):
        task = listed.task
        if task is None:
            st.markdown(escape_markdown(listed.problem, 300))
            return
        st.html(graph_thumbnail.image(task.start.graph))
        if st.button(
            escape_markdown(task.title, 80), key=f"task_{where}_{number}", type="tertiary"
        ):
            state.keep(CHOSEN, f"{where}:{listed.name}")
            st.rerun()
        st.caption(escape_markdown(facts(task)))


def facts(task: ClassTask) -> str:
    """What a task is worth and until when, in a line."""
    points = f"{task.points} points"
    until = f"until {shown(task.until)}" if task.until else ""
    times = f"hand in at most {task.times} times" if task.times else ""
    return " · ".join(filter(None, (points, until, times)))


def shown(moment: datetime) -> str:
    """A moment in its own time zone: 24 December 2026, 18:00."""
    return f"{moment.day} {moment:%B %Y, %H:%M} ({moment:%Z})"


def _bring() -> None:
    """Take in the file of a task that a teacher gave."""
    with st.popover("Open a task file", icon=":material/upload_file:"):
        file = st.file_uploader("The file from your teacher, NAME.task.json", "json")
    if file is None:
        return
    try:
        name = _store(file.name, file.getvalue())
    except ProjectError as error:
        st.error(escape_markdown(error, 300), icon=":material/error:")
        return
    if (
        state.value("learn:task:file") != file.file_id
    ):  # once for each file, whatever is chosen next
        state.keep("learn:task:file", file.file_id)
        state.keep(CHOSEN, f"{OWN}:{name}")
        st.rerun()


def _store(name: str, content: bytes) -> str:
    """Put a task into the workspace; its name there. Raises ProjectError."""
    try:
        task = read_task(decode(content))
    except ProjectError as error:
        raise in_file(name, error) from None
    stem = paths.stem(task.title) or "task"
    path = paths.workspace() / f"{stem}{ENDING}"
    try:
        write_bytes(path, content)
    except OSError as error:
        message = f"cannot be saved in the workspace: {error.strerror}."
        raise ProjectError(name, message, "Free some space.") from error
    return stem
