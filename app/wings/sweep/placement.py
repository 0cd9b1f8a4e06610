"""Where the trials of a new sweep train: this machine, or jobs of a launcher."""

from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from core.settings.launcher import HERE, Launcher
from core.worker.launchers import kind_of, kinds

HELP = (
    "Each trial is then a job of its own, as many at the same time as stand under In parallel. "
    "The sweep itself stays on this machine and finds its trials again after a restart."
)


def ask(prefix: str) -> dict[str, Any]:
    """Draw the choice; the launcher as spec.json has it, {} for this machine.

    prefix: begins the keys of the widgets.
    """
    offered = [kind.name for kind in kinds() if kind.trials]
    if len(offered) < 2:
        return {}
    name = st.selectbox(
        "Where trials train",
        offered,
        format_func=lambda each: kind_of(each).title,
        key=f"{prefix}:launcher",
        help=HELP,
    )
    kind = kind_of(name)
    if name == HERE:
        return {}
    found = kind.find()
    if not found.available:
        st.caption(f":red[:material/error:] {escape_markdown(f'{found.text} {found.hint}', 200)}")
    address = st.text_input(
        kind.address_title,
        kind.shared,
        key=f"{prefix}:address:{name}",
        help=f"{kind.address[0].upper()}{kind.address[1:]}.",
    ).strip()
    return Launcher(kind.name, address=address).as_spec()  # type: ignore[arg-type]
