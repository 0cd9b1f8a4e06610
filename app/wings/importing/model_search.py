"""The part of the page "Import" that searches torchvision's models."""

from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.markdown import escape_markdown
from app.pages.shared import graph_thumbnail, markup, state
from app.process import pool
from app.process.pool import PoolError
from app.wings.importing import calls, options
from app.wings.importing import spare as import_spare
from app.wings.importing.options import HEADS, KEEP_UNUSED, OWN_PYTHON, SPECIALISE
from app.wings.importing.service import Import

OFTEN = (
    "resnet18",
    "resnet50",
    "vgg11",
    "densenet121",
    "mobilenet_v3_small",
    "efficientnet_b0",
    "convnext_tiny",
    "vit_b_16",
    "swin_t",
    "fcn_resnet50",
    "googlenet",
    "r3d_18",
)
DRAWINGS = Path(__file__).with_name("drawings")
"""What each of these looks like as a drawing, by its name."""
FLOW = "optical flow"
FAMILY_NOTES = {
    "detection": "A detector is drawn for one image; of a batch, it uses the first. The number of "
    "boxes depends on the image, so it is shown as a question mark. Every image is resized to the "
    "size that the sample image gets.",
}
"""Notes on a family of models, shown before the import."""


def choose() -> Import | None:
    """Draw the search for a model; return its import when the button is pressed."""
    try:
        models = {entry["name"]: entry for entry in _models()}
    except PoolError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return None
    name = st.selectbox(
        f"Search {len(models)} models by name, family, size or accuracy",
        list(models),
        None,
        format_func=lambda n: model_title(models[n]),
        key="import_search",
        placeholder="resnet18, video, 11.7 M ...",
        filter_mode="contains",
    )
    if name is None:
        st.caption(f"{_count(models)}.")
        _often([models[name] for name in OFTEN if name in models])
        return None
    import_spare.warm()
    entry = models[name]
    _facts(entry)
    if entry["family"] in FAMILY_NOTES:
        st.info(FAMILY_NOTES[entry["family"]], icon=":material/crop_free:")
    return _start(entry)


def _often(entries: list[dict[str, Any]]) -> None:
    """Cards of popular models, with their published size and score."""
    st.subheader("Popular models", anchor=False)
    with st.container(key="import_often"):
        for entry in entries:
            name = entry["name"]
            with st.container(key=f"card_model_{name}"):
                picture = (DRAWINGS / f"{name}.svg").read_text("utf-8")
                st.html(f'<div class="ll-card">{graph_thumbnail.svg_image(picture)}</div>')
                st.button(
                    name,
                    key=f"import_often:{name}",
                    type="tertiary",
                    on_click=state.keep,
                    args=("import_search", name),
                )
                st.caption("  \n".join(escape_markdown(line, 80) for line in _known_of(entry)))


def _known_of(entry: dict[str, Any]) -> list[str]:
    """The lines of a card: purpose; size and score of a model."""
    size = [f"{millions(entry['params'])} parameters"] if entry["params"] else []
    score = [f"{entry['score_of']} {entry['score']:.1f}"] if entry["score"] else []
    return [entry["family"].capitalize(), " · ".join([*size, *score])]


@st.cache_data(show_spinner="Loading the list of torchvision models", max_entries=1)
def _models() -> list[dict[str, Any]]:
    return pool.call(calls.torchvision_models, timeout_s=90)


def _count(models: dict[str, dict[str, Any]]) -> str:
    families = [entry["family"] for entry in models.values()]
    each = dict.fromkeys(families)
    return ", ".join(f"{families.count(family)} {family}" for family in each)


def model_title(entry: dict[str, Any]) -> str:
    """A model in one line, with everything the search looks at."""
    parts = [entry["name"], entry["family"]]
    parts += [millions(entry["params"])] if entry["params"] else []
    parts += [f"{entry['score_of']} {entry['score']:.1f}"] if entry["score"] else []
    return "  ·  ".join([*parts, f"{entry['side']} px"])


def millions(count: int) -> str:
    """A number of parameters as people say it."""
    return f"{count / 1e6:.1f} M" if count < 1e9 else f"{count / 1e9:.2f} G"


def _facts(entry: dict[str, Any]) -> None:
    score = f"{entry['score']:.2f}" if entry["score"] else "not published"
    markup.figures(
        {
            "family": entry["family"],
            "parameters": f"{entry['params']:,}" if entry["params"] else "not published",
            f"published {entry['score_of'] or 'accuracy'}": score,
            "image": f"{entry['side']} x {entry['side']}",
        }
    )


def _start(entry: dict[str, Any]) -> Import | None:
    name = entry["name"]
    request: dict[str, Any] = {"source": f"torchvision:{name}"}
    video = entry["family"] == "video"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        container = st.container(width="content")
        pretrained = st.checkbox(
            "Pretrained weights (download; needs an internet connection)",
            key=f"import_trained:{name}",
            disabled=not entry["trained"],
            help=None if entry["trained"] else "torchvision has none for this model.",
        )
    if not video:
        side = _side(container, entry)
        request["inputs"] = [f"3,{side},{side}"] * (1 + (entry["family"] == FLOW))
    request["pretrained"] = bool(pretrained)
    heads = (HEADS,) * bool(entry["heads"])
    usual = (SPECIALISE,) * (entry["family"] == "detection")
    request |= options.ask(name, (*heads, KEEP_UNUSED, SPECIALISE, OWN_PYTHON), usual)
    begun = st.button(f"Import {escape_markdown(name)}", type="primary", key="import_go")
    return Import(name, request) if begun else None


def _side(column: DeltaGenerator, entry: dict[str, Any]) -> int:
    """Ask for the side of the image; the default is the published one."""
    return int(
        column.number_input(
            "Side of the image",
            32,
            1024,
            entry["side"],
            1,
            key=f"import_side:{entry['name']}",
            width=180,
            help="The drawing is checked with images of this size.",
        )
    )
