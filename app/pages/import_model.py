"""The page "Import": a model you already have, as an editable drawing with its weights."""

import re
from typing import Any

import streamlit as st

from app import imports, places, pool, state
from app.imports import Import
from app.pages import import_found, parts
from app.pool import PoolError
from app.text import label

JOB = "import:job"
LIMIT_MB = 1000
OFTEN = ("resnet18", "vgg11", "mobilenet_v3_small", "convnext_tiny", "vit_b_16")
COMMAND = (
    "layerloom import python:package.module:expression --input 3,224,224 -o my_model.loom.json"
)


def render() -> None:
    """Draw the page."""
    parts.style()
    import_found.style()
    with st.container(key="import_page"):
        st.header("Import a model you already have")
        st.caption(
            "It becomes an editable drawing with its own names, and its weights are kept beside "
            "it. The source that comes back is compared with the original before you open it."
        )
        job = state.value(JOB)
        if job is None:
            _choose()
        elif job.state == "running":
            _watch(job)
        else:
            _ended(job)


def _choose() -> None:
    kinds = st.tabs(["torchvision", "ONNX file", "Your own module"])
    with kinds[0]:
        _torchvision()
    with kinds[1]:
        _onnx()
    with kinds[2]:
        _own()


def _torchvision() -> None:
    try:
        models = {entry["name"]: entry for entry in _models()}
    except PoolError as error:
        st.error(label(error, 400), icon=":material/error:")
        return
    name = st.selectbox(
        f"Search {len(models)} models by name, family, size or accuracy",
        list(models),
        None,
        format_func=lambda n: told(models[n]),
        key="import_search",
        placeholder="resnet18, video, 11.7 M ...",
        filter_mode="contains",
    )
    if name is None:
        st.caption(f"{_count(models)}.")
        _often([name for name in OFTEN if name in models])
        return
    entry = models[name]
    _facts(entry)
    if entry["refused"]:
        st.warning(
            f"{label(name)} {entry['refused']}, which no drawing of tensors can say. "
            "Import its backbone instead, such as resnet50.",
            icon=":material/block:",
        )
        return
    _start(entry)


