"""Options of an import: in its form, and offered after an import failed for want of one."""

from dataclasses import dataclass

import streamlit as st

from app.wings.importing.service import Import

HEADS, SPECIALISE, OWN_PYTHON = "heads", "specialise", "own_python"
KEEP_UNUSED = "keep_unused"
"""As core.wings.importing.job has them, which would bring torch along."""


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
        "Also draw auxiliary classifiers, which run only in training",
        "They become extra outputs of the drawing and are trained as in the original.",
    ),
    KEEP_UNUSED: Option(
        "Keep layers that forward does not use",
        "Layers that the model constructs but never calls for this sample, such as auxiliary "
        'heads, appear on the canvas as "not used by forward". Their parameters are counted and '
        "saved, so that trained weights load completely. To use such a layer, wire it.",
    ),
    SPECIALISE: Option(
        "Draw value-dependent branches as one sample takes them",
        "The drawing always follows the branches of this sample. Other inputs may give results "
        "that differ from the original; the drawing states this.",
        "Draw the branches of this sample",
        "alt_route",
    ),
    OWN_PYTHON: Option(
        "Import what cannot be drawn as a block of your own Python",
        "The class is imported as it is written. None of its code runs in the project until you "
        "have read and trusted it.",
        "Import the class as your own Python block",
        "code_blocks",
    ),
}


def ask(key: str, options: tuple[str, ...], usual: tuple[str, ...] = ()) -> dict[str, bool]:
    """Draw the options; return them for a request. usual: the ones ticked at first."""
    with st.expander("Further options", expanded=bool(usual)):
        return {
            name: st.checkbox(
                OPTIONS[name].title,
                name in usual,
                key=f"import_{name}:{key}",
                help=OPTIONS[name].description,
            )
            for name in options
        }


def offer_retry(job: Import) -> Import | None:
    """Draw buttons that retry a failed import with an option; return the new import."""
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
