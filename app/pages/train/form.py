"""The training half of the Train form: loss, optimiser, schedule and their settings."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.markdown import label
from app.pages.shared import setting_widgets
from app.pages.train import (
    distillation,
    init,
    lr,
    lr_finder,
    more_settings,
    odd_settings,
    overfit_one_batch,
)
from app.services.document import Document
from core.data import DataInfo
from core.errors import RunError
from core.settings.checks import without_effect
from core.settings.losses import LOSSES
from core.settings.lr_schedulers import SCHEDULES
from core.settings.optimizers import OPTIMIZERS
from core.settings.schema import TRAINING
from core.settings.validate import resolve

FIRST = ("epochs", "batch_size", "seed")
PLACES = ("first", "found", "plan", "curve", "begin", "start", "taught", "teacher", "more", "said")
"""Containers one below the other: what comes and goes in one must not close those below."""
_DECLARED = {setting.name: setting for setting in TRAINING}
Training = dict[str, Any]


def ask(document: Document, info: DataInfo | None) -> None:
    """Draw the form and keep what it says in the project. info: the data, where it fits."""
    training: Training = dict(document.project.training)
    key = document.doc_id
    st.subheader("Training")
    places = {name: st.container() for name in PLACES}
    with places["first"]:
        odd = odd_settings.ask(document, training)
        loss, optimiser, pressed = _first(training, info, key)
    with places["plan"]:
        _plan(training, key)
    with places["begin"]:
        init.ask(document, training)
    with places["taught"]:
        distillation.ask(document, training, info, loss)
    with places["more"], st.expander("More about the training"):
        more_settings.ask(training, info, loss, key)
    document.change(training=training | odd)
    with places["found"]:  # of the settings as they are now
        lr_finder.tell(document, f"{key}:lr:{optimiser}", pressed[0])
        overfit_one_batch.tell(document, pressed[1])
    _tell(document, info, odd, places)


def _tell(
    document: Document, info: DataInfo | None, odd: Training, places: Mapping[str, DeltaGenerator]
) -> None:
    """What the settings come to, each beside the one it is about."""
    with places["said"]:
        _idle(document, info)
    with places["curve"]:
        lr.curve(document, info)
    if "start_from" not in odd:
        with places["start"]:
            init.fit(document)
    if "distil" not in odd:
        with places["teacher"]:
            distillation.fit(document)


def _first(
    training: Training, info: DataInfo | None, key: str
) -> tuple[str, str, tuple[bool, bool]]:
    """Ask for loss and optimiser, and draw the buttons of the trials before a long run.

    Returns the loss, "" where there are several, the optimiser, and which trial was asked for.
    """
    fitting = info.losses if info else ()
    loss = _several(training) if "losses" in training else _loss(training, fitting, key)
    optimiser = _optimiser(training, key)
    if info is None or not info.here:
        return loss, optimiser, (False, False)
    with st.container(horizontal=True, gap="small"):
        return loss, optimiser, (lr_finder.pressed(), overfit_one_batch.pressed())


def _plan(training: Training, key: str) -> None:
    for column, name in zip(st.columns(len(FIRST)), FIRST, strict=True):
        with column:
            more_settings.one(training, name, key)
    _schedule(training, key)


def _idle(document: Document, info: DataInfo | None) -> None:
    """Name the settings that change nothing, or everything, as the others stand."""
    if info is None:
        return
    try:
        settings = resolve(document.project.training, info.task, info.losses)
    except RunError as error:  # beside the button that trains too, but that may be out of sight
        st.caption(f":red[:material/error:] {label(error, 400)}")
        return
    for sentence in without_effect(settings, info.train_size):
        st.caption(f":material/info: {label(sentence, 300)}")


def _several(training: Training) -> str:
    """Tell the losses of a project that has several; they are set in its file."""
    for entry in training["losses"]:
        outputs = entry.get("output", "")
        read = outputs if isinstance(outputs, str) else ", ".join(map(str, outputs))
        against = f" against {entry['target']}" if entry.get("target") is not None else ""
        moves = f", trains {entry['trains']}" if entry.get("trains") else ""
        weight = f"{entry['weight']:g} times " if entry.get("weight", 1) != 1 else ""
        st.caption(label(f"{weight}{entry.get('loss', '')} of {read}{against}{moves}", 160))
    return ""


def _loss(training: Training, losses: Sequence[str], key: str) -> str:
    fitting = tuple(losses) or tuple(LOSSES)
    given = training.get("loss", fitting[0])
    if given not in fitting:
        message = f"{label(given, 60)} does not suit the data; {fitting[0]} does."
        st.warning(message, icon=":material/warning:")
    chosen = setting_widgets.ask(
        _DECLARED["loss"], given, f"{key}:loss:{'.'.join(fitting)}", fitting
    )
    if chosen != given:
        training.pop("loss_settings", None)
    if "loss" in training or chosen != given:
        training["loss"] = chosen
    found = LOSSES[chosen]
    exact = f" For an output $x$ and its target $y$: ${found.formula}$" if found.formula else ""
    st.caption(f"{found.summary}{exact}")
    return chosen


def _optimiser(training: Training, key: str) -> str:
    left, right = st.columns([3, 2])
    before = training.get("optimizer", _DECLARED["optimizer"].default)
    with left:
        chosen = setting_widgets.ask(_DECLARED["optimizer"], before, f"{key}:optimizer")
    if chosen != before:
        training.pop("optimizer_settings", None)
        training.update(optimizer=chosen, lr=OPTIMIZERS[chosen].lr)
    with right:
        usual = OPTIMIZERS[chosen].lr
        rate = setting_widgets.ask(_DECLARED["lr"], training.get("lr", usual), f"{key}:lr:{chosen}")
    if "lr" in training or rate != usual:
        training["lr"] = rate
    found = OPTIMIZERS[chosen]
    st.caption(f"{found.summary} [Its paper]({found.paper})" if found.paper else found.summary)
    return chosen


def _schedule(training: Training, key: str) -> None:
    given = training.get("scheduler")
    settings = {"name": given} if isinstance(given, str) else dict(given or {})
    name = setting_widgets.ask(_DECLARED["scheduler"], settings.get("name"), f"{key}:scheduler")
    if name is None:
        training.pop("scheduler", None)
        more_settings.one(training, "warmup", key)
        return
    if name != settings.get("name"):
        settings = {"name": name}
    st.caption(SCHEDULES[name].summary)
    with st.expander(f"Settings of {name}"):
        training["scheduler"] = {"name": name} | more_settings.asked(
            SCHEDULES[name].settings, settings, f"{key}:{name}"
        )
    more_settings.one(training, "warmup", key)
