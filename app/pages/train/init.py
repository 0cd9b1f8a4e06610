"""Whose weights training begins with, on the Train form: random ones, a file's, another run's."""

from pathlib import Path
from typing import Any

import streamlit as st

from app.markdown import label
from app.pages.shared import state
from app.process import pool
from app.process.pool import PoolError
from app.services import imports, paths
from app.services.document import Document
from core.runs import listing

RANDOM = "random"
HELP = "Random weights from the seed, those that lie beside the project, or those of another run."
Training = dict[str, Any]


def ask(document: Document, training: Training) -> None:
    """Draw the choice and keep it in `training`; blocks to leave out stay with it."""
    given = dict(training.get("start_from") or {})
    now = _name(given)
    options = _options(document, now)
    index = list(options).index(now) if now in options else 0
    chosen = st.selectbox(
        "Start from",
        list(options),
        index,
        format_func=options.__getitem__,
        key=f"{document.doc_id}:start_from",
        help=HELP,
    )
    if chosen == RANDOM:
        training.pop("start_from", None)
    elif chosen != now:
        kind, _, name = chosen.partition(" ")
        training["start_from"] = {kind: name}


def fit(document: Document) -> None:
    """Tell how the chosen weights fit, and offer to leave out what does not."""
    setting = document.project.training.get("start_from")
    if not setting or not document.analysed().get("ok"):
        return
    try:
        found = _tried(document.text(), str(paths.runs_dir()), document.beside, _stamp(document))
    except PoolError as error:
        st.error(label(error, 500), icon=":material/error:")
        return
    if found:
        _leave_out(document, dict(setting), found)
        _tell(document, dict(setting), found)


def _options(document: Document, now: str) -> dict[str, str]:
    """What can be chosen, by what it is called in the file: "run NAME" or "weights FILE"."""
    found = {RANDOM: "random weights"}
    own = imports.weights_of(document.path) if document.path else None
    if own is not None and own.is_file():
        found[f"weights {own.name}"] = f"the imported weights, {own.name}"
    beside = sorted(document.path.parent.glob("*.safetensors")) if document.path else []
    found |= {f"weights {p.name}": p.name for p in beside if p != own}
    trained = [v for v in listing.list_runs(paths.runs_dir()) if _kept(v.dir)]
    found |= {f"run {v.name}": f"run {v.name}" for v in trained}
    if now != RANDOM and now not in found:
        found[now] = f"{now.partition(' ')[2]} (not there)"
    return found


def _kept(run: Path) -> bool:
    return (run / "ckpt" / "best.pt").is_file()


def _name(setting: dict[str, Any]) -> str:
    kind = next((k for k in ("run", "weights") if k in setting), "")
    return f"{kind} {setting[kind]}" if kind else RANDOM


def _stamp(document: Document) -> str:
    """What changes when the chosen weights do."""
    setting = document.project.training["start_from"]
    if "run" in setting:
        file = paths.runs_dir() / str(setting["run"]) / "ckpt" / "best.pt"
    else:
        file = Path(document.beside) / str(setting.get("weights", ""))
    try:
        return str(file.stat().st_mtime_ns)
    except OSError:
        return ""


@st.cache_data(max_entries=32, show_spinner="Comparing the weights with the network")
def _tried(text: str, runs_dir: str, beside: str, stamp: str) -> dict[str, Any]:
    return pool.call("core.prepare.init_weights:try_weights", text, runs_dir, beside)


def _leave_out(document: Document, setting: dict[str, Any], found: dict[str, Any]) -> None:
    field = f"{document.doc_id}:leave_out:{found['name']}"
    said = [name for name in setting.get("leave_out", ()) if name in found["all"]]
    chosen = st.multiselect(
        "Random all the same in",
        found["all"],
        said if state.value(field) is None else None,
        key=field,
        placeholder="no block",
        help="Blocks that are left out begin with random weights, as a new head has to.",
    )
    if chosen != list(setting.get("leave_out", ())):
        _keep(document, setting, chosen)
        st.rerun()  # what fits is another question now


def _keep(document: Document, setting: dict[str, Any], names: list[str]) -> None:
    if names:
        setting["leave_out"] = names
    else:
        setting.pop("leave_out", None)
    document.change(training={**document.project.training, "start_from": setting})


def _tell(document: Document, setting: dict[str, Any], found: dict[str, Any]) -> None:
    if not found["problem"]:
        unused = len(found["unused"])
        more = f" {unused} of theirs {'is' if unused == 1 else 'are'} not used." if unused else ""
        st.caption(label(f"{found['loaded']} tensors of {found['name']} fit.{more}", 200))
        return
    st.warning(label(f"{found['problem']} {found['hint']}", 600), icon=":material/rule:")
    count = len(found["missing"]) + len(found["other"])
    with st.expander("What does not fit" if count == 1 else f"{count} tensors that do not fit"):
        rows = [{"tensor": k, "needs": _size(a), "has": _size(b)} for k, a, b in found["other"]]
        rows += [{"tensor": key, "needs": "", "has": "nothing"} for key in found["missing"]]
        st.dataframe(rows, hide_index=True)
    blocks = list(dict.fromkeys([*setting.get("leave_out", ()), *found["blocks"]]))
    if found["blocks"]:
        field = f"{document.doc_id}:leave_out:{found['name']}"
        names = ", ".join(found["blocks"][:4]) + (", ..." if len(found["blocks"]) > 4 else "")
        st.button(
            label(f"Leave out {names}", 80),
            icon=":material/playlist_remove:",
            key="leave_out_these",
            on_click=state.keep,
            args=(field, blocks),
        )


def _size(size: list[int]) -> str:
    return " x ".join(map(str, size)) or "one number"
