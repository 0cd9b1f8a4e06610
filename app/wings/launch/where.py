"""Where the next run trains: the launchers, what each costs, and what this machine has of it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import runs, state
from app.services.document import Document
from core.common.errors import RunError
from core.settings.launcher import (
    HERE,
    MOST_MACHINES,
    MOST_PROCESSES,
    SHARDINGS,
    Launcher,
    check_sharding,
)
from core.settings.schema import defaults
from core.settings.step_settings import StepSettings
from core.wings.launch.launchers import SHARDING_COSTS, SHARDING_TITLES
from core.wings.launch.smaller_batches import sentence
from core.worker.launchers import (
    LauncherFinding,
    LauncherKind,
    check_launcher,
    kind_of,
    kinds,
    where,
)

CHOSEN, UNCHOSEN = ":material/radio_button_checked:", ":material/radio_button_unchecked:"


def ask(training: Mapping[str, Any], document: Document) -> None:
    """Draw the choice and keep it for the runs that this tab starts."""
    launcher = runs.chosen_launcher()
    title = f"Where it runs: {escape_markdown(_title(launcher), 60)}"
    with st.expander(title, key="where_it_runs"):
        for kind in kinds():
            _offer(kind, kind.find(), launcher.kind == kind.name)
            if launcher.kind == kind.name and kind.several:
                launcher = _weights(_numbers(kind, launcher, training))
                state.keep(runs.LAUNCHER, launcher.as_spec())
                _shares(launcher, training)
                _parts(launcher, training, document)


def _parts(launcher: Launcher, training: Mapping[str, Any], document: Document) -> None:
    """What differs from one process."""
    if launcher.world > 1:
        source = document.analysed().get("source") or ""
        if said := sentence(launcher, training, source, document.project.data):
            st.caption(f":material/info: {escape_markdown(said, 400)}")


def _title(launcher: Launcher) -> str:
    return where(launcher.as_spec()) or kind_of(HERE).title


def _offer(kind: LauncherKind, finding: LauncherFinding, chosen: bool) -> None:
    """One launcher, which can be chosen where this machine has it."""
    with st.container(key=f"launcher_{kind.name}", gap=None):
        st.button(
            kind.title,
            icon=CHOSEN if chosen else UNCHOSEN,
            key=f"choose_launcher_{kind.name}",
            type="tertiary",
            disabled=not finding.available,
            on_click=_choose,
            args=(kind.name,),
        )
        here = finding.text if finding.available else f"{finding.text} {finding.hint}"
        st.caption(f"{kind.summary} {kind.cost} Here: {escape_markdown(here.rstrip('.'), 160)}.")


def _choose(name: str) -> None:
    processes = kind_of(name).least
    state.keep(runs.LAUNCHER, {**Launcher().as_spec(), "kind": name, "processes": processes})


def _numbers(kind: LauncherKind, launcher: Launcher, training: Mapping[str, Any]) -> Launcher:
    """Draw processes, machines and address of a launcher, those that it has."""
    processes, machines, address = launcher.processes, launcher.machines, launcher.address
    left, right = st.columns(2)
    with left:
        processes = st.number_input(
            "Processes",
            1,
            MOST_PROCESSES,
            processes,
            key=f"launcher_nproc_{kind.name}",
            help="On each machine." if kind.machines else None,
        )
    with right:
        if kind.machines:
            machines = st.number_input(
                "Machines", 1, MOST_MACHINES, machines, key=f"launcher_nnodes_{kind.name}"
            )
    if kind.address:
        address = st.text_input(
            kind.address_title,
            address,
            key=f"launcher_address_{kind.name}",
            help=f"{kind.address[0].upper()}{kind.address[1:]}.",
        ).strip()
    chosen = Launcher(launcher.kind, int(processes), int(machines), address, launcher.sharding)
    if kind.address and st.button(
        "Check",
        icon=":material/network_check:",
        key=f"launcher_check_{kind.name}",
        help="Connects and compares versions; starts nothing.",
    ):
        _check(chosen, training)
    return chosen


def _weights(launcher: Launcher) -> Launcher:
    """Draw what each of several processes keeps of the weights."""
    if launcher.world < 2:
        return replace(launcher, sharding="ddp")
    sharding = st.segmented_control(
        "Weights",
        SHARDINGS,
        default=launcher.sharding,
        required=True,
        format_func=SHARDING_TITLES.__getitem__,
        key=f"launcher_sharding_{launcher.kind}",
    )
    sharding = sharding or launcher.sharding
    st.caption(SHARDING_COSTS[sharding])
    return replace(launcher, sharding=sharding)


def _check(launcher: Launcher, training: Mapping[str, Any]) -> None:
    """Show whether a run could start there, or the one sentence why it cannot."""
    try:
        with st.spinner("Checking"):
            check_launcher(launcher, training)
    except RunError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    st.success(f"{escape_markdown(_title(launcher), 60)} is ready.", icon=":material/check:")


def _shares(launcher: Launcher, training: Mapping[str, Any]) -> None:
    """How the processes share the samples of a step, or why they cannot."""
    settings = {**defaults(), **training}
    step = StepSettings.of_project(settings)
    if launcher.world < 2 or step is None:
        return
    try:
        check_sharding(launcher, settings)
        cut = launcher.cut(step)
    except RunError as error:
        st.caption(f":red[:material/error:] {escape_markdown(error, 400)}")
        return
    st.caption(
        f"Each step: {cut.batches} batches of {cut.batch_size} samples, shared by "
        f"{launcher.world} processes."
    )
