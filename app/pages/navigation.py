"""Shared by every page: navigation, theme, restoring the project, and errors as one sentence."""

import logging
from collections.abc import Callable
from functools import wraps
from pathlib import Path

import streamlit as st

from app.pages import start
from app.pages.build import page as build
from app.pages.compare import page as compare
from app.pages.data import page as data
from app.pages.export import page as export
from app.pages.inside import page as inside
from app.pages.learn import page as learn
from app.pages.shared import drawings, drop_zone, guide, markup, other_tab, state
from app.pages.shared.page_declaration import Page
from app.pages.train import page as train
from app.pages.work import page as work
from app.services import used_pages
from app.services.document import Versions
from app.wing import parts
from core.common.errors import ProjectError
from core.common.wing import placed

_LOG = logging.getLogger(__name__)
_THEME = Path(__file__).parents[1] / "theme"
_STYLE, _WORK = _THEME / "style.css", _THEME / "work.css"
_ICON, _MARK = _THEME / "icon.png", _THEME / "mark.svg"


def _guarded(render: Callable[[], None]) -> Callable[[], None]:
    """Show an unforeseen error as one sentence; its traceback goes to the server's log."""

    @wraps(render)
    def page() -> None:
        try:
            if notice := state.take(state.NOTICE):
                st.toast(notice)
            render()
        except Exception:
            _LOG.exception("The page failed.")
            st.error(
                "An unexpected error stopped this page. Your project is safe in its draft. Reload "
                "the page; the details are in the server's log.",
                icon=":material/error:",
            )

    return page


def _declared(page: Page, in_bar: bool) -> st.Page:
    """The page as Streamlit takes it."""
    first = page is PAGES[0]
    return st.Page(
        _guarded(page.render),
        title=page.title,
        url_path="" if first else page.name,
        icon=f":material/{page.icon}:",
        default=first,
        visibility="visible" if in_bar else "hidden",
    )


OF_THE_BASE = (
    Page("start", "Start", "home", start.render, hidden=True, about=False, notices=False),
    Page("work", "My work", "folder_open", work.render, about=False, notices=False),
    Page(
        "build",
        "Build",
        "account_tree",
        build.render,
        "Draw a network from blocks, and read the shape of every wire.",
        canvas=True,
        steady=True,
    ),
    Page(
        "data",
        "Data",
        "database",
        data.render,
        "Choose, inspect and augment the data to learn from, or bring your own.",
        steady=True,
    ),
    Page(
        "train",
        "Train",
        "show_chart",
        train.render,
        "Press Train and watch the loss fall, epoch by epoch.",
        steady=True,
    ),
    Page(
        "inside",
        "Look inside",
        "visibility",
        inside.render,
        "See the output of every block for a sample, what a prediction "
        "depends on, and where the network is wrong.",
        steady=True,
    ),
    Page("compare", "Compare", "stacked_line_chart", compare.render),
    Page(
        "export",
        "Export",
        "ios_share",
        export.render,
        "Use the network elsewhere: PyTorch source, training script, ONNX, or a "
        "web page that runs it.",
        steady=True,
    ),
    *((Page("learn", "Learn", "school", learn.render, about=False),) if learn.parts() else ()),
)
OF_WINGS: tuple[Page, ...] = tuple(
    page for _, part in parts("page") for page in (part.PAGE, *getattr(part, "MORE", ()))
)
PAGES = tuple(
    placed(
        {page.name: page for page in OF_THE_BASE},
        ((page.name, page.after, page) for page in OF_WINGS),
    )
)
"""Every page, in the order of the bar; the first is where one begins."""


def _title(page: Page) -> str:
    """The title of the browser tab: the project, if the page is about it, and the page."""
    document = state.document()
    if page is PAGES[0]:
        return "Layerloom"
    if document is None or not page.about:
        return f"{page.title} · Layerloom"
    return f"{document.title} · {page.title}"


def _versions() -> Versions | None:
    """Several versions in the file of the open project: one is chosen before any page is shown."""
    document = state.document()
    return document.versions if document is not None else None


def _use(page: Page, used: tuple[str, ...]) -> None:
    """Remember a page of the menu that is used; the bar is drawn anew with it."""
    if page.steady or page.hidden or page.name == next(iter(used), ""):
        return
    try:
        used_pages.use(page.name)
    except ProjectError as error:
        _LOG.warning("The page is not kept in the bar. %s", error)
        return
    if page.name not in used:
        st.rerun()


def show() -> None:
    """Draw the current page."""
    st.set_page_config("Layerloom", str(_ICON), "wide", "collapsed")
    st.html(_STYLE)
    st.html(_WORK)
    st.logo(str(_MARK), size="large")
    used = used_pages.used()
    pages = {page.name: _declared(page, page.steady or page.name in used) for page in PAGES}
    state.set_pages(pages, PAGES)
    chosen = st.navigation(list(pages.values()), position="top")
    page = next(page for page in PAGES if pages[page.name] is chosen)
    _use(page, used)
    state.follow_history()
    if state.restore() and page is PAGES[0]:
        st.switch_page(pages["build"])
    state.write_address()
    st.set_page_config(_title(page))
    guide.bar(page.name)
    state.show_banner()
    drop_zone.anywhere()
    if page.notices and not page.canvas:
        other_tab.show(state.document(), on_canvas=False)
    if page.notices:
        drawings.show_notice()
        for _, part in parts("notice"):
            part.show()
    with st.container(key="page_top"):
        markup.scroll_to_top(page.name, key="page_top_of")
    if page.about:
        for _, part in parts("panel"):
            part.show(page.name)
    if page.about and (versions := _versions()) is not None:
        for _, part in parts("choice"):
            part.show(versions)
    else:
        chosen.run()
