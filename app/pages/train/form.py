"""The training half of the Train form: loss, optimiser, schedule and every further setting."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app import wing
from app.markdown import escape_markdown
from app.pages.shared import setting_widgets, suggested_settings
from app.pages.train import init, lr, overfit_one_batch
from app.pages.train.trials import TrialRequest
from app.services import devices, suggestions
from app.services.document import Document
from blocks.spec import Setting
from core.common.errors import RunError, TrainingError
from core.data import DataInfo
from core.data.facts.loss_terms import aims_of
from core.files.messages import quote
from core.settings import class_balance
from core.settings.checks import without_effect
from core.settings.class_weights import count_of, weighed_by
from core.settings.lr_schedulers import SCHEDULES
from core.settings.optimizers import OPTIMIZERS
from core.settings.schema import BEST, HEADINGS, TRAINING
from core.settings.validate import resolve
from core.tasks.metric_labels import judged_by
from core.tasks.registry import LOSSES, TASKS, default_best_by

FIRST = ("epochs", "batch_size", "seed")
PLACES = (
    "first",
    "plan",
    "curve",
    "init",
    "init_check",
    "teacher",
    "teacher_check",
    "launcher",
    "more",
    "warnings",
)
"""Containers one below the other: what comes and goes in one must not close those below."""
DECLARED = {setting.name: setting for setting in TRAINING}
Training = dict[str, Any]


def ask(document: Document, info: DataInfo | None) -> TrialRequest:
    """Draw the form and store its values in the project; return the requested trials.

    info: the data, if it fits the network.
    """
    st.subheader("Training")
    suggested = st.container()
    suggestions.follow(document)
    key = document.form.key
    training: Training = dict(document.project.training)
    containers = {name: st.container() for name in PLACES}
    with containers["first"]:
        odd = _take_out_unsupported(document, training)
        loss, optimiser, pressed = _first(document, training, info, key)
    with containers["plan"]:
        _plan(training, key)
    with containers["init"]:
        init.ask_init(document, training)
    with containers["teacher"]:
        init.ask_teacher(document, training, info, loss)
    with containers["launcher"]:
        for _, part in wing.parts("where"):
            part.ask(training, document)
    with containers["more"], st.expander("More training settings"):
        _more(training, info, loss, key)
    document.change(training=training | odd)
    with suggested:
        suggested_settings.show(document)
    _feedback(document, info, odd, containers)
    return TrialRequest(f"{key}:lr:{optimiser}", *pressed)


def _feedback(
    document: Document,
    info: DataInfo | None,
    odd: Training,
    containers: Mapping[str, DeltaGenerator],
) -> None:
    """Warnings, learning rate curve and checks of weights, each beside its setting."""
    with containers["warnings"]:
        _warn_without_effect(document, info)
    with containers["curve"]:
        lr.show_preview(document, info)
    if "start_from" not in odd:
        with containers["init_check"]:
            init.check_init(document)
    if "distil" not in odd:
        with containers["teacher_check"]:
            init.check_teacher(document)


def _first(
    document: Document, training: Training, info: DataInfo | None, key: str
) -> tuple[str, str, tuple[bool, bool]]:
    """Draw loss and optimiser, and the buttons of the trials before a long run.

    Returns the loss ("" if there are several), the optimiser, and which buttons were pressed.
    """
    fitting = info.losses if info else ()
    loss = _show_losses(training) if "losses" in training else _loss(training, fitting, key)
    optimiser = _optimiser(document, training, key)
    if info is None or not info.here:
        return loss, optimiser, (False, False)
    with st.container(horizontal=True, gap="small"):
        return loss, optimiser, (lr.finder_button(), overfit_one_batch.button())


def _plan(training: Training, key: str) -> None:
    for column, name in zip(st.columns(len(FIRST)), FIRST, strict=True):
        with column:
            _ask_setting(training, name, key)
    _schedule(training, key)


def _warn_without_effect(document: Document, info: DataInfo | None) -> None:
    """Warn about settings that have no effect, or that prevent all learning."""
    if info is None:
        return
    try:
        settings = resolve(document.project.training, info.task, info.losses, info.rare)
    except RunError as error:  # beside the button that trains too, but that may be out of sight
        st.caption(f":red[:material/error:] {escape_markdown(error, 400)}")
        return
    for sentence in without_effect(settings, info.train_size):
        st.caption(f":material/info: {escape_markdown(sentence, 300)}")


def _show_losses(training: Training) -> str:
    """List the losses of a project with several; they are set in its file."""
    for entry in training["losses"]:
        outputs = entry.get("output", "")
        read = outputs if isinstance(outputs, str) else ", ".join(map(str, outputs))
        against = f" against {entry['target']}" if entry.get("target") is not None else ""
        moves = f", trains {entry['trains']}" if entry.get("trains") else ""
        weight = f"{entry['weight']:g} times " if entry.get("weight", 1) != 1 else ""
        st.caption(
            escape_markdown(f"{weight}{entry.get('loss', '')} of {read}{against}{moves}", 160)
        )
    return ""


def _loss(training: Training, losses: Sequence[str], key: str) -> str:
    fitting = tuple(losses) or tuple(LOSSES)
    name = training.get("loss", fitting[0])
    if name not in fitting:
        message = f"{escape_markdown(name, 60)} does not fit the data. Use {fitting[0]}."
        st.warning(message, icon=":material/warning:")
    chosen = setting_widgets.ask(DECLARED["loss"], name, f"{key}:loss:{'.'.join(fitting)}", fitting)
    if chosen != name:
        training.pop("loss_settings", None)
    if "loss" in training or chosen != name:
        training["loss"] = chosen
    loss = LOSSES[chosen]
    exact = f" With output $x$ and target $y$: ${loss.formula}$" if loss.formula else ""
    st.caption(f"{loss.summary}{exact}")
    return chosen


def _optimiser(document: Document, training: Training, key: str) -> str:
    """Draw optimiser and learning rate; another optimiser brings its usual rate."""
    left, right = st.columns([3, 2])
    before = training.get("optimizer", DECLARED["optimizer"].default)
    with left:
        chosen = setting_widgets.ask(DECLARED["optimizer"], before, f"{key}:optimizer")
    if chosen != before:
        training.pop("optimizer_settings", None)
        training.update(optimizer=chosen, lr=suggestions.usual_rate_of(document, chosen))
    with right:
        usual = OPTIMIZERS[chosen].lr
        rate = setting_widgets.ask(DECLARED["lr"], training.get("lr", usual), f"{key}:lr:{chosen}")
    if "lr" in training or rate != usual:
        training["lr"] = rate
    optimizer = OPTIMIZERS[chosen]
    st.caption(
        f"{optimizer.summary} [Paper]({optimizer.paper})" if optimizer.paper else optimizer.summary
    )
    return chosen


def _schedule(training: Training, key: str) -> None:
    saved = training.get("scheduler")
    settings = {"name": saved} if isinstance(saved, str) else dict(saved or {})
    name = setting_widgets.ask(DECLARED["scheduler"], settings.get("name"), f"{key}:scheduler")
    if name is None:
        training.pop("scheduler", None)
        _ask_setting(training, "warmup", key)
        return
    if name != settings.get("name"):
        settings = {"name": name}
    st.caption(SCHEDULES[name].summary)
    with st.expander(f"Settings of {name}"):
        training["scheduler"] = {"name": name} | _ask_all(
            SCHEDULES[name].settings, settings, f"{key}:{name}"
        )
    _ask_setting(training, "warmup", key)


NONE = "none"


BALANCED = "balanced"


LISTED = "one weight per class"


def _class_weights(training: dict[str, Any], info: DataInfo | None, key: str) -> None:
    """Draw the field if the loss takes class weights, and store its value."""
    weights = training.get("class_weights")
    loss = training.get("loss") or (info.losses[0] if info and info.losses else "")
    fits = info is not None and loss in weighed_by(info.task)
    if weights is None and not fits:
        return
    before = NONE if weights is None else BALANCED if weights == BALANCED else LISTED
    options = (NONE, BALANCED, LISTED)
    index = options.index(before)
    chosen = st.selectbox(
        "Class weights",
        options,
        index,
        key=f"{key}:class_weights",
        help=DECLARED["class_weights"].help,
    )
    if chosen == LISTED:
        training["class_weights"] = _weight_per_class(weights, info, key)
    elif chosen == BALANCED:
        training["class_weights"] = BALANCED
    else:
        training.pop("class_weights", None)


def _weight_per_class(weights: Any, info: DataInfo | None, key: str) -> list[float | str]:
    """One weight per class, as text; a part that is not a number is left for the check."""
    count = count_of(info) if info else 0
    values = list(weights) if isinstance(weights, list | tuple) else [1.0] * count
    shown = ", ".join(f"{v:g}" if isinstance(v, int | float) else str(v) for v in values)
    text = st.text_input("Weight of each class", shown, key=f"{key}:class_weights:{count}")
    if info and not TASKS[info.task].class_count:
        st.caption(escape_markdown(", ".join(info.classes), 160))
    return [_number_or_text(part) for part in text.split(",") if part.strip()]


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text.strip()


def _more(training: Training, info: DataInfo | None, loss: str, key: str) -> None:
    """Draw the groups of further settings and store their values in `training`."""
    optimiser = training.get("optimizer", DECLARED["optimizer"].default)
    declared = OPTIMIZERS[optimiser].settings
    _settings_of(training, "optimizer_settings", optimiser, declared, key)
    if "decay_of" in training or any(s.name == "weight_decay" for s in declared):
        _ask_setting(training, "decay_of", key)
    if loss:
        _settings_of(training, "loss_settings", loss, LOSSES[loss].settings, key)
    if "losses" not in training:
        _class_weights(training, info, key)
    for heading in HEADINGS:
        st.markdown(f"**{heading}**")
        listed = [setting for setting in TRAINING if setting.group == heading]
        _in_pairs(listed, lambda s: _ask_listed(training, s.name, info, key))


def _ask_setting(training: Training, name: str, key: str) -> None:
    """Draw one setting; a default value stays out of the file."""
    declared = DECLARED[name]
    answer = setting_widgets.ask(declared, training.get(name, declared.default), f"{key}:{name}")
    if name in training or answer != declared.default:
        training[name] = answer


def _device(training: Training, key: str) -> None:
    """Offer the devices of this machine; warn if the project's device is not among them."""
    declared = DECLARED["device"]
    saved = str(training.get("device", declared.default))
    answer = setting_widgets.ask(declared, saved, f"{key}:device", devices.offered(saved))
    if "device" in training or answer != declared.default:
        training["device"] = answer
    if remark := devices.remark():
        st.caption(escape_markdown(remark))
    if missing := devices.absent(answer):
        st.warning(escape_markdown(missing))


