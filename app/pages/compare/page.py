"""The page "Compare": curves of several runs, their differences, notes and tags."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, cast

import streamlit as st

from app import charts, wing
from app.markdown import escape_markdown
from app.pages.compare import labels, tables
from app.pages.shared import beginning, markup, runs, state, svg_plots, verdicts
from app.services import current_run, paths
from app.services.project_runs import own_runs
from core.runs import listing
from core.runs.compare_runs import Standing, aims_of_all, differing_settings, outcomes, standing
from core.runs.files import read_json
from core.runs.listing import RunView
from core.runs.run_notes import RunNotes, read_notes

SLOWER = "M52 158C110 150 130 110 190 92S330 74 420 70"
FASTER = "M52 152C84 140 100 84 146 60S300 34 420 30"
"""Two curves of no runs, in the picture of a page without any."""
MOST = 8
AXES = 7
SWEEP = "compare_sweep"
TICKED = "compare_shown"
"""Key of the run that was ticked because the other pages show it."""
RESULTS = ("best val_accuracy", "best val_balanced", "best val_loss", "best val_mae", "seconds")


def render() -> None:
    """Draw the page."""
    markup.style()
    with st.container(key="page_title"):
        st.header("Compare")
    # Names of these are letters, digits, - and _: plain text as labels, which cannot be escaped
    # without a screen reader reading the backslashes.
    listed = [v for v in listing.list_runs(paths.runs_dir()) if paths.find_run(v.name)]
    views = [view for view in listed if view.state != "lost"]
    if not views:
        _nothing()
        return
    marks = {view.name: read_notes(view.dir) for view in views}
    left, right = st.columns([6, 11], gap="medium")
    with left:
        chosen = _choose(views, marks)
    with right:
        if len(chosen) < 2:
            _too_few(len(views))
        if chosen:
            _compared([paths.runs_dir() / name for name in chosen])


def _nothing() -> None:
    figure = svg_plots.sketch(SLOWER, FASTER)
    st.html(f'<div class="ll-outlook one empty"><figure>{figure}</figure></div>')
    st.markdown("**No runs yet.** Train a network twice, then compare the runs here.")
    if state.document() is None:
        beginning.offer("train")
    else:
        st.page_link(
            state.page("train"), label="Train the open project", query_params=state.address()
        )


def _too_few(there: int) -> None:
    if there > 1:
        st.info("Tick two or more runs to see their curves in one plot.")
        return
    st.info(
        "This is the only run so far. Change one thing, such as the learning rate, and train "
        "again. Then tick both runs to see the effect."
    )
    if state.document() is not None:
        st.page_link(
            state.page("train"),
            label="Change a setting and train again",
            icon=":material/show_chart:",
            query_params=state.address(),
        )


def _choose(views: Sequence[RunView], marks: dict[str, RunNotes]) -> list[str]:
    """Draw the list of runs, pinned ones first, then the project's; return the ticked ones' names.

    Ticked runs stay listed during a search.
    """
    shown_elsewhere = _shown_elsewhere(views)
    own = _own(views)
    sweeps = _sweeps(views)
    if picked := _sweep(sweeps, views):
        order = sweeps[picked]
        shown = sorted((v for v in views if v.name in order), key=lambda v: order.index(v.name))
        return _listed(shown, marks, "", [view.name for view in shown[:2]], own)
    tags = sorted({tag for notes in marks.values() for tag in notes.tags} - set(sweeps))
    wanted = tags and st.pills(
        "Tags", tags, selection_mode="multi", format_func=escape_markdown, key="compare_tags"
    )
    shown = [v for v in views if not wanted or set(wanted) & set(marks[v.name].tags)]
    shown.sort(
        key=lambda view: (
            not marks[view.name].pinned,
            view.name != shown_elsewhere,
            view.name not in own,
        )
    )
    words = runs.search_field(len(shown), "compare_search") if len(shown) > runs.PAGE_SIZE else ""
    mine = [view.name for view in shown if view.name in own and view.name != shown_elsewhere]
    first = [*filter(None, [shown_elsewhere]), *mine][:2]
    return _listed(shown, marks, words, first, own)


def _sweeps(views: Sequence[RunView]) -> dict[str, list[str]]:
    """The sweeps whose runs are there, best first."""
    there = {view.name for view in views}
    runs_of_sweep = {
        name: [run for run in names if run in there]
        for _, part in wing.parts("compare")
        for name, names in part.groups(paths.runs_dir()).items()
    }
    return {name: names for name, names in runs_of_sweep.items() if names}


def _sweep(sweeps: dict[str, list[str]], views: Sequence[RunView]) -> str | None:
    """Offer the runs of a sweep alone; its best ones are then ticked, and no others."""
    if not sweeps:
        return None

    def title_of(name: str) -> str:
        count = len(sweeps[name])
        return f"{escape_markdown(name)} ({count} run{'s' if count > 1 else ''})"

    names = [view.name for view in views]
    picked = st.pills(
        "Sweeps",
        list(sweeps),
        format_func=title_of,
        key=SWEEP,
        on_change=_tick,
        args=(sweeps, names),
    )
    if picked and len(sweeps[picked]) > MOST:
        st.caption(f"Best first; the best {MOST} are ticked.")
    return picked


def _tick(sweeps: dict[str, list[str]], names: Sequence[str]) -> None:
    picked = state.value(SWEEP)
    for name in names if picked else ():
        state.keep(_key(name), name in sweeps[picked][:MOST])


def _shown_elsewhere(views: Sequence[RunView]) -> str:
    """The run that the other pages show, "" for none. It is ticked once only, so that the user
    can untick it."""
    document = state.document()
    shown = current_run.run_to_show(document, views=views) if document is not None else None
    if shown is None:
        return ""
    if state.value(TICKED) != shown.name:
        state.keep(TICKED, shown.name)
        state.keep(_key(shown.name), True)
    return shown.name


def _listed(
    shown: Sequence[RunView],
    marks: dict[str, RunNotes],
    words: str,
    first: Collection[str],
    own: Collection[str],
) -> list[str]:
    """Draw the rows that match the search; return the ticked ones' names.

    first: names of the runs ticked at first. own: names of the runs of this project.
    """
    with st.container(
        key="compare_list", gap="xsmall", border=True, height=560 if len(shown) > 8 else "content"
    ):
        listed = [
            view
            for view in shown
            if view.name in first
            or state.value(_key(view.name))
            or runs.matches(words, view, marks[view.name])
        ]
        chosen = [
            v.name for v in listed if _row(v, marks[v.name], v.name in first, _foreign(v, own))
        ]
    if len(chosen) > MOST:
        st.warning(f"{len(chosen)} runs are ticked; only the first {MOST} are shown.")
    return chosen[:MOST]


def _own(views: Sequence[RunView]) -> set[str]:
    """Names of the runs to list first: those of the open project, or of the latest run's
    project."""
    document = state.document()
    mine = {view.name for view in own_runs(document, views)} if document is not None else set[str]()
    return mine or {view.name for view in views if view.project_name == views[0].project_name}


def _key(name: str) -> str:
    return f"compare_{name}"


def _foreign(view: RunView, own: Collection[str]) -> str:
    """A note on a run of another project: its name and its data; "" for the open project's."""
    if view.name in own:
        return ""
    data = read_json(view.dir / "spec.json").get("data")
    source = cast("dict[str, Any]", data).get("source") if isinstance(data, dict) else None
    on = f" on {source}" if isinstance(source, str) and source not in view.project_name else ""
    return f"other project: {view.project_name or 'unnamed'}{on}"


