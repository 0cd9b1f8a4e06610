"""Parts of the training settings that a form cannot show, as a file made by hand may hold them."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from app.markdown import label
from app.services.document import Document
from core.project.messages import quote


def ask(document: Document, training: dict[str, Any]) -> dict[str, Any]:
    """Take out of `training` what no form can show, name it, and offer to leave it out for good.

    Returns what was taken out: it stays in the project until the student decides.
    """
    odd = {name: training.pop(name) for name, fits in FITS.items()
           if name in training and not fits(training[name])}  # fmt: skip
    for name, value in odd.items():
        text = f"training.{name} is {quote(value)} in the file, which says nothing here."
        st.warning(label(text, 300), icon=":material/rule:")
        st.button(
            f"Leave {name} out",
            key=f"{document.doc_id}:odd:{name}",
            on_click=_leave_out,
            args=(document, name),
        )
    return odd


def _leave_out(document: Document, name: str) -> None:
    training = document.project.training
    document.change(training={k: v for k, v in training.items() if k != name})


def _named(value: Any) -> bool:
    return isinstance(value, Mapping)


def _schedule(value: Any) -> bool:
    """Whether it is a schedule, by its name or with settings, or none."""
    if isinstance(value, Mapping):
        value = value.get("name")
    return value is None or isinstance(value, str)


def _start(value: Any) -> bool:
    """Whether it names weights or a run to begin with, or nothing."""
    if not isinstance(value, Mapping):
        return value is None
    left_out = value.get("leave_out", ())
    plain = all(isinstance(value.get(key, ""), str) for key in ("run", "weights"))
    return plain and isinstance(left_out, list | tuple)


def _taught(value: Any) -> bool:
    """Whether it names a run that teaches, with numbers, or nobody."""
    if not isinstance(value, Mapping):
        return value is None
    numbers = all(type(value.get(key, 1.0)) in (int, float) for key in ("temperature", "alpha"))
    return isinstance(value.get("run"), str) and numbers


def _losses(value: Any) -> bool:
    """Whether it is a list of losses that can be told in a line each."""
    return isinstance(value, list | tuple) and all(
        isinstance(entry, Mapping)
        and isinstance(entry.get("output", ""), str | list | tuple)
        and type(entry.get("weight", 1)) in (int, float)
        for entry in value
    )


FITS: dict[str, Callable[[Any], bool]] = {
    "optimizer_settings": _named,
    "loss_settings": _named,
    "scheduler": _schedule,
    "start_from": _start,
    "distil": _taught,
    "losses": _losses,
}
