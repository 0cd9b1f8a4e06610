"""The training half of the Train form: loss, optimiser, schedule and their settings."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app import forms
from app.document import Document
from app.pages import (
    train_finder,
    train_odd,
    train_overfit,
    train_rate,
    train_start,
    train_teacher,
    train_weights,
)
from app.text import label
from blocks.spec import Setting
from core.data import DataInfo
from core.train.losses import LOSSES
from core.train.optimisers import OPTIMISERS
from core.train.schedules import SCHEDULES
from core.train.settings import TRAINING

FIRST = ("epochs", "batch_size", "seed")
MORE = (
    "patience",
    "max_minutes",
    "decay_of",
    "clip_norm",
    "on_not_finite",
    "accumulate",
    "ema_decay",
    "device",
    "precision",
    "channels_last",
    "compile",
    "cuda_graph",
    "deterministic",
    "best_by",
    "keep_best",
    "checkpoint_every_s",
    "threads",
    "histograms",
)
_DECLARED = {setting.name: setting for setting in TRAINING}
Training = dict[str, Any]


def ask(document: Document, info: DataInfo | None) -> None:
    """Draw the form and keep what it says in the project. info: the data, where it fits."""
    training: Training = dict(document.project.training)
    key = document.doc_id
    st.subheader("Training")
    odd = train_odd.ask(document, training)
    fitting = info.losses if info else ()
    loss = _several(training) if "losses" in training else _loss(training, fitting, key)
    optimiser = _optimiser(training, key)
    if info is not None and info.here:
        train_finder.ask(document, f"{key}:lr:{optimiser}")
        train_overfit.ask(document)
    left, middle, right = st.columns(3)
    for column, name in zip((left, middle, right), FIRST, strict=True):
        with column:
            _one(training, name, key)
    _schedule(training, key)
    curve = st.container()
    train_start.ask(document, training)
    start = st.container()
    train_teacher.ask(document, training, info, loss)
    teacher = st.container()
    with st.expander("More about the training"):
        _group(training, "optimizer_settings", optimiser, OPTIMISERS[optimiser].settings, key)
        if loss:
            _group(training, "loss_settings", loss, LOSSES[loss].settings, key)
        if "losses" not in training:
            train_weights.ask(training, info, key)
        for name in MORE:
            _one(training, name, key)
    document.change(training=training | odd)
    with curve:
        train_rate.curve(document, info)
    if "start_from" not in odd:
        with start:
            train_start.fit(document)
    if "distil" not in odd:
        with teacher:
            train_teacher.fit(document)


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
    chosen = forms.ask(_DECLARED["loss"], given, f"{key}:loss:{'.'.join(fitting)}", fitting)
    if chosen != given:
        training.pop("loss_settings", None)
    if "loss" in training or chosen != given:
        training["loss"] = chosen
    st.caption(LOSSES[chosen].summary)
    return chosen


def _optimiser(training: Training, key: str) -> str:
    left, right = st.columns([3, 2])
    before = training.get("optimizer", _DECLARED["optimizer"].default)
    with left:
        chosen = forms.ask(_DECLARED["optimizer"], before, f"{key}:optimizer")
    if chosen != before:
        training.pop("optimizer_settings", None)
        training.update(optimizer=chosen, lr=OPTIMISERS[chosen].lr)
    with right:
        usual = OPTIMISERS[chosen].lr
        rate = forms.ask(_DECLARED["lr"], training.get("lr", usual), f"{key}:lr:{chosen}")
    if "lr" in training or rate != usual:
        training["lr"] = rate
    st.caption(OPTIMISERS[chosen].summary)
    return chosen


def _one(training: Training, name: str, key: str) -> None:
    """Ask for one setting; one that is left at its default stays out of the file."""
    declared = _DECLARED[name]
    answer = forms.ask(declared, training.get(name, declared.default), f"{key}:{name}")
    if name in training or answer != declared.default:
        training[name] = answer


def _schedule(training: Training, key: str) -> None:
    given = training.get("scheduler")
    settings = {"name": given} if isinstance(given, str) else dict(given or {})
    name = forms.ask(_DECLARED["scheduler"], settings.get("name"), f"{key}:scheduler")
    if name is None:
        training.pop("scheduler", None)
        _one(training, "warmup", key)
        return
    if name != settings.get("name"):
        settings = {"name": name}
    st.caption(SCHEDULES[name].summary)
    with st.expander(f"Settings of {name}"):
        training["scheduler"] = {"name": name} | _asked(
            SCHEDULES[name].settings, settings, f"{key}:{name}"
        )
    _one(training, "warmup", key)


def _group(
    training: Training, group: str, owner: str, declared: Sequence[Setting], key: str
) -> None:
    if not declared:
        return
    st.markdown(f"**{owner}**")
    found = _asked(declared, training.get(group, {}), f"{key}:{owner}")
    if found:
        training[group] = found
    else:
        training.pop(group, None)


def _asked(declared: Sequence[Setting], given: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return what differs from torch's defaults."""
    found: dict[str, Any] = {}
    for setting in declared:
        answer = forms.ask(
            setting, given.get(setting.name, setting.default), f"{key}:{setting.name}"
        )
        plain = list(setting.default) if isinstance(setting.default, tuple) else setting.default
        if answer != plain:
            found[setting.name] = answer
    return found