def _row(view: RunView, marks: RunNotes, ticked: bool, foreign: str) -> bool:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if state.value(_key(view.name)) is None:  # what a sweep ticked is no default
            state.keep(_key(view.name), ticked)
        wanted = st.checkbox(view.name, key=_key(view.name), width="stretch")
        st.caption(escape_markdown(runs.best_result(view)), width="content")
        tables.edit(view, marks)
    word, colour, icon = runs.BADGES[view.state]
    state_badge = "" if view.state == "finished" else f":{colour}[{icon}] {word}"
    pin = ":material/keep: pinned" if marks.pinned else ""
    verdict = escape_markdown(verdicts.word(view), 80)
    written = escape_markdown(" · ".join(filter(None, (*marks.tags, marks.note))), 120)
    other = escape_markdown(foreign, 120)
    if caption := " · ".join(filter(None, (state_badge, verdict, pin, written, other))):
        st.caption(caption)
    return wanted


def _compared(folders: list[Path]) -> None:
    names = [folder.name for folder in folders]
    settings, results = differing_settings(folders), outcomes(folders)
    aims = aims_of_all(folders)
    _best(standing(folders), names)
    keys = [key for _, part in wing.parts("compare") for key in part.keys(folders)]
    chosen = {key: row for key, row in settings.items() if key in keys} or settings
    charts.compare_runs(names, state.token(), _axes(chosen, results, aims))
    if len(folders) > 1:
        st.subheader("Settings that differ")
        tables.table(names, settings, "No settings differ.")
    st.subheader("Results")
    tables.table(names, results | _verdicts(folders), "No results yet.", aims)
    if any(name.startswith("best ") for name in results):
        markup.prose("Metrics are those of the best checkpoint of each run.", small=True)
    if len(folders) > 1:
        tables.drawings(folders)


def _best(found: Standing, names: Sequence[str]) -> None:
    """The best run; where runs do not compare why, and the best of each group."""
    if found.best is not None:
        best = escape_markdown(names[found.best], 60)
        st.markdown(f":material/trophy: Best of these: **{best}**")
    for sentence in () if found.best is not None else found.sentences(names):
        st.caption(escape_markdown(sentence, 400))


def _verdicts(folders: Sequence[Path]) -> dict[str, list[Any]]:
    """A row with the verdict on each run, if any has one."""
    words = [verdicts.word(listing.view_run(folder)) for folder in folders]
    return {"verdict": words} if any(words) else {}


def _axes(
    settings: dict[str, list[Any]], results: dict[str, list[Any]], aims: dict[str, str]
) -> list[dict[str, Any]]:
    """The parallel axes: searched or differing settings, then results."""
    settings_shown = {k: v for k, v in settings.items() if not k.startswith("versions.")}
    ends = {name: results[name] for name in RESULTS if name in results}
    return labels.axes(dict(list(settings_shown.items())[: AXES - len(ends)]) | ends, aims)
