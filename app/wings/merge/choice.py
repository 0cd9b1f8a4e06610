"""A project with a merge conflict of git: both drawings, the conflicts and the choices."""

from collections.abc import Mapping

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import graph_thumbnail, markup, state
from app.pages.shared.other_tab import differing
from app.services import documents
from app.wings.merge import unmerged
from app.wings.merge.unmerged import Unmerged
from core.graph.difference import difference
from core.project import Project, ProjectError
from core.wings.merge import Merged

COLOURS = {"added": "#2BA397", "changed": "#DB9A2B", "conflict": "#D9534F", "same": "#98A0AC"}
WORDS = {"added": "added", "changed": "changed", "conflict": "in conflict", "same": "unchanged"}
MOST = 40


def show(unmerged: Unmerged) -> None:
    """Draw the page. Nothing is saved until a button is pressed."""
    markup.style()
    with st.container(key="merge"):
        st.header(f"Merge conflict in {escape_markdown(unmerged.path.name, 60)}", anchor=False)
        markup.prose(_introduction(unmerged))
        merged = unmerged.merged(_chosen(unmerged))
        _conflicts(merged)
        _buttons(unmerged, merged)
        _drawings(unmerged, merged)


def _introduction(unmerged: Unmerged) -> str:
    ours, theirs = (
        f"{side} ({escape_markdown(name, 60)})" if name else side
        for side, name in (("Ours", unmerged.our_name), ("theirs", unmerged.their_name))
    )
    unknown = (
        "" if unmerged.base else " The version before both is unknown: compare them with care."
    )
    return (
        f"{ours} is the version you had, {theirs} the one that git merges into it.{unknown} "
        "Changes of one side are merged; choose below where both changed the same thing. The file "
        "stays as it is until you save."
    )


def _chosen(unmerged: Unmerged) -> set[str]:
    """Messages of the conflicts for which theirs is chosen."""
    known = unmerged.merged()
    return {
        conflict.message
        for number, conflict in enumerate(known.conflicts)
        if state.value(_key(number)) == "Theirs"
    }


def _key(number: int) -> str:
    return f"merge_side_{number}"


def _drawings(unmerged: Unmerged, merged: Merged) -> None:
    """Draw both versions and the merge, with the blocks that differ in colours."""
    base = unmerged.base or Project()
    places = {conflict.place.partition(".")[0] for conflict in merged.conflicts}
    sides = {"Ours": unmerged.ours, "Theirs": unmerged.theirs, "After the merge": merged.project}
    for title, project in sides.items():
        st.subheader(title, anchor=False)
        kinds = kinds_of(base, project, places)
        words = ", ".join(f"{n} {WORDS[kind]}" for n, kind in kinds.items() if kind != "same")
        colours = {name: COLOURS[kind] for name, kind in kinds.items()}
        st.html(graph_thumbnail.wide_image(project.graph, colours, f"{title}: {words or 'same'}"))
    st.html(_legend())
    with st.expander("Differences of theirs from ours"):
        listed = differing(unmerged.ours, unmerged.theirs)
        st.html(f'<pre class="ll-diff">{markup.escape(chr(10).join(listed[:MOST]))}</pre>')
        if len(listed) > MOST:
            st.caption(f"and {len(listed) - MOST} more")


def kinds_of(base: Project, project: Project, conflicts: set[str]) -> Mapping[str, str]:
    """What happened to each block of a version: added, changed, conflict or same."""
    found = difference(base.graph, project.graph)
    added = {path.partition(".")[0] for path in found.added if "." not in path}
    changed = {path.partition(".")[0] for path in found.changed}
    return {
        name: "conflict"
        if name in conflicts
        else "added"
        if name in added
        else "changed"
        if name in changed
        else "same"
        for name in project.graph.nodes
    }


def _legend() -> str:
    rows = "".join(
        f'<span><i style="background:{COLOURS[kind]}"></i>{words}</span>'
        for kind, words in WORDS.items()
    )
    return f'<div class="ll-legend">{rows}</div>'


def _conflicts(merged: Merged) -> None:
    count = len(merged.conflicts)
    title = f"{count} conflict{'s' if count != 1 else ''}" if count else "No conflicts"
    st.subheader(title, anchor=False)
    if not count:
        st.caption("Both sides changed different things: the merge has all of them.")
    for number, conflict in enumerate(merged.conflicts):
        with st.container(border=True, key=f"merge_conflict_{number}", gap="xsmall"):
            st.markdown(escape_markdown(conflict.message, 400))
            if conflict.message in merged.either:
                st.segmented_control(
                    f"Version of {escape_markdown(conflict.place, 60)}",
                    ["Ours", "Theirs"],
                    default="Ours",
                    required=True,
                    key=_key(number),
                    label_visibility="collapsed",
                )
            else:
                st.caption("The merge has ours here. Change it on the canvas after saving.")
    for remark in merged.remarks:
        st.caption(escape_markdown(remark, 300))


def _buttons(unmerged: Unmerged, merged: Merged) -> None:
    with st.container(horizontal=True, key="merge_buttons"):
        if st.button("Save the merge", type="primary", icon=":material/merge:", key="merge_save"):
            _save(unmerged, merged.project)
        if st.button("Save ours", key="merge_ours", help="Without any change of theirs"):
            _save(unmerged, unmerged.ours)
        if st.button("Save theirs", key="merge_theirs", help="Without any change of ours"):
            _save(unmerged, unmerged.theirs)
        if st.button("Not now", key="merge_later", help="Leaves the file as it is"):
            state.close_document()
            state.go("start")


def _save(found: Unmerged, project: Project) -> None:
    try:
        unmerged.resolve(found, project)
        state.open_document(documents.from_file(found.path))
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    name = escape_markdown(found.path.name, 60)
    state.say("success", f"{name} is saved. `git add` marks it as resolved.")
    st.rerun()
