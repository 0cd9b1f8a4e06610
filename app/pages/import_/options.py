"""Options of an import: in its form's further part, and offered beside the reason of a refusal."""

from dataclasses import dataclass

import streamlit as st

from app.services.imports import Import

HEADS, SPECIALISE, OWN_PYTHON = "heads", "specialise", "own_python"
KEEP_UNUSED = "keep_unused"
"""As core.importing.job has them, which would bring torch along."""


@dataclass(frozen=True)
class Option:
    """One option. title: in the form; description: what it does.

    offer, icon: its button, "" for none.
    """

    title: str
    description: str
    offer: str = ""
    icon: str = ""


OPTIONS = {
    HEADS: Option(
        "Draw its auxiliary classifiers, too, which run in training only",
        "They become further outputs of the drawing, and learn as in the original.",
    ),
    KEEP_UNUSED: Option(
        "Keep layers that forward does not use",
        "Layers that the model constructs and never calls for this sample, such as auxiliary "
        'heads, stand on the canvas as "not used by forward". They are counted and saved, so that '
        "trained weights load as a whole; a wire into one uses it.",
    ),
    SPECIALISE: Option(
        "Draw what it decides by values as it goes for one sample",
        "What was done for one sample is drawn for all. The drawing says so, for another input "
        "may give other numbers than the original.",
        "Draw it for this sample",
        "alt_route",
    ),
    OWN_PYTHON: Option(
        "Bring in what cannot be drawn as a block of your own Python",
        "The class comes in as it is written. Nothing of it runs in the project before you have "
        "read and trusted it.",
        "Bring the class in as your own Python block",
        "code_blocks",
    ),
}


def ask(key: str, options: tuple[str, ...], usual: tuple[str, ...] = ()) -> dict[str, bool]:
    """Ask for options; returns those of a request. usual: those that are on, which are shown."""
    with st.expander("Further options", expanded=bool(usual)):
        return {
            name: st.checkbox(
                OPTIONS[name].title, name in usual, key=f"import_{name}:{key}",
                help=OPTIONS[name].description,
            )
            for name in options
        }  # fmt: skip


def offered(job: Import) -> Import | None:
    """Offer what would draw a refused model; returns the import that was begun with it."""
    for name in job.offers:
        option = OPTIONS[name]
        with st.container(
            key=f"import_offer_{name}", horizontal=True, vertical_alignment="center", gap="small"
        ):
            icon = f":material/{option.icon}:"
            if st.button(option.offer, key=f"import_with_{name}", icon=icon):
                return job.again(name)
            st.caption(option.description)
    return None
