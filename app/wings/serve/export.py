"""Below the server formats on the Export page: how to serve the run on this computer."""

import shlex

import streamlit as st

from core.common.network_ref import CheckpointRef, NetworkRef, RunWeights


def below(group: str, network: NetworkRef) -> None:
    """Show the command."""
    if group == "server" and isinstance(network, RunWeights):
        st.caption("Or serve it on this computer, with a page to try it. Run this in a terminal:")
        st.code(
            f"layerloom serve {shlex.quote(str(network.folder))}{_option(network)}", language="bash"
        )


def _option(source: RunWeights) -> str:
    """The option that selects the checkpoint, "" for the best one."""
    return f" --checkpoint {source.which}" if isinstance(source, CheckpointRef) else ""
