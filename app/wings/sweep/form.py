"""The form of a new sweep: settings to search, number of trials, epochs."""

import shlex
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.markdown import escape_markdown
from app.pages.shared import state
from app.services import training
from app.services.document import Document
from app.wings.sweep import objective_choices, placement, space
from app.wings.sweep import service as sweeps
from app.wings.sweep.space import Searchable
from core.common.errors import LayerloomError, SweepError
from core.data.sources import split_settings
from core.settings.literal import text_of
from core.settings.schema import TRAINING
from core.wings.sweep import folds, search_space

EPOCHS = next(setting.default for setting in TRAINING if setting.name == "epochs")
TRIALS, MOST_TRIALS, MOST_JOBS = 12, 1000, 8
CHOSEN = "sweep_pick"
HELP = (
    "The first trials are random, later ones close to the best so far (TPE). If there are fewer "
    "combinations than trials, each is tried once."
)
TOGETHER = {"auto": "If faster", "on": "Always", "off": "Never"}
TOGETHER_HELP = (
    "Trials that differ only in numbers (rates, weight decay, seed) share a process and, if that "
    "is faster, one compiled step: 32 small networks then take a fifth of the time. Each is still "
    "its own run, with the same results up to rounding."
)
PRUNE = {
    "median": "Worse than the median",
    "asha": "Successive halving (ASHA)",
    "hyperband": "Hyperband",
    "off": "Never",
}
PRUNE_HELP = (
    "The median rule ends a trial that is worse than the median of the others at the same epoch. "
    "Successive halving lets the best third continue past epochs 1, 3, 9 and so on; Hyperband "
    "does so with several sets of epochs, which is kinder to slow starters."
)
OBJECTIVES_HELP = (
    "With several objectives the result is a front: the trials that no other one beats by all of "
    "them, such as the most accurate network of each size. No trial is then stopped early."
)
FOLDS_HELP = (
    "Each choice of settings trains once on each fold of the data, and the best mean wins: how "
    "good one is depends less on which samples happen to validate. It takes as many times longer, "
    "and each setting needs single values or steps to search. Usual are 5 and 10."
)


@dataclass
class SweepForm:
    """The values of the form. wrong: a sentence for each search that is incomplete.

    folds: how many splits each choice of settings is trained on, 0 for the project's own.
    """

    search: list[str] = field(default_factory=lambda: [])
    fixed: dict[str, Any] = field(default_factory=lambda: {})
    trials: int = TRIALS
    jobs: int = 1
    pruner: str = "median"
    together: str = "auto"
    folds: int = 0
    objectives: list[str] = field(default_factory=lambda: [])
    launcher: dict[str, Any] = field(default_factory=lambda: {})
    wrong: list[str] = field(default_factory=lambda: [])


def ask(document: Document, problem: str, head: DeltaGenerator, first: bool) -> None:
    """Draw the form; start the sweep when its button is pressed.

    problem: why none can start. head: where the button stands, in view beside the title. first:
    whether a start is what one does next; applying a result is, where there is one.
    """
    st.subheader("New sweep")
    values = SweepForm()
    _space(document, values)
    _plan(document, values)
    with st.popover("More settings", icon=":material/tune:", width="stretch"):
        _objectives(document, values)
        _more(document, values)
    if values.folds:
        _check_folds(values)
    for sentence in values.wrong:
        st.caption(f":red[:material/error:] {escape_markdown(sentence, 300)}")
    ready = bool(values.search or values.folds) and not values.wrong and not problem
    reason = problem or next(iter(values.wrong), "Choose at least one setting to search.")
    pressed = head.button(
        "Start the sweep",
        type="primary" if first else "secondary",
        icon=":material/tune:",
        key="sweep_start",
        disabled=not ready,
        help=None if ready else reason,
    )
    if pressed:
        _begin(document, values)
    if values.search or values.folds:
        _command(document, values)


def _space(document: Document, values: SweepForm) -> None:
    """Ask for the settings to search and their values."""
    offered = {each.key: each for each in space.searchable(document.project)}
    kept = f"{document.doc_id}:sweep_keys"
    before = [key for key in state.value(kept) or ("lr",) if key in offered]
    with st.popover("Settings to search", icon=":material/checklist:", width="stretch"):
        keys = st.multiselect(
            "Settings to search",
            list(offered),
            before,
            format_func=lambda key: offered[key].title,
            key=f"{document.doc_id}:sweep:keys",
            placeholder="Choose one or more",
        )
    state.keep(kept, keys)
    for key in keys:
        with st.container(border=True, gap="small"):
            text = _values(document, offered[key])
        try:
            search_space.read(text)
        except SweepError as error:
            values.wrong.append(f"{offered[key].title}: {error.message}")
        else:
            values.search.append(text)
    if not keys and not state.value(f"{document.doc_id}:sweep:folds"):
        values.wrong.append("Choose what to search, such as the learning rate or a layer's width.")


def _values(document: Document, each: Searchable) -> str:
    """Ask for the values of one key; return the search in the syntax of the command."""
    key = f"{document.doc_id}:sweep:{each.key}"
    st.markdown(f"**{escape_markdown(each.title, 80)}**")
    if not each.number:
        first = list(each.choices) if each.kind == "bool" else [each.value]
        more = [value for value in each.choices if value not in first][: max(0, 2 - len(first))]
        start = [value for value in (*first, *more) if value in each.choices]
        chosen = st.multiselect(
            f"Values of {each.title}",
            each.choices,
            start,
            format_func=text_of,
            key=key,
            label_visibility="collapsed",
        )
        return space.choices_text(each.key, chosen)
    low, high, powers = space.suggestion(each)
    left, right = st.columns(2)
    low = left.text_input("From", low, key=f"{key}:low")
    high = right.text_input("To", high, key=f"{key}:high")
    if each.kind == "float":
        powers = st.toggle(
            "Log scale",
            powers,
            key=f"{key}:log",
            help="As many trials from 0.001 to 0.01 as from 0.01 to 0.1.",
        )
    return space.range_text(each.key, low, high, powers)


