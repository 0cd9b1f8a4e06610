"""Who teaches, on the Train form: nobody, or a finished run whose answers count in the loss."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from app.markdown import label
from app.pages.shared import setting_widgets
from app.process import pool
from app.process.pool import PoolError
from app.services import paths
from app.services.document import Document
from core.data import DataInfo
from core.runs import listing
from core.runs.listing import RunView
from core.settings.distillation import DISTIL, SUITED

NOBODY = ""
HELP = (
    "A finished run on the same data, often a larger network. Its answers say how alike the classes"
    " look in each sample, which the bare class does not (Hinton, Vinyals and Dean, 2015)."
)
Training = dict[str, Any]


def ask(document: Document, training: Training, info: DataInfo | None, loss: str) -> None:
    """Draw the choice where classes are told, and keep it in `training`."""
    said = training.get("distil")
    given = dict(said) if isinstance(said, Mapping) else {}
    taught = info is not None and info.task == "classification" and loss in SUITED
    if not given and not taught:
        return
    now = str(given.get("run", NOBODY))
    options = _options(now)
    names = list(options)
    chosen = st.selectbox(
        "Learn from a teacher",
        names,
        names.index(now),
        format_func=options.__getitem__,
        key=f"{document.doc_id}:distil",
        help=HELP,
    )
    if chosen == NOBODY:
        training.pop("distil", None)
        return
    setting = {**given, "run": chosen}
    for column, declared in zip(st.columns(len(DISTIL)), DISTIL, strict=True):
        name = declared.name
        with column:
            value = given.get(name, declared.default)
            answer = setting_widgets.ask(declared, value, f"{document.doc_id}:distil:{name}")
        if name in given or answer != declared.default:
            setting[name] = answer
    training["distil"] = setting


def fit(document: Document) -> None:
    """Tell whether the chosen teacher suits, and what it changes."""
    setting = document.project.training.get("distil")
    if not isinstance(setting, Mapping) or not document.analysed().get("ok"):
        return
    try:
        found = _tried(document.text(), str(paths.runs_dir()), _stamp(str(setting.get("run"))))
    except PoolError as error:
        st.error(label(error, 500), icon=":material/error:")
        return
    if found.get("problem"):
        st.warning(label(found["problem"], 600), icon=":material/school:")
    elif found:
        st.caption(label(_said(found), 500))


def _options(now: str) -> dict[str, str]:
    """What can be chosen: a run's name, and what it is called."""
    views = listing.list_runs(paths.runs_dir())
    able = [v for v in views if v.state in ("finished", "stopped") and _right(v) is not None]
    found = {NOBODY: "nobody"} | {v.name: f"{v.name}, {_right(v):.1%} right" for v in able}
    if now not in found:
        found[now] = f"{now} (not there)"
    return found


def _right(view: RunView) -> float | None:
    """The accuracy of a run's best weights; None for another task, or where there are none."""
    value = ((view.best or {}).get("metrics") or {}).get("val_accuracy")
    kept = (view.dir / "ckpt" / "best.pt").is_file() and view.task == "classification"
    return value if kept and isinstance(value, float) else None


def _stamp(run: str) -> str:
    """What changes when the teacher's weights do."""
    try:
        return str((paths.runs_dir() / run / "ckpt" / "best.pt").stat().st_mtime_ns)
    except OSError:
        return ""


@st.cache_data(max_entries=32, show_spinner="Comparing the teacher with the network")
def _tried(text: str, runs_dir: str, stamp: str) -> dict[str, Any]:
    return pool.call("core.prepare.teachers:try_teacher", text, runs_dir)


def _said(found: dict[str, Any]) -> str:
    note = f" {found['note']}" if found["note"] else ""
    return (
        f"A teacher with {found['params']:,} parameters; this network has {found['own']:,}. Alpha "
        "is the teacher's share of the loss; the rest, and the validation, is by the truth "
        f"alone.{note}"
    )
