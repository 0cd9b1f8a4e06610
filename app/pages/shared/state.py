"""The session of one browser tab: its project, its run, its token. The only user of session_state.

The address bar names the project, the run and the lesson, so that a reload comes back to them.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import streamlit as st

from app.canvas import tokens
from app.markdown import escape_markdown
from app.pages.shared.page_declaration import Page
from app.process import sessions
from app.services import documents, paths
from app.services.document import Document
from core.project import ProjectError

NOTICE = "notice"
"""The key of a notice for the next page."""


def set_pages(pages: dict[str, Any], declared: Sequence[Page]) -> None:
    """Remember the pages of this run of the script, by their short name, and their declarations."""
    st.session_state["pages"] = pages
    st.session_state["declared_pages"] = declared


def page(name: str) -> Any:
    """Return the page called `name` ("build", "train", ...), for st.page_link."""
    return st.session_state["pages"][name]


def declaration(name: str) -> Page:
    """Return the declaration of the page called `name`."""
    return next(page for page in st.session_state["declared_pages"] if page.name == name)


def pages_of_menu() -> list[Page]:
    """The pages that are not always in the bar, in the order of the menu."""
    declared: Sequence[Page] = st.session_state["declared_pages"]
    return [page for page in declared if not (page.steady or page.hidden)]


def links(on: str) -> None:
    """Draw the links that other pages want on the page called `on`."""
    for each in st.session_state["declared_pages"]:
        if on in each.linked:
            st.page_link(
                page(each.name),
                label=each.linked[on],
                icon=f":material/{each.icon}:",
                query_params=address(),
            )


def go(name: str, notice: str = "") -> NoReturn:
    """Leave for another page, which shows a notice: a toast of this page would end with it."""
    if notice:
        keep(NOTICE, notice)
    write_address()
    st.switch_page(page(name), query_params=address())


def document() -> Document | None:
    """Return the open project, or None."""
    return st.session_state.get("document")


def open_document(opened: Document) -> None:
    """Make this the project of the tab."""
    st.session_state["document"] = opened
    st.session_state.pop("run", None)
    st.session_state.pop("lesson", None)
    write_address()


def close_document() -> None:
    """Leave the tab without a project."""
    for key in ("document", "run", "lesson"):
        st.session_state.pop(key, None)
    write_address()


def run_dir() -> Path | None:
    """Return the folder of the chosen run, or None."""
    name = st.session_state.get("run")
    return paths.find_run(name) if isinstance(name, str) else None


def choose_run(name: str | None) -> None:
    """Choose the run that Train and Look inside show."""
    if name is None:
        st.session_state.pop("run", None)
    else:
        st.session_state["run"] = name
    write_address()


def lesson() -> str | None:
    """Return the name of the lesson this tab is in, or None; it may come from anyone."""
    return st.session_state.get("lesson")


def choose_lesson(name: str | None) -> None:
    """Choose the lesson that Learn shows, or None for the whole course."""
    if name is None:
        st.session_state.pop("lesson", None)
    else:
        st.session_state["lesson"] = name
    write_address()


def token() -> str:
    """Return this session's token for the routes."""
    if "token" not in st.session_state:
        st.session_state["token"] = tokens.mint()
    return st.session_state["token"]


def say(kind: str, message: str) -> None:
    """Show a banner after the next rerun: kind is success, info, warning or error."""
    st.session_state["banner"] = (kind, message)


def show_banner() -> None:
    """Show the banner left by the last action, once."""
    kind, message = st.session_state.pop("banner", ("", ""))
    shown = {"success": st.success, "info": st.info, "warning": st.warning, "error": st.error}
    if kind in shown:
        shown[kind](message)


def event(key: str, name: str) -> Any:
    """Return what the component `key` sent as trigger `name` just now, or None."""
    sent = st.session_state.get(key)
    return sent.get(name) if sent is not None else None


def value(key: str) -> Any:
    """Return the value of the widget `key`, or what was kept under it, or None."""
    return st.session_state.get(key)


def restore() -> bool:
    """Bring back what the address names in a new session; say whether to go to Build.

    A server started on a file opens it for a session that names nothing.
    """
    if "restored" in st.session_state:
        return False
    st.session_state["restored"] = True
    _take_run_and_lesson()
    named = st.query_params.get("project")
    try:
        if named is not None:
            st.session_state["document"] = documents.restore(named)
        elif paths.first_file() is not None:
            st.session_state["document"] = documents.first()
            return True
    except ProjectError as error:
        say("error", f"{escape_markdown(error, 400)} The project could not be opened.")
    return False


def follow_history() -> None:
    """After Back or Forward, open what that entry of the history names, if another is open."""
    named, opened = st.query_params.get("project"), document()
    if named is None or not sessions.by_history():
        return
    try:
        if opened is None or named != opened.address:
            st.session_state["document"] = documents.restore(named)
    except ProjectError as error:
        say("error", f"{escape_markdown(error, 400)} The project could not be opened.")
        return
    for key in ("run", "lesson"):
        st.session_state.pop(key, None)
    _take_run_and_lesson()


def _take_run_and_lesson() -> None:
    """Take the run and the lesson of the address."""
    run, named_lesson = st.query_params.get("run"), st.query_params.get("lesson")
    if run is not None and paths.find_run(run) is not None:
        st.session_state["run"] = run
    if named_lesson:
        st.session_state["lesson"] = named_lesson


def address() -> dict[str, str]:
    """The query parameters of this session: its project, its run, its lesson."""
    opened = document()
    named = {
        "project": opened.address if opened else "",
        "run": st.session_state.get("run"),
        "lesson": lesson(),
    }
    return {key: text for key, text in named.items() if text}


def write_address() -> None:
    """Write what names this session into the address bar, if it is not there.

    The open project, of which routes ask without this session, is given the run, too.
    """
    wanted = address()
    if (opened := document()) is not None:
        opened.run = wanted.get("run", "")
    if dict(st.query_params) != wanted:
        st.query_params.from_dict(wanted)


def keep(key: str, value: Any) -> None:
    """Remember something of this tab under `key`, a widget's value among them; `value` reads it."""
    st.session_state[key] = value


def take(key: str) -> Any:
    """Return what `key` holds, or None, and forget it."""
    return st.session_state.pop(key, None)
