"""The page "Import": a model you already have, as an editable drawing with its weights."""

from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.markdown import escape_markdown
from app.pages.shared import drop_zone, markup, state
from app.pages.shared.page_declaration import Page
from app.services import paths
from app.wings.importing import model_search, options, result, timm_form
from app.wings.importing import service as imports
from app.wings.importing import spare as import_spare
from app.wings.importing.service import Import
from core.project.inputs import InputError, read_input

JOB = "import:job"
LIMIT_MB = 1000
COMMAND = (
    "layerloom import python:package.module:expression -o my_model.loom.json\n"
    "layerloom my_model.loom.json"
)
HUB = "layerloom import 'torch.hub:DIR:entry(argument=value)' -o my_model.loom.json"


def render() -> None:
    """Draw the page."""
    markup.style()
    result.style()
    with st.container(key="import_page"):
        with st.container(key="page_title"):
            st.header("Import a model you already have")
        st.caption(
            "The model becomes an editable drawing that keeps its names and weights. The code "
            "generated from the drawing is compared with the original, bit for bit."
        )
        job = state.value(JOB)
        if job is None:
            _choose()
        elif job.state == "running":
            _watch(job)
        else:
            _ended(job)


def _choose() -> None:
    dropped = state.value(drop_zone.MODEL)
    titles = ["torchvision", "ONNX file", "Your own module", "timm"]
    first = titles[1] if dropped else None
    kinds = st.tabs(titles, default=first, key="import_kinds", on_change="rerun")
    with kinds[1]:
        _onnx()
    with kinds[2]:
        _own()
    if kinds[3].open:  # timm takes seconds to list its models
        with kinds[3]:
            timm = timm_form.choose()
        if timm is not None:
            _begin(timm)
    with kinds[0]:  # last: after a start, torchvision takes seconds to list its models
        job = model_search.choose()
        if job is not None:
            _begin(job)


def _onnx() -> None:
    model = _onnx_file()
    text = st.text_input(
        "Shape of one sample, if the file does not fix it",
        key="import_shape",
        placeholder="3,224,224",
        help="Without the batch dimension. Separate several inputs with semicolons. For tokens, "
        "add the type and the vocabulary size: 12:int64<100.",
    )
    try:
        inputs = inputs_of(text)
    except InputError as error:
        st.error(escape_markdown(f"{error.message} {error.hint}", 300))
        return
    request = {"inputs": inputs, **options.ask("onnx", (options.SPECIALISE,))}
    if model is not None:
        import_spare.warm()
    begun = st.button(
        "Import the file",
        type="primary",
        key="import_go_onnx",
        disabled=model is None,
        help=None if model else "Choose a file first.",
    )
    if begun and model is not None:
        _begin(_onnx_import(model, request))


def _onnx_file() -> UploadedFile | str | None:
    """Ask for a file: one uploaded, or the name of one in the workspace."""
    uploaded = st.file_uploader(
        "ONNX file (NAME.onnx) from your computer",
        key="import_file",
        max_upload_size=LIMIT_MB,
        help="The file is checked, and nothing in it is executed. Up to 1 GB, in one file.",
    )
    names = imports.onnx_files()
    if uploaded is not None or not names:
        return uploaded
    if state.value(drop_zone.MODEL) in names and state.value("import_here") is None:
        state.keep("import_here", state.value(drop_zone.MODEL))
    folder = escape_markdown(paths.workspace().name or "/", 60)
    return st.selectbox(f"or a file in the folder {folder}", names, None, key="import_here")


def _onnx_import(model: UploadedFile | str, request: dict[str, Any]) -> Import:
    if isinstance(model, str):
        return Import(model, {"source": f"onnx:{paths.workspace() / model}", **request})
    return Import(model.name, {"name": model.name, **request}, model.getvalue())


def inputs_of(text: str) -> list[str]:
    """Read 3,224,224; 12:int64<100 as inputs in the syntax of `--input`. Raises InputError."""
    return [str(read_input(part)) for part in text.split(";")] if text.strip() else []


def _own() -> None:
    st.markdown(
        "Importing your own module runs its Python code with all your rights, so this page never "
        "does it. Run the first command yourself. The second command opens the drawing and its "
        "weights."
    )
    st.code(COMMAND, language=None)
    st.markdown(
        "A local torch.hub repository (a folder with a `hubconf.py`) is imported the same "
        "way; its `hubconf.py` is run."
    )
    st.code(HUB, language=None)
    st.caption(
        "The expression is a module, or a class or function that makes one. The shapes of its "
        "inputs are found by trying, or given: `--input 3,224,224`, for tokens "
        "`--input '12:int64<100'`, with names for several (`--input ids=12:int64`). Other options: "
        "`--arg NAME=VALUE` for further arguments; `--batch-dim 1` for sequence-first models; "
        "`--heads` also draws auxiliary classifiers; `--keep-unused` also draws layers that "
        "forward does not call; `--specialise` draws the branches that one sample takes; "
        "`--own-python` imports what cannot be drawn as a block of your own Python."
    )


def _begin(job: Import) -> None:
    state.keep(JOB, job)
    st.rerun()


@st.fragment(run_every=0.7)
def _watch(job: Import) -> None:
    if job.state != "running":
        st.rerun()
    step, part = job.progress()
    st.progress(part, f"{escape_markdown(job.what)}: {step}")
    if st.button("Cancel", icon=":material/close:", key="import_cancel"):
        job.stop("")
        st.rerun()


def _ended(job: Import) -> None:
    if job.state == "failed":
        message = f"The import failed. {job.message} {job.hint}".strip()
        st.error(escape_markdown(message, 600), icon=":material/error:")
        retry = options.offer_retry(job)
        if retry is not None:
            _begin(retry)
    elif job.state == "cancelled":
        st.info(
            f"The import of {escape_markdown(job.what)} was cancelled.", icon=":material/close:"
        )
    else:
        result.show(job)
    st.button(
        "Import another model",
        icon=":material/arrow_back:",
        key="import_again",
        on_click=_another,
        args=(job,),
    )


def _another(job: Import) -> None:
    job.stop("Another import replaced it.")
    state.keep(JOB, None)


PAGE = Page("import", "Import", "input", render, about=False, notices=False, after="work")
