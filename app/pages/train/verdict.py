"""The verdict on a run: a panel with its reason, remedies and a better template."""

from pathlib import Path

import streamlit as st

from app import wing
from app.markdown import escape_markdown
from app.pages.shared import glossary, runs, state, verdicts
from app.services import documents, remedies
from app.services.document import Document
from app.services.project_runs import is_run_of
from core.project.templates import load_template
from core.runs.files import read_json
from core.runs.listing import RunView, view_run
from core.runs.remedies import Remedy
from core.runs.verdict import Verdict

EVERY_S = 2.0


def show(view: RunView, alive: bool) -> None:
    """Draw the verdict; keep it up to date while the run trains."""
    if view.attempt:
        st.fragment(_draw, run_every=EVERY_S if alive else None)(view.dir, alive)


def _draw(run_dir: Path, alive: bool) -> None:
    view = view_run(run_dir)
    verdict = verdicts.latest(view)
    if verdict.kind == "none":
        return
    colour, icon = verdicts.look(verdict)
    with st.container(border=True, key="verdict", gap="small"):
        st.markdown(f":{colour}[{icon}] **{escape_markdown(verdict.title, 80)}**")
        if verdict.below_value:
            number, sign, within = verdict.value.partition(" ± ")
            more = f" :small[± {within}]" if sign else ""
            st.markdown(f"#### {escape_markdown(number, 40)}{more}")
        st.caption(
            escape_markdown(verdict.below_value or verdict.reason, 900),
            help=glossary.help_text(verdict.title, verdict.reason),
        )
        _remedies(view, verdict)
        if verdict.template:
            _template(verdict.template)
        for _, part in wing.parts("doubt"):
            part.show(view, verdict, alive)


def _remedies(view: RunView, verdict: Verdict) -> None:
    """A button for each remedy if the run belongs to the open project; else their titles."""
    document = state.document()
    taken: remedies.AppliedRemedy | None = state.value(runs.TAKEN)
    back = document is not None and taken is not None and taken.run == view.name
    if not verdict.remedies and not back:
        return
    if document is None or not is_run_of(document, view):
        words = ", ".join(remedy.title for remedy in verdict.remedies)
        help_text = f"Suggested fixes (open its project to apply them): {words}."
        st.caption(escape_markdown(help_text, 300))
        return
    before = read_json(view.dir / "spec.json").get("training", {})
    with st.container(horizontal=True, gap="small"):
        for number, remedy in enumerate(verdict.remedies):
            if _button(remedy, number, view, before):
                _take(document, view, remedy)
        if back and taken and _back_button():
            remedies.undo(document, taken)
            state.take(runs.TAKEN)
            st.rerun()
    if verdict.remedies:
        st.caption("Each button starts a new run with its change; this run stays as it is.")


def _template(name: str) -> None:
    """Link to the better template; the open project stays on My work."""
    title = escape_markdown(load_template(name).name, 60)
    if st.button(
        f"Open “{title}”",
        key="verdict_template",
        type="tertiary",
        icon=":material/account_tree:",
        help="Opens the template as a new project; this one stays on My work.",
    ):
        state.open_document(documents.from_template(name))
        state.go("build")


def _button(remedy: Remedy, number: int, view: RunView, before: dict[str, object]) -> bool:
    change = remedies.describe_changes(remedy.changes, before)
    return st.button(
        escape_markdown(remedy.title, 80),
        key=f"remedy_{view.name}_{number}",
        type="secondary",
        icon=":material/play_arrow:",
        help=escape_markdown(f"Changes {change} and trains.", 300),
    )


def _back_button() -> bool:
    return st.button(
        "Undo the change",
        key="remedy_back",
        type="tertiary",
        icon=":material/undo:",
        help="Restores the settings and blocks of the project; the runs stay.",
    )


def _take(document: Document, view: RunView, remedy: Remedy) -> None:
    if runs.take_remedy(document, view.name, remedy):
        st.rerun()
