"""The left side of the Data page: data source, columns of its file, split."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.pages.data import (
    column_kinds,
    custom_split,
    fit,
    label_form,
    series_form,
    sound_form,
    table_form,
    text_form,
)
from app.pages.shared import data_settings, drop_zone, glossary, setting_widgets, state
from app.services import file_choices
from app.services.document import Document
from app.services.file_choices import Choice
from blocks.spec import Setting
from core.data import SOURCES, DataError
from core.data.custom import dataset_file
from core.data.facts.metadata import read_known
from core.data.pictures.mask_folder import NONE as IGNORE_NONE
from core.data.sources.custom_source import OWN, read_custom_source
from core.data.sources.label_settings import targets_of
from core.data.sources.source import PICTURE_FOLDERS, SOUND_FOLDER

CLASS_SETTINGS = (
    Setting(
        "samples",
        "int",
        "How many samples to use. Empty: all, or 1,000 of an "
        "IterableDataset, which may have no end.",
        None,
        low=2,
        optional=True,
        title="Maximum samples",
    ),
    Setting(
        "loader_workers",
        "int",
        "Processes that load samples in parallel, 0 for none. Useful if a sample is slow to load.",
        0,
        low=0,
        high=64,
        title="Workers",
    ),
)
READY, OWN_DATA = "Ready-made", "My own"
ICONS = {
    "ImageFolder": "pictures",
    "MaskFolder": "pictures with masks",
    "SoundFolder": "sounds",
    "CSV": "table",
    "NPZ": "arrays",
    "text": "text",
    "TextCSV": "texts with a class",
    "TextFolder": "texts with a class",
    "Dataset": "Python",
}


def plain(value: Any) -> Any:
    """A project's value as lists and dicts."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def ask(document: Document) -> tuple[dict[str, Any], str]:
    """Draw the form, store its values in the project, and return them.

    Returns what is wrong with them besides, where the form shows it; "" for nothing.
    """
    before = plain(document.project.data)
    key = f"{document.doc_id}:{document.form.data_epoch}"
    st.subheader("Data")
    start = OWN_DATA if before.get("source") in OWN else READY
    chosen = st.segmented_control(
        "Kind of data",
        [READY, OWN_DATA],
        default=start,
        key=f"{key}:kind",
        label_visibility="collapsed",
        required=True,
    )
    wrong = ""
    data = _ready(before, key) if chosen == READY else _own(before, key)
    if data.get("source") in SOURCES:
        source, saved = SOURCES[data["source"]], dict(data)
        shape = fit.input_shape(document) or (fit.SIDE,)
        wrong = data_settings.ask_settings(data, source, f"{key}:page", shape)
        data = data_settings.without_defaults(data, saved, source)
    elif data.get("source") in OWN:
        kind = data["source"]
        _columns(data, key)
        if data["source"] != kind:
            _read_as(document, data)
        _scale(data, key)
        wrong = custom_split.ask(document, data, _names(data), f"{key}:own")
    if data.get("source"):
        document.change(data=data)
    return data, wrong


def _read_as(document: Document, data: dict[str, Any]) -> None:
    """Draw the form again for a file that is read in another way."""
    document.form.data_epoch += 1
    document.change(data=data)
    st.rerun()


def _ready(before: dict[str, Any], key: str) -> dict[str, Any]:
    names = list(SOURCES)
    name = before.get("source")
    index = names.index(name) if name in SOURCES else None
    chosen = st.selectbox(
        "Data set",
        names,
        index,
        format_func=data_settings.source_title,
        key=f"{key}:ready",
        placeholder="Choose a data set",
    )
    if chosen is None:
        return {}
    return before if chosen == name else {"source": chosen}


