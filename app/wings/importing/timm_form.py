"""The part of the page "Import" that makes a model of timm, where timm is installed."""

from importlib.util import find_spec

import streamlit as st

from app.markdown import escape_markdown
from app.process import pool
from app.process.pool import PoolError
from app.services import paths
from app.wings.importing import calls, options
from app.wings.importing import spare as import_spare
from app.wings.importing.options import KEEP_UNUSED, OWN_PYTHON, SPECIALISE
from app.wings.importing.service import Import

ENDINGS = (".safetensors", ".pth", ".pt")
MISSING = "timm is not installed, so its models cannot be imported. To install it, run:"


def choose() -> Import | None:
    """Draw the choice of a model and a weights file; return its import when requested."""
    there = find_spec("timm") is not None
    if not there:
        st.info(MISSING, icon=":material/extension_off:")
        st.code("pip install timm", language=None)
    name, file = _model(there), _weights(there)
    st.caption(
        "The weights are random, or come from a file in the workspace. Nothing is downloaded, so "
        "timm's pretrained weights are not offered here."
    )
    request = options.ask("timm", (KEEP_UNUSED, SPECIALISE, OWN_PYTHON))
    if name is not None:
        import_spare.warm()
    title = "Import the model" if name is None else f"Import {escape_markdown(name)}"
    begun = st.button(
        title,
        type="primary",
        key="import_go_timm",
        disabled=name is None,
        help=None if name else "Choose a model first.",
    )
    if not begun or name is None:
        return None
    weights = f":{paths.workspace() / file}" if file else ""
    return Import(name, {"source": f"timm:{name}{weights}", **request})


def _model(there: bool) -> str | None:
    """Ask for a model by its name."""
    try:
        names = _models() if there else []
    except PoolError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        names = []
    title = f"Search {len(names):,} timm models by name" if names else "timm model"
    return st.selectbox(
        title,
        names,
        None,
        key="import_timm",
        disabled=not names,
        placeholder="resnet18, vit ...",
        filter_mode="contains",
    )


def _weights(there: bool) -> str | None:
    """Ask for a file with weights, of those in the workspace."""
    here = paths.workspace()
    files = sorted(p.name for p in here.iterdir() if p.suffix in ENDINGS) if there else []
    if not files:
        return None
    return st.selectbox(
        "Weights from a file (the whole state_dict)",
        files,
        None,
        key="import_timm_weights",
        placeholder="random weights",
    )


@st.cache_data(show_spinner="Loading the list of timm models", max_entries=1)
def _models() -> list[str]:
    return pool.call(calls.timm_models, timeout_s=90)