def _ask_all(declared: Sequence[Setting], saved: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Draw each setting; return the values that differ from torch's defaults."""
    changed: dict[str, Any] = {}

    def keep(setting: Setting) -> None:
        value = saved.get(setting.name, setting.default)
        answer = setting_widgets.ask(setting, value, f"{key}:{setting.name}")
        plain = list(setting.default) if isinstance(setting.default, tuple) else setting.default
        if answer != plain:
            changed[setting.name] = answer

    _in_pairs(declared, keep)
    return changed


def _ask_listed(training: Training, name: str, info: DataInfo | None, key: str) -> None:
    if name == "best_by" and info is not None:
        _best_by(training, info, key)
    elif name == "device":
        _device(training, key)
    else:
        _ask_setting(training, name, key)


def _best_by(training: Training, info: DataInfo, key: str) -> None:
    """The metric that picks the best checkpoint; the task's default stays out of the file."""
    task, aims = info.task, aims_of(info.terms)
    able = {"val_accuracy": TASKS[task].chosen_by_accuracy}
    able[class_balance.BALANCED] = TASKS[task].one_class
    fitting, usual = tuple(by for by in BEST if able.get(by, True)), _usual_best_by(training, info)
    metric = training.get("best_by") or usual
    fitting = fitting if metric in fitting else (*fitting, metric)  # for the check to name
    declared = replace(DECLARED["best_by"], choices=fitting, optional=False)
    answer = setting_widgets.ask(
        declared, metric, f"{key}:best_by:{task}", words=lambda by: judged_by(by, aims)
    )
    if "best_by" in training or answer != usual:
        training["best_by"] = answer


def _usual_best_by(training: Training, info: DataInfo) -> str:
    """What chooses the best checkpoint where the project leaves it open."""
    open_ = {name: value for name, value in training.items() if name != "best_by"}
    try:
        return resolve(open_, info.task, info.losses, info.rare)["best_by"]
    except TrainingError:  # of another setting, which the form names
        return default_best_by(info.task)


def _settings_of(
    training: Training, group: str, owner: str, declared: Sequence[Setting], key: str
) -> None:
    """The settings of the optimiser or the loss, under its name."""
    if not declared:
        return
    st.markdown(f"**{escape_markdown(owner, 60)}**")
    changed = _ask_all(declared, training.get(group, {}), f"{key}:{owner}")
    if changed:
        training[group] = changed
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


def _take_out_unsupported(document: Document, training: dict[str, Any]) -> dict[str, Any]:
    """Take invalid values out of `training`, list them, and offer to remove each from the project.

    Returns the invalid values; they stay in the project until the user removes them.
    """
    odd = {
        name: training.pop(name)
        for name, fits in SUPPORTED.items()
        if name in training and not fits(training[name])
    }
    for name, value in odd.items():
        text = f"training.{name} is {quote(value)} in the project file, which is not a valid value."
        st.warning(escape_markdown(text, 300), icon=":material/rule:")
        st.button(
            f"Remove {name}",
            key=f"{document.doc_id}:odd:{name}",
            on_click=_remove,
            args=(document, name),
        )
    return odd


def _remove(document: Document, name: str) -> None:
    training = document.project.training
    document.change(training={k: v for k, v in training.items() if k != name})


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_schedule(value: Any) -> bool:
    """Whether it is a schedule, by its name or with settings, or none."""
    if isinstance(value, Mapping):
        value = value.get("name")
    return value is None or isinstance(value, str)


def _is_start_from(value: Any) -> bool:
    """Whether it names weights or a run to start from, or is None."""
    if not isinstance(value, Mapping):
        return value is None
    left_out = value.get("leave_out", ())
    plain = all(isinstance(value.get(key, ""), str) for key in ("run", "weights"))
    return plain and isinstance(left_out, list | tuple)


def _is_distillation(value: Any) -> bool:
    """Whether it names a teacher run, with numbers, or is None."""
    if not isinstance(value, Mapping):
        return value is None
    numbers = all(type(value.get(key, 1.0)) in (int, float) for key in ("temperature", "alpha"))
    return isinstance(value.get("run"), str) and numbers


def _is_loss_list(value: Any) -> bool:
    """Whether it is a list of losses that fit into one line each."""
    return isinstance(value, list | tuple) and all(
        isinstance(entry, Mapping)
        and isinstance(entry.get("output", ""), str | list | tuple)
        and type(entry.get("weight", 1)) in (int, float)
        for entry in value
    )


SUPPORTED: dict[str, Callable[[Any], bool]] = {
    "optimizer_settings": _is_mapping,
    "loss_settings": _is_mapping,
    "scheduler": _is_schedule,
    "start_from": _is_start_from,
    "distil": _is_distillation,
    "losses": _is_loss_list,
}