def _own(before: dict[str, Any], key: str) -> dict[str, Any]:
    """Choose a file or folder of the workspace, or drop one."""
    files = file_choices.choices()
    file = _chosen_file(before)
    if file is not None and file not in files:
        files = [file, *files]
    if not files:
        drop_zone.zone("own_drop")
        return {}
    index = files.index(file) if file in files else None
    chosen = st.selectbox(
        "From the workspace",
        files,
        index,
        format_func=_choice_title,
        key=f"{key}:own",
        placeholder="Choose a folder or file",
    )
    drop_zone.zone("own_drop")
    if chosen is None:
        return {}
    return before if chosen == file else {"source": chosen.kind, OWN[chosen.kind][0]: chosen.path}


def _chosen_file(data: Mapping[str, Any]) -> Choice | None:
    kind = data.get("source")
    path = data.get(OWN[kind][0]) if isinstance(kind, str) and kind in OWN else None
    kind = "CSV" if kind in series_form.ROWS else kind  # a table, whatever its rows are
    return Choice(str(kind), path) if isinstance(path, str) else None


def _choice_title(choice: Choice) -> str:
    return f"{choice.path} · {ICONS[choice.kind]}"


def _columns(data: dict[str, Any], key: str) -> None:
    """Ask for the target and the input columns of a file, or whether to skip damaged pictures."""
    kind = data["source"]
    if kind in PICTURE_FOLDERS:
        words, value = "Leave out pictures that cannot be read", data.get("skip_corrupt", False)
        skip = st.toggle(words, value, f"{key}:skip", "If off, one of them stops training.")
        _put(data, "skip_corrupt", skip, False)
        if kind == "MaskFolder":
            _ignored(data, key)
        return
    if kind == SOUND_FOLDER:
        sound_form.ask(data, key)
        return
    if kind == "Dataset":
        _class(data, key)
        return
    if "tokens" in OWN[kind]:
        text_form.ask(data, _names(data), key)
        return
    if not series_form.choose(data, key):
        _inputs_and_target(data, key)


def _ignored(data: dict[str, Any], key: str) -> None:
    """Ask which class of the masks does not count in loss and metrics."""
    known = _names(data)
    saved = data.get("ignore", "")
    names = list(dict.fromkeys(["", *known, *([saved] if saved else []), IGNORE_NONE]))
    titles = {"": "Void, as usual", IGNORE_NONE: "None: every value is a class"}
    chosen = st.selectbox(
        "Pixels that do not count",
        names,
        names.index(saved),
        format_func=lambda name: titles.get(str(name), str(name)),
        key=f"{key}:ignore",
        help="Their class is left out of loss and metrics. As usual: the number 255 beside "
        "numbers in order, or a class that a file of classes calls void.",
    )
    _put(data, "ignore", chosen, "")


def _inputs_and_target(data: dict[str, Any], key: str) -> None:
    """Ask for the target and the input columns of a table or arrays whose rows are samples."""
    kind = data["source"]
    preview = table_form.look(data) if kind == "CSV" else None
    names = (preview.names if preview else []) or _names(data)
    if preview and text_form.offer_texts(data, preview.texts, key):
        return
    if preview and preview.error:
        table_form.ask(data, preview, key)
    if kind == "text" or not names:
        return
    before = targets_of(data, names)
    saved = before[0] if before[0] in names else names[-1]
    target = st.selectbox(
        "Target" if kind == "CSV" else "Array with the targets",
        names,
        names.index(saved),
        key=f"{key}:target:{kind}",
        help=glossary.WORDS["Target"],
    )
    if kind == "CSV" and target != saved:
        label_form.guess_again(data, target, {})
    if "target_columns" not in data:
        _put(data, "target_column", target, names[-1])
    if preview and target == saved:
        label_form.ask(data, preview, key)
    changed = before != targets_of(data, names)
    if preview and not changed and 0 < len(preview.columns) <= column_kinds.MAX_COLUMNS:
        if column_kinds.ask(data, preview, before, key):
            preview = table_form.look(data)
    else:
        ask_inputs = _array if kind == "NPZ" else _table_columns
        ask_inputs(data, names, targets_of(data, names), key)
    if preview:
        table_form.ask(data, preview, key)


