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
from app.pages.import_ import notice as import_notice
from app.pages.import_ import page as import_model
from app.pages.inside import page as inside
from app.pages.learn import page as learn
from app.pages.learn import panel
from app.pages.shared import bundle_notice, drawings, dropping, guide, markup, other_tab, state
from app.pages.shrink import page as shrink
from app.pages.sweeps import page as sweeps
from app.pages.train import page as train
from app.pages.work import page as work

OF_NO_PROJECT = ("work", "import", "learn")
"""Pages that are about no project, whichever is open."""
_LOG = logging.getLogger(__name__)
_THEME = Path(__file__).parents[1] / "theme"
_STYLE, _WORK = _THEME / "style.css", _THEME / "work.css"
_ICON, _MARK = _THEME / "icon.png", _THEME / "mark.svg"


def _guarded(render: Callable[[], None]) -> Callable[[], None]:
    """Show an unforeseen error as one sentence; its traceback goes to the server's log."""

    @wraps(render)
    def page() -> None:
        try:
            render()
        except Exception:
            _LOG.exception("The page failed.")
            st.error(
                "This page met an error it did not foresee; your project is safe in its draft. "
                "Reload the page, and see the server's log for details.",
                icon=":material/error:",
            )

    return page


def _page(
    render: Callable[[], None], title: str, path: str, icon: str, hidden: bool = False
) -> st.Page:
    """A page. hidden: reached from another one, without a place of its own in the bar."""
    return st.Page(
        _guarded(render),
        title=title,
        url_path=path,
        icon=icon,
        default=render is start.render,
        visibility="hidden" if hidden else "visible",
    )


def _title(name: str, page: str) -> str:
    """What the browser calls the tab: the project, where the page is about it, and the page."""
    document = state.document()
    if name == "start":
        return "Layerloom"
    if document is None or name in OF_NO_PROJECT:
        return f"{page} · Layerloom"
    return f"{document.title} · {page}"


def show() -> None:
    """Run the page the student is on."""
    st.set_page_config("Layerloom", str(_ICON), "wide", "collapsed")
    st.html(_STYLE)
    st.html(_WORK)
    st.logo(str(_MARK), size="large")
    pages = {
        "start": _page(start.render, "Start", "", ":material/home:", hidden=True),
        "work": _page(work.render, "My work", "work", ":material/folder_open:"),
        "import": _page(import_model.render, "Import", "import", ":material/input:"),
        "build": _page(build.render, "Build", "build", ":material/account_tree:"),
        "data": _page(data.render, "Data", "data", ":material/database:"),
        "train": _page(train.render, "Train", "train", ":material/show_chart:"),
        "sweeps": _page(sweeps.render, "Sweep", "sweeps", ":material/tune:", hidden=True),
        "inside": _page(inside.render, "Look inside", "inside", ":material/visibility:"),
        "compare": _page(compare.render, "Compare", "compare", ":material/stacked_line_chart:"),
        "export": _page(export.render, "Export", "export", ":material/ios_share:"),
        "shrink": _page(shrink.render, "Shrink", "shrink", ":material/compress:", hidden=True),
        "learn": _page(learn.render, "Learn", "learn", ":material/school:"),
    }
    state.set_pages(pages)
    page = st.navigation(list(pages.values()), position="top")
    if state.restore() and page is pages["start"]:
        st.switch_page(pages["build"])
    state.write_address()
    name = next(name for name, listed in pages.items() if listed is page)
    st.set_page_config(_title(name, page.title))
    guide.bar(name)
    state.show_banner()
    dropping.anywhere()
    if page not in (pages["start"], pages["work"], pages["import"], pages["build"]):
        other_tab.show(state.document(), on_canvas=False)
    if page not in (pages["start"], pages["work"], pages["import"]):
        drawings.show_notice()
        import_notice.show()
        bundle_notice.show()
    with st.container(key="page_top"):
        markup.scroll_to_top(name, key="page_top_of")
    if name not in ("start", "work", "import", "learn"):
        panel.show(name)
    page.run()
