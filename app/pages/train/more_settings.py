"""The rest of the training settings on the Train form, by what they are about."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from app.markdown import label
from app.pages.shared import setting_widgets
from app.pages.train import class_weights
from blocks.spec import Setting
from core.data import DataInfo
from core.settings.losses import COUNTED, LOSSES, default_best_by
from core.settings.optimizers import OPTIMIZERS
from core.settings.schema import BEST, HEADINGS, TRAINING
from core.tasks.metric_labels import aims_of, judged_by

DECLARED = {setting.name: setting for setting in TRAINING}
Training = dict[str, Any]


def ask(training: Training, info: DataInfo | None, loss: str, key: str) -> None:
    """Draw the groups and keep what they say in `training`."""
    optimiser = training.get("optimizer", DECLARED["optimizer"].default)
    declared = OPTIMIZERS[optimiser].settings
    _owned(training, "optimizer_settings", optimiser, declared, key)
    if "decay_of" in training or any(s.name == "weight_decay" for s in declared):
        one(training, "decay_of", key)
    if loss:
        _owned(training, "loss_settings", loss, LOSSES[loss].settings, key)
    if "losses" not in training:
        class_weights.ask(training, info, key)
    for heading in HEADINGS:
        st.markdown(f"**{heading}**")
        listed = [setting for setting in TRAINING if setting.group == heading]
        _in_pairs(listed, lambda s: _known(training, s.name, info, key))


def one(training: Training, name: str, key: str) -> None:
    """Ask for one setting; one that is left at its default stays out of the file."""
    declared = DECLARED[name]
    answer = setting_widgets.ask(declared, training.get(name, declared.default), f"{key}:{name}")
    if name in training or answer != declared.default:
        training[name] = answer


def asked(declared: Sequence[Setting], given: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Ask for each; return what differs from torch's defaults."""
    found: dict[str, Any] = {}

    def keep(setting: Setting) -> None:
        value = given.get(setting.name, setting.default)
        answer = setting_widgets.ask(setting, value, f"{key}:{setting.name}")
        plain = list(setting.default) if isinstance(setting.default, tuple) else setting.default
        if answer != plain:
            found[setting.name] = answer

    _in_pairs(declared, keep)
    return found


def _known(training: Training, name: str, info: DataInfo | None, key: str) -> None:
    if name == "best_by" and info is not None:
        _best(training, info, key)
    else:
        one(training, name, key)


def _best(training: Training, info: DataInfo, key: str) -> None:
    """What makes a checkpoint the best one: the usual of the task stays out of the file."""
    task, aims = info.task, aims_of(info.terms)
    fitting = BEST if task in COUNTED else tuple(b for b in BEST if b != "val_accuracy")
    given = training.get("best_by") or default_best_by(task)
    fitting = fitting if given in fitting else (*fitting, given)  # for the check to name
    declared = replace(DECLARED["best_by"], choices=fitting, optional=False)
    answer = setting_widgets.ask(
        declared, given, f"{key}:best_by:{task}", words=lambda by: judged_by(by, aims)
    )
    if "best_by" in training or answer != default_best_by(task):
        training["best_by"] = answer


def _owned(
    training: Training, group: str, owner: str, declared: Sequence[Setting], key: str
) -> None:
    """The settings of the optimiser or the loss, under its name."""
    if not declared:
        return
    st.markdown(f"**{label(owner, 60)}**")
    found = asked(declared, training.get(group, {}), f"{key}:{owner}")
    if found:
        training[group] = found
    else:
        training.pop(group, None)


def _in_pairs(declared: Sequence[Setting], draw: Callable[[Setting], None]) -> None:
    """Fields side by side, two in a row, and switches each in a row of its own below."""
    fields = [s for s in declared if s.kind != "bool"]
    for start in range(0, len(fields), 2):
        pair = fields[start : start + 2]
        for column, setting in zip(st.columns(2, vertical_alignment="bottom"), pair, strict=False):
            with column:
                draw(setting)
    for setting in declared:
        if setting.kind == "bool":
            draw(setting)
