"""Measured cost of a training step: time and memory of each block."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside import cost_html
from app.pages.inside.inspection import Inspection, ask
from app.pages.inside.summary import size
from app.pages.shared import markup, state
from app.process.pool import PoolError
from app.services.calls import network
from core.insight.profiling.cost import Profile

LONG_S = 150.0
BATCH, MEASURED = "inside:cost:batch", "inside:cost:measured"


def show(inspection: Inspection) -> None:
    """Draw the form, then time and memory of the measured steps."""
    if inspection.alive:
        st.info("Available when the run has ended: measuring now would slow down training.")
        return
    if inspection.overview["problem"]:
        st.info(escape_markdown(inspection.overview["problem"], 300))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        batch = (
            st.number_input(
                "Batch",
                1,
                65536,
                None,
                key=BATCH,
                width=210,
                placeholder="as in training",
            )
            or 0
        )
        arguments = (inspection.ref, batch)
        if state.value(MEASURED) != arguments:
            st.button(
                "Measure training steps",
                type="primary",
                icon=":material/timer:",
                key="inside:cost:start",
                on_click=state.keep,
                args=(MEASURED, arguments),
            )
    if state.value(MEASURED) != arguments:
        _expected(inspection)
        return
    try:
        with st.spinner("Measuring training steps", show_time=True):
            profile = ask(network.profile, *arguments, timeout_s=LONG_S)
    except PoolError as error:
        st.warning(escape_markdown(error, 300))
        return
    _measured(inspection, profile, batch)


def _expected(inspection: Inspection) -> None:
    """Describe the measurement, and show the arithmetic of each block before it."""
    markup.prose(
        "Runs a few training steps on a copy of the network under torch's profiler. Shows the "
        "forward and backward time of each block, and the memory kept for gradients. "
        "Your network does not change.",
        small=True,
    )
    st.html(cost_html.arithmetic(ask(network.table, inspection.ref, 1)))
    st.caption(
        "Counted for one sample, not measured: only matrix products and convolutions count. "
        "Which block do you expect to take the most time? Time often does not follow arithmetic: "
        "measure, and compare."
    )


def _measured(inspection: Inspection, profile: Profile, batch: int) -> None:
    markup.figures(
        {
            "one step": f"{profile.step_ms:.3g} ms",
            **{name: f"{profile.phases[name]:.3g} ms" for name in ("forward", "backward")},
            "optimiser": f"{profile.phases['optimizer']:.3g} ms",
            "batch": f"{profile.batch:,}",
            "kept for backward": size(profile.memory["kept"]),
        }
    )
    st.html(cost_html.phases(profile))
    st.html(cost_html.blocks(profile))
    st.html(cost_html.flame(profile))
    left, right = st.columns(2, gap="large")
    with left:
        predicted = ask(network.expected_memory, inspection.ref, profile.batch)
        st.html(cost_html.memory(profile, predicted))
    with right:
        st.html(cost_html.over_time(profile, predicted))
    st.download_button(
        "Download trace",
        lambda: ask(network.trace, inspection.ref, batch, timeout_s=LONG_S),
        "trace.json",
        "application/json",
        icon=":material/download:",
        key="inside:cost:trace",
        on_click="ignore",
    )
    st.caption(
        f"Mean of {profile.steps} steps on this machine's CPU (threads: {profile.threads}). The "
        "profiler itself adds a little time to every operation. The trace opens in "
        "chrome://tracing or Perfetto; nothing is uploaded."
    )
