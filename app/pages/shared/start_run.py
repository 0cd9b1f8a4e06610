"""Starting a run of the open project, from the Train page or the canvas."""

import streamlit as st

from app.markdown import label
from app.pages.shared import state
from app.process.pool import PoolError
from app.services.document import Document
from core.data import DataError
from core.errors import RunError
from core.project import ProjectError


def start_run(document: Document) -> bool:
    """Start a run of exactly what is drawn now and choose it; say why when it cannot start."""
    try:
        with st.spinner("Checking the network and starting the training process"):
            state.choose_run(document.train())
    except (PoolError, RunError, DataError, ProjectError, OSError) as error:
        st.error(label(error, 500), icon=":material/error:")
        return False
    return True