def _class(data: dict[str, Any], key: str) -> None:
    """Ask for the class of a Python file, how many samples to take, and by how many workers."""
    names = [
        name
        for text in dataset_file.python_of(data).values()
        for name in dataset_file.classes_in(text)
    ]
    if len(names) > 1:
        saved = data.get("class")
        index = names.index(saved) if saved in names else 0
        data["class"] = st.selectbox("Class", names, index, key=f"{key}:class")
    for setting in CLASS_SETTINGS:
        value = data.get(setting.name, setting.default)
        answer = setting_widgets.ask(setting, value, f"{key}:own:{setting.name}")
        _put_any(data, setting.name, answer, setting.default)


def _array(data: dict[str, Any], names: list[str], targets: Sequence[str], key: str) -> None:
    """Ask for the array of an NPZ file that holds the inputs."""
    rest = [name for name in names if name not in targets]
    saved = [c for c in data.get("columns", ()) if c in rest] or rest[:1]
    array = st.selectbox("Array with the samples", rest, rest.index(saved[0]), key=f"{key}:samples")
    _put(data, "columns", [array], rest[:1])


def _table_columns(
    data: dict[str, Any], names: list[str], targets: Sequence[str], key: str
) -> None:
    """Ask for the input columns of a table, and for its numeric categories."""
    rest = [name for name in names if name not in targets]
    saved = [c for c in data.get("columns", rest) if c in rest]
    columns = st.multiselect("Input columns", rest, saved, key=f"{key}:columns:{targets[0]}")
    _put(data, "columns", columns, rest)
    classes = [c for c in data.get("categories", ()) if c in names]
    categories = st.multiselect(
        "Numeric columns that are categories", names, classes, key=f"{key}:categories:{targets[0]}"
    )
    _put(data, "categories", categories, [])


def _put(data: dict[str, Any], name: str, value: Any, usual: Any) -> None:
    """Store a setting unless it is the default."""
    data.pop(name, None)
    if value and value != usual:
        data[name] = value


def _names(data: Mapping[str, Any]) -> list[str]:
    """Columns or arrays of a file; none before it is read."""
    try:
        custom = read_custom_source(data)
        facts = read_known(custom) if custom else None
    except DataError:  # shown on the right, with the button that reads it
        return list(state.value(_columns_key(data)) or ())
    names = list((facts.layout if facts else {}).get("all", ()))
    state.keep(_columns_key(data), names)
    return names


def _columns_key(data: Mapping[str, Any]) -> str:
    return f"names:{data.get('source')}:{data.get('file') or data.get('root')}"


def _scale(data: dict[str, Any], key: str) -> None:
    """Ask for normalisation and the most samples to train on."""
    usual = {"limit": None, **_scaled(data)}
    for setting in data_settings.DATA_SETTINGS:
        if setting.name not in usual:
            continue
        value = data.get(setting.name, usual[setting.name])
        place = data_settings.widget_key(setting.name, f"{key}:own", str(_chosen_file(data)))
        answer = setting_widgets.ask(setting, value, place)
        _put_any(data, setting.name, answer, usual[setting.name])


def _scaled(data: Mapping[str, Any]) -> dict[str, bool]:
    """The default of normalize for own data: True for rows of numbers.

    {} for a text, and for data that was not read yet.
    """
    kind = data["source"]
    if kind not in ("NPZ", "Dataset"):
        if kind == "text" or "tokens" in OWN[kind]:
            return {}
        return {"normalize": kind in ("CSV", "SeriesCSV")}
    try:
        custom = read_custom_source(data)
        facts = read_known(custom) if custom else None
    except DataError:  # shown on the right, with the button that reads it
        return {}
    return {"normalize": facts is not None and facts.source.kind == "table"}


def _put_any(data: dict[str, Any], name: str, value: Any, usual: Any) -> None:
    if value == usual:
        data.pop(name, None)
    else:
        data[name] = value