def _often(names: list[str]) -> None:
    """Models that many begin with, one click away."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("Often taken:", width="content")
        for name in names:
            st.button(name, key=f"import_often:{name}", on_click=state.keep,
                      args=("import_search", name))  # fmt: skip


@st.cache_data(show_spinner="Asking torchvision for its models", max_entries=1)
def _models() -> list[dict[str, Any]]:
    return pool.call("core.importing.listing:torchvision_models", timeout_s=90)


def _count(models: dict[str, dict[str, Any]]) -> str:
    families = [entry["family"] for entry in models.values()]
    each = dict.fromkeys(families)
    return ", ".join(f"{families.count(family)} {family}" for family in each)


def told(entry: dict[str, Any]) -> str:
    """A model in one line, with all that it can be searched by."""
    said = [entry["name"], entry["family"]]
    said += [millions(entry["params"])] if entry["params"] else []
    said += [f"{entry['score_of']} {entry['score']:.1f}"] if entry["score"] else []
    return "  ·  ".join([*said, f"{entry['side']} px"])


def millions(count: int) -> str:
    """A number of parameters as people say it."""
    return f"{count / 1e6:.1f} M" if count < 1e9 else f"{count / 1e9:.2f} G"


def _facts(entry: dict[str, Any]) -> None:
    score = f"{entry['score']:.2f}" if entry["score"] else "not published"
    parts.figures({
        "family": entry["family"],
        "parameters": f"{entry['params']:,}" if entry["params"] else "not published",
        f"published {entry['score_of'] or 'accuracy'}": score,
        "image": f"{entry['side']} x {entry['side']}",
    })  # fmt: skip


def _start(entry: dict[str, Any]) -> None:
    name = entry["name"]
    request: dict[str, Any] = {"source": f"torchvision:{name}"}
    video = entry["family"] == "video"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if not video:
            side = st.number_input(
                "Side of the image", 32, 1024, entry["side"], 32, key=f"import_side:{name}",
                width=180, help="The drawing is checked with images of this size.",
            )  # fmt: skip
            request["shapes"] = [[3, int(side), int(side)]] * (1 + (entry["family"] == FLOW))
        pretrained = st.checkbox(
            "Trained weights: downloads them, so it needs a network",
            key=f"import_trained:{name}",
            disabled=not entry["trained"],
        )
    request["pretrained"] = bool(pretrained)
    if entry["heads"]:
        request["heads"] = st.checkbox(
            "Draw its auxiliary classifiers, too, which run in training only",
            key=f"import_heads:{name}",
            help="They become further outputs of the drawing.",
        )
    if st.button(f"Import {label(name)}", type="primary", key="import_go"):
        _begin(Import(name, request))


FLOW = "optical flow"


def _onnx() -> None:
    given = st.file_uploader(
        "An ONNX file, NAME.onnx, from your computer",
        key="import_file",
        max_upload_size=LIMIT_MB,
        help="It is read and checked, and nothing in it is executed. Up to 1 GB, in one file.",
    )
    here = imports.files_here()
    chosen = None
    if given is None and here:
        chosen = st.selectbox(
            f"or one in the folder {label(places.workspace().name or '/', 60)}",
            here,
            None,
            key="import_here",
        )
    said = st.text_input(
        "Sizes of one sample, only if the file leaves them open",
        key="import_shape",
        placeholder="3,224,224",
        help="Without the batch. For several inputs, put a semicolon between them.",
    )
    shapes = shapes_of(said)
    if shapes is None:
        st.error("Sizes need to be whole numbers with commas between them, such as 3,224,224.")
        return
    ready = given is not None or chosen is not None
    if st.button("Import the file", type="primary", key="import_go_onnx", disabled=not ready):
        if given is not None:
            request = {"name": given.name, "shapes": shapes}
            _begin(Import(given.name, request, given.getvalue()))
        elif chosen is not None:
            path = str(places.workspace() / chosen)
            _begin(Import(chosen, {"source": f"onnx:{path}", "shapes": shapes}))


def shapes_of(text: str) -> list[list[int]] | None:
    """Read 3,224,224; 10 as shapes; [] for nothing, None for what is no shape."""
    if not text.strip():
        return []
    each = [part.replace(" ", "") for part in text.split(";")]
    if not all(re.fullmatch(r"[1-9]\d{0,6}(,[1-9]\d{0,6})*", part) for part in each):
        return None
    return [[int(n) for n in part.split(",")] for part in each]


def _own() -> None:
    st.markdown(
        "A module of your own is Python, and importing it runs that Python with everything it can "
        "do. This page never does so: run the command yourself, then open the file it writes."
    )
    st.code(COMMAND, language="shell")
    st.caption(
        "The expression is a module, a class or a function that makes one. Repeat --input for "
        "several inputs."
    )


def _begin(job: Import) -> None:
    state.keep(JOB, job)
    st.rerun()


@st.fragment(run_every=0.7)
def _watch(job: Import) -> None:
    if job.state != "running":
        st.rerun()
    step, part = job.progress()
    st.progress(part, f"{label(job.what)}: {step}")
    if st.button("Cancel", icon=":material/close:", key="import_cancel"):
        job.cancel()
        st.rerun()


def _ended(job: Import) -> None:
    if job.state == "failed":
        said = f"It cannot be imported. {job.message} {job.hint}".strip()
        st.error(label(said, 600), icon=":material/error:")
    elif job.state == "cancelled":
        st.info(f"The import of {label(job.what)} was cancelled.", icon=":material/close:")
    else:
        import_found.show(job)
    if st.button("Import another model", icon=":material/arrow_back:", key="import_again"):
        state.keep(JOB, None)
        st.rerun()
