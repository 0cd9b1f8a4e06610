"""Initial weights and the teacher, on the Train form: random, from a file, from another run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import setting_widgets, state
from app.process import pool
from app.process.pool import PoolError
from app.services import paths, weights_beside
from app.services.calls import training as training_calls
from app.services.document import Document
from core.data import DataInfo
from core.runs import checkpoint, listing
from core.runs.listing import RunView
from core.settings.distillation import DISTIL, SUITED
from core.tasks.registry import has_one_class

RANDOM = "random"
INIT_HELP = (
    "Random weights from the seed, a file beside the project, or the weights of another run."
)
Training = dict[str, Any]


def ask_init(document: Document, training: Training) -> None:
    """Draw the choice and store it in `training`, together with the blocks to leave out."""
    setting = dict(training.get("start_from") or {})
    now = _option_of(setting)
    options = _options(document, now)
    index = list(options).index(now) if now in options else 0
    chosen = st.selectbox(
        "Start from",
        list(options),
        index,
        format_func=options.__getitem__,
        key=f"{document.doc_id}:start_from",
        help=INIT_HELP,
    )
    if chosen == RANDOM:
        training.pop("start_from", None)
    elif chosen != now:
        kind, _, name = chosen.partition(" ")
        training["start_from"] = {kind: name}


def begin_with_run(document: Document, run: str) -> None:
    """Make training start from the best weights of a run, as if chosen on the form."""
    state.keep(f"{document.doc_id}:start_from", f"run {run}")
    document.change(training={**document.project.training, "start_from": {"run": run}})


def check_init(document: Document) -> None:
    """Show how the chosen weights fit, and offer random weights for blocks that do not fit."""
    setting = document.project.training.get("start_from")
    if not setting or not document.analysed().get("ok"):
        return
    try:
        match = _try_weights(
            document.text(), str(paths.runs_dir()), document.beside, _file_version(document)
        )
    except PoolError as error:
        st.error(escape_markdown(error, 500), icon=":material/error:")
        return
    if match:
        _leave_out(document, dict(setting), match)
        _match(document, dict(setting), match)


def _options(document: Document, now: str) -> dict[str, str]:
    """The options and their titles, by key: "run NAME" or "weights FILE"."""
    titles = {RANDOM: "random weights"}
    own = weights_beside.weights_of(document.path) if document.path else None
    if own is not None and own.is_file():
        titles[f"weights {own.name}"] = f"imported weights, {own.name}"
    beside = sorted(document.path.parent.glob("*.safetensors")) if document.path else []
    titles |= {f"weights {p.name}": p.name for p in beside if p != own}
    trained = [v for v in listing.list_runs(paths.runs_dir()) if _has_best_weights(v.dir)]
    titles |= {f"run {v.name}": f"run {v.name}" for v in trained}
    if now != RANDOM and now not in titles:
        titles[now] = f"{now.partition(' ')[2]} (missing)"
    return titles


def _has_best_weights(run: Path) -> bool:
    return checkpoint.path_of(run, "best").is_file()


def _option_of(setting: dict[str, Any]) -> str:
    kind = next((k for k in ("run", "weights") if k in setting), "")
    return f"{kind} {setting[kind]}" if kind else RANDOM


def _file_version(document: Document) -> str:
    """A stamp that changes when the chosen weights do."""
    setting = document.project.training["start_from"]
    if "run" in setting:
        file = checkpoint.path_of(paths.runs_dir() / str(setting["run"]), "best")
    else:
        file = Path(document.beside) / str(setting.get("weights", ""))
    try:
        return str(file.stat().st_mtime_ns)
    except OSError:
        return ""


@st.cache_data(max_entries=32, show_spinner="Comparing the weights with the network")
def _try_weights(text: str, runs_dir: str, beside: str, stamp: str) -> dict[str, Any]:
    return pool.call(training_calls.try_weights, text, runs_dir, beside)


def _leave_out(document: Document, setting: dict[str, Any], match: dict[str, Any]) -> None:
    field = f"{document.doc_id}:leave_out:{match['name']}"
    left_out = [name for name in setting.get("leave_out", ()) if name in match["all"]]
    chosen = st.multiselect(
        "Start these blocks from random weights",
        match["all"],
        left_out if state.value(field) is None else None,
        key=field,
        placeholder="none",
        help="For example, a new output layer that is not in the file.",
    )
    if chosen != list(setting.get("leave_out", ())):
        _set_left_out(document, setting, chosen)
        st.rerun()  # what fits is another question now


def _set_left_out(document: Document, setting: dict[str, Any], names: list[str]) -> None:
    if names:
        setting["leave_out"] = names
    else:
        setting.pop("leave_out", None)
    document.change(training={**document.project.training, "start_from": setting})


def _match(document: Document, setting: dict[str, Any], match: dict[str, Any]) -> None:
    if not match["problem"]:
        unused = len(match["unused"])
        more = f" {unused} {'is' if unused == 1 else 'are'} not used." if unused else ""
        st.caption(escape_markdown(f"{match['loaded']} tensors of {match['name']} fit.{more}", 200))
        return
    st.warning(escape_markdown(f"{match['problem']} {match['hint']}", 600), icon=":material/rule:")
    count = len(match["missing"]) + len(match["other"])
    with st.expander("1 tensor does not fit" if count == 1 else f"{count} tensors do not fit"):
        rows = [{"tensor": k, "needs": _shape(a), "has": _shape(b)} for k, a, b in match["other"]]
        rows += [{"tensor": key, "needs": "", "has": "nothing"} for key in match["missing"]]
        st.dataframe(rows, hide_index=True)
    blocks = list(dict.fromkeys([*setting.get("leave_out", ()), *match["blocks"]]))
    if match["blocks"]:
        field = f"{document.doc_id}:leave_out:{match['name']}"
        names = ", ".join(match["blocks"][:4]) + (", ..." if len(match["blocks"]) > 4 else "")
        st.button(
            escape_markdown(f"Use random weights in {names}", 80),
            icon=":material/playlist_remove:",
            key="leave_out_these",
            on_click=state.keep,
            args=(field, blocks),
        )


def _shape(size: list[int]) -> str:
    return " x ".join(map(str, size)) or "one number"


NO_TEACHER = ""


TEACHER_HELP = (
    "A finished run on the same data, often of a larger network. Its probabilities show how similar"
    " the classes look in each sample; the target alone does not (Hinton, Vinyals and Dean, 2015)."
)


def ask_teacher(document: Document, training: Training, info: DataInfo | None, loss: str) -> None:
    """Draw the choice for classification tasks, and store it in `training`."""
    saved = training.get("distil")
    chosen_setting = dict(saved) if isinstance(saved, Mapping) else {}
    taught = info is not None and has_one_class(info.task) and loss in SUITED
    if not chosen_setting and not taught:
        return
    now = str(chosen_setting.get("run", NO_TEACHER))
    options = _teacher_options(now)
    names = list(options)
    chosen = st.selectbox(
        "Learn from a teacher",
        names,
        names.index(now),
        format_func=options.__getitem__,
        key=f"{document.doc_id}:distil",
        help=TEACHER_HELP,
    )
    if chosen == NO_TEACHER:
        training.pop("distil", None)
        return
    setting = {**chosen_setting, "run": chosen}
    for column, declared in zip(st.columns(len(DISTIL)), DISTIL, strict=True):
        name = declared.name
        with column:
            value = chosen_setting.get(name, declared.default)
            answer = setting_widgets.ask(declared, value, f"{document.doc_id}:distil:{name}")
        if name in chosen_setting or answer != declared.default:
            setting[name] = answer
    training["distil"] = setting


def check_teacher(document: Document) -> None:
    """Show whether the chosen teacher fits, and its effect on the loss."""
    setting = document.project.training.get("distil")
    if not isinstance(setting, Mapping) or not document.analysed().get("ok"):
        return
    try:
        teacher = _try_teacher(
            document.text(), str(paths.runs_dir()), _teacher_version(str(setting.get("run")))
        )
    except PoolError as error:
        st.error(escape_markdown(error, 500), icon=":material/error:")
        return
    if teacher.get("problem"):
        st.warning(escape_markdown(teacher["problem"], 600), icon=":material/school:")
    elif teacher:
        st.caption(escape_markdown(_teacher_summary(teacher), 500))


def _teacher_options(now: str) -> dict[str, str]:
    """The names and titles of possible teacher runs."""
    views = listing.list_runs(paths.runs_dir())
    able = [v for v in views if v.state in ("finished", "stopped") and _accuracy(v) is not None]
    titles = {NO_TEACHER: "none"} | {v.name: f"{v.name}, {_accuracy(v):.1%} accuracy" for v in able}
    if now not in titles:
        titles[now] = f"{now} (missing)"
    return titles


def _accuracy(view: RunView) -> float | None:
    """The accuracy of a run's best weights; None for another task, or where there are none."""
    value = ((view.best or {}).get("metrics") or {}).get("val_accuracy")
    has_best = _has_best_weights(view.dir) and has_one_class(view.task)
    return value if has_best and isinstance(value, float) else None


def _teacher_version(run: str) -> str:
    """A stamp that changes when the teacher's weights do."""
    try:
        return str(checkpoint.path_of(paths.runs_dir() / run, "best").stat().st_mtime_ns)
    except OSError:
        return ""


@st.cache_data(max_entries=32, show_spinner="Comparing the teacher with the network")
def _try_teacher(text: str, runs_dir: str, stamp: str) -> dict[str, Any]:
    return pool.call(training_calls.try_teacher, text, runs_dir)


def _teacher_summary(teacher: dict[str, Any]) -> str:
    note = f" {teacher['note']}" if teacher["note"] else ""
    return (
        f"The teacher has {teacher['params']:,} parameters; this network has {teacher['own']:,}. "
        "Alpha is the teacher's share of the loss. The rest of the loss and the validation use "
        f"only the targets.{note}"
    )
