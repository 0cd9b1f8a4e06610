"""The start page: what this is, where you left off, templates, opening a file."""

import html
from collections.abc import Callable

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import bundle_notice, dropping, graph_thumbnail, state
from app.services import bundles, documents, lessons
from app.services.document import Document
from core.lessons import progress
from core.project import Project, ProjectError
from core.project.title import title

LEAD = (
    "Layerloom is a workbench for learning how neural networks are built: drag blocks, watch the "
    "shapes flow along the wires, train on real data, look at what every block sees, and take the "
    "PyTorch source home."
)


def render() -> None:
    """Draw the page."""
    with st.container(key="start"):
        st.title("Draw a neural network. Train it. Look inside.")
        with st.container(key="start_lead"):
            st.markdown(LEAD)
        _begin()
        dropping.zone("start_drop")
        _recent()
        _templates()


def _templates() -> None:
    """Draw the templates by chapter, or those that a search finds."""
    st.header("Start with a template")
    chapters = documents.chapters()
    words = st.text_input(
        "Search templates",
        key="templates_search",
        placeholder=f"Search {sum(map(len, chapters.values()))} templates: attention, regression, "
        "digits, 2017 …",
        icon=":material/search:",
        label_visibility="collapsed",
    )
    count = 0
    for number, (chapter, known) in enumerate(chapters.items()):
        chosen = {n: project for n, project in known.items() if _fits(words, chapter, n, project)}
        count += len(chosen)
        if chosen:
            st.subheader(chapter, anchor=False)
            with st.container(key=f"templates_{number}"):
                for name, project in chosen.items():
                    _card(f"template_{name}", project, _shape_of(project), _opener_of(name))
    if not count:
        st.info("No template has these words. Try fewer, such as convolution or text.",
                icon=":material/search_off:")  # fmt: skip


def _fits(words: str, chapter: str, name: str, project: Project) -> bool:
    """Whether a template has every word of a search in its name, text, chapter, data or blocks."""
    parts = [chapter, name, project.name, project.about, str(project.data.get("source", ""))]
    inner = [part for composite in project.graph.composites.values() for part in
             composite.graph.nodes.values()]  # fmt: skip
    parts += [node.block for node in (*project.graph.nodes.values(), *inner)]
    text = " ".join(parts).lower()
    return all(word in text for word in words.lower().split())


def _begin() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Start with LeNet", type="primary", icon=":material/play_arrow:", key="first"):
            _open(_opener_of(documents.FIRST))
        if st.button(_learning(), icon=":material/school:", key="learn"):
            state.go("learn")
        if st.button("Empty project", icon=":material/add:", key="empty"):
            _open(documents.empty)
        if st.button("Import a model", icon=":material/input:", key="import"):
            state.go("import")
        with st.popover("Open a file", icon=":material/folder_open:"):
            _upload()


def _learning() -> str:
    """The way to the lessons, with how many are done once one is."""
    done = lessons.count_done(progress.read_progress())
    return f"Learn: {done} of {len(lessons.course())} done" if done else "Learn step by step"


def _upload() -> None:
    uploaded = st.file_uploader(
        "A project, NAME.loom.json, or what somebody shared, NAME.loom.zip",
        key="upload",
        max_upload_size=bundles.LARGEST_MB,
        help="It is read strictly and nothing in it is executed.",
    )
    if uploaded is not None and st.button("Open", type="primary", key="upload_open"):
        _open(
            lambda: bundle_notice.announced(
                documents.from_upload(uploaded.getvalue(), uploaded.name)
            )
        )


def _recent() -> None:
    entries = documents.recent()
    if not entries:
        return
    st.header("Continue")
    with st.container(key="recent"):
        for number, item in enumerate(entries[:4]):
            _card(f"recent_{number}", item.project, item.where, _restorer_of(item.doc_id))


def _card(key: str, project: Project, small: str, opener: Callable[[], Document]) -> None:
    with st.container(key=f"card_{key}"):
        st.html(graph_thumbnail.image(project.graph))
        if st.button(escape_markdown(title(project), 60), key=f"open_{key}", type="tertiary"):
            _open(opener)
        st.caption(escape_markdown(_first_sentence(project.about), 150))
        st.html(f'<small class="ll-small">{html.escape(small)}</small>')


def _first_sentence(about: str) -> str:
    head, stop, _ = about.partition(". ")
    return head + "." if stop else about


def _shape_of(project: Project) -> str:
    blocks = len(project.graph.nodes)
    source = project.data.get("source")
    return f"{blocks} blocks · {source}" if isinstance(source, str) else f"{blocks} blocks"


def _opener_of(name: str) -> Callable[[], Document]:
    return lambda: documents.from_template(name)


def _restorer_of(doc_id: str) -> Callable[[], Document]:
    return lambda: documents.restore(doc_id)


def _open(opener: Callable[[], Document]) -> None:
    """Open a project and go to Build; say why when it cannot be opened."""
    try:
        state.open_document(opener())
    except ProjectError as error:
        st.error(f"{escape_markdown(error, 400)} Nothing was changed.", icon=":material/error:")
        return
    state.go("build")