def _objectives(document: Document, values: SweepForm) -> None:
    """Ask what trials are compared by; nothing for the usual metric alone."""
    offered = objective_choices.offered(document.project, training.fit(document).info)
    chosen = st.multiselect(
        "Objectives",
        list(offered),
        [],
        format_func=offered.__getitem__,
        key=f"{document.doc_id}:sweep:objectives",
        placeholder="The metric of the best checkpoint",
        help=OBJECTIVES_HELP,
    )
    values.objectives = list(chosen)
    try:
        objective_choices.check(chosen, offered)
    except SweepError as error:
        values.wrong.append(f"{error.message} {error.hint}")


def _plan(document: Document, values: SweepForm) -> None:
    prefix = f"{document.doc_id}:sweep"
    saved = document.project.training.get("epochs", EPOCHS)
    epochs = saved if type(saved) is int and saved >= 1 else EPOCHS
    columns = st.columns(2)
    with columns[0]:
        values.trials = int(
            st.number_input("Trials", 1, MOST_TRIALS, TRIALS, key=f"{prefix}:n", help=HELP)
        )
    with columns[1]:
        given = int(st.number_input("Epochs each", 1, 1_000_000, epochs, key=f"{prefix}:epochs"))
    if given != saved:
        values.fixed["epochs"] = given


def _more(document: Document, values: SweepForm) -> None:
    """Ask how many trials run at once, which end early, and where they train."""
    prefix = f"{document.doc_id}:sweep"
    values.jobs = int(st.number_input("In parallel", 1, MOST_JOBS, 1, key=f"{prefix}:jobs"))
    if len(values.objectives) < 2:
        values.pruner = st.selectbox(
            "End bad trials early",
            list(PRUNE),
            format_func=PRUNE.__getitem__,
            key=f"{prefix}:pruner",
            help=PRUNE_HELP,
        )
    values.folds = _folds(prefix)
    values.launcher = placement.ask(prefix)
    if not values.launcher:
        values.together = _together(prefix)


def _folds(prefix: str) -> int:
    """Ask how many splits each choice of settings is trained on; 0 for one."""
    given = st.number_input(
        "Repeat on folds",
        2,
        split_settings.MOST_FOLDS,
        None,
        key=f"{prefix}:folds",
        placeholder="none",
        help=FOLDS_HELP,
    )
    return int(given or 0)


def _check_folds(values: SweepForm) -> None:
    """Note why the settings cannot be repeated on folds, or how many trials that is."""
    if len(values.objectives) > 1:
        values.wrong.append("Folds compare means of one objective. Remove the others.")
    try:
        _, _, trials = folds.request(values.folds, values.search, values.fixed)
    except SweepError as error:
        values.wrong.append(f"{error.message} Leave it out, or name its values in the command.")
    else:
        st.caption(f"{trials:,} trials: each choice of settings on {values.folds} folds.")


def _together(prefix: str) -> str:
    together = st.segmented_control(
        "Train trials together",
        list(TOGETHER),
        default="auto",
        format_func=TOGETHER.__getitem__,
        key=f"{prefix}:together",
        help=TOGETHER_HELP,
        required=True,
    )
    return together or "auto"


def _begin(document: Document, values: SweepForm) -> None:
    """Start the sweep and show it, or an error if it cannot start."""
    search, fixed, trials = values.search, values.fixed, values.trials
    try:
        if values.folds:
            search, fixed, trials = folds.request(values.folds, search, fixed)
        with st.spinner("Checking the settings and starting the sweep"):
            name = sweeps.begin(
                document,
                search,
                trials,
                fixed,
                values.jobs,
                how(values),
            )
    except (LayerloomError, OSError) as error:
        st.error(escape_markdown(error, 500), icon=":material/error:")
        return
    state.keep(CHOSEN, name)
    st.rerun()


def how(values: SweepForm) -> dict[str, Any]:
    """The rest of a request: early stopping, training together, objectives, launcher."""
    prune = values.pruner != "off" and not values.folds  # one fold may be harder than others
    pruner = values.pruner if prune else "median"
    return {
        "prune": prune,
        "pruner": pruner,
        "together": values.together,
        "objectives": tuple(values.objectives),
        "launcher": values.launcher,
    }


def _command(document: Document, values: SweepForm) -> None:
    """Show the same as a command."""
    with st.expander("The same as a command"):
        st.code(command(document, values), language="bash", wrap_lines=True)


def command(document: Document, values: SweepForm) -> str:
    """The command that does the same in a terminal."""
    file = document.path.name if document.path else f"{document.stem}.loom.json"
    words = ["layerloom", "sweep", file]
    words += [part for text in values.search for part in ("--search", text)]
    words += [part for k, v in values.fixed.items() for part in ("--set", f"{k}={v}")]
    words += ["--folds" if values.folds else "--trials", str(values.folds or values.trials)]
    words += ["--jobs", str(values.jobs)] if values.jobs > 1 else []
    words += ["--together", values.together] if values.together != "auto" else []
    words += [part for name in values.objectives for part in ("--objective", name)]
    given = values.pruner != "median" and not values.folds
    words += ["--prune", values.pruner] if given else []
    if values.launcher:
        words += ["--launcher", values.launcher["kind"]]
        words += ["--address", values.launcher["address"]] if values.launcher["address"] else []
    return shlex.join(words)
