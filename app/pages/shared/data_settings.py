"""Widgets for data settings on the Data and the Train page."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import setting_widgets
from blocks.spec import Setting
from core.data import SOURCES, DataError, DataSettings, Source, read_settings
from core.data.description import sizes
from core.data.parts import MAKERS, PARTS

DATA_SETTINGS = (
    Setting("noise", "float", "Standard deviation of noise added to what goes in, drawn anew each "
            "time; 0: none.", 0.0, low=0.0),
    Setting("validation", "float", "The share of the samples that is kept apart; the network never "
            "learns from them.", 0.2, low=0.01, high=0.99, title="Share of validation samples"),
    Setting("normalize", "bool", "Bring every channel or column to mean 0 and spread 1, both taken "
            "from the training samples.", False, title="Normalise"),
    Setting("limit", "int", "To try things quickly, or to see what few samples do; none: all.",
            None, optional=True, title="Training samples at most"),
)  # fmt: skip


def _without(source: Source) -> tuple[str, ...]:
    """Settings that are not asked: a text has none of them, points have noise of their own."""
    return ("noise", "normalize") if source.kind == "text" else ("noise",) * bool(source.made)


def without_defaults(
    data: Mapping[str, Any], before: Mapping[str, Any], source: Source
) -> dict[str, Any]:
    """The data settings to store: those stored before, and those that differ from the default."""
    return {k: v for k, v in data.items() if k in before or v != _default(k, source)}


def place_of(name: str, key: str, source: str) -> str:
    """The key of a setting's widget: of normalising another for each data set.

    Its default is the data's; what the widget showed of others is nobody's choice for these.
    """
    return f"{key}:{name}:{source}" if name == "normalize" else f"{key}:{name}"


def source_title(name: str) -> str:
    """What a list calls a data set: its name, how much of what it is."""
    source = SOURCES[name]
    if source.made:
        return f"{name} \u00b7 made by a formula"
    return f"{name} · {source.total:,} {source.things}"


def ask_parts(data: dict[str, Any], key: str) -> None:
    """Ask for a test part, and for folds; what is as usual is not kept."""
    with st.expander("Test part and folds"):
        for setting in PARTS:
            if setting.kind == "bool" or data.get(setting.name) == MAKERS:
                continue
            value = setting_widgets.ask(setting, data.get(setting.name), f"{key}:{setting.name}")
            if value is None:
                data.pop(setting.name, None)
            else:
                data[setting.name] = value


def ask_settings(data: dict[str, Any], source: Source, key: str) -> None:
    """Ask for noise, the split and normalisation, first how points are made where they are."""
    _ask_made(data, source, key)
    for setting in DATA_SETTINGS:
        if setting.name == "validation" and (source.test or source.validation):
            continue  # its makers keep a part apart
        if setting.name in _without(source) and not data.get(setting.name):
            continue
        value = data.get(setting.name, _default(setting.name, source))
        place = place_of(setting.name, f"{key}:data", source.name)
        data[setting.name] = setting_widgets.ask(setting, value, place)
    ask_parts(data, f"{key}:data")
    try:
        settings = read_settings(data)
    except DataError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    if without_defaults := _limit_notice(settings):
        st.caption(f":material/info: {escape_markdown(without_defaults, 200)}")


def _ask_made(data: dict[str, Any], source: Source, key: str) -> None:
    """Ask how a formula makes the samples; what is as usual is not kept."""
    given = data.get("made")
    made = dict(given) if isinstance(given, Mapping) else {}
    found: dict[str, Any] = {}
    for setting in source.made:
        value = made.get(setting.name, setting.default)
        found[setting.name] = setting_widgets.ask(setting, value, f"{key}:made:{setting.name}")
    usual = {setting.name: setting.default for setting in source.made}
    kept = {name: value for name, value in found.items() if value != usual[name]}
    if kept:
        data["made"] = kept
    elif source.made:
        data.pop("made", None)


def _limit_notice(settings: DataSettings) -> str:
    """Tell of a limit that leaves nothing out."""
    if settings.limit is None or settings.source.windows:
        return ""
    every = replace(settings, limit=None, target=settings.source.targets[0])
    try:
        many, _ = sizes(every)
    except DataError:  # said where the parts are counted
        return ""
    return f"There are only {many:,} training samples." if settings.limit >= many else ""


def _default(key: str, source: Source) -> Any:
    """The default of a setting."""
    if key == "normalize":
        return source.kind == "table"
    return {"target": source.targets[0], "noise": 0.0, "validation": 0.2, "limit": None}.get(key)
