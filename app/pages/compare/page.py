"""The page "Compare": curves of several runs, their differences, notes and tags."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import streamlit as st

from app import charts, wing
from app.markdown import escape_markdown
from app.pages.compare import labels, tables
from app.pages.shared import beginning, markup, runs, state, svg_plots, sweep_row, verdicts
from app.services import current_run, paths
from app.services.project_runs import own_runs
from core.runs import listing
from core.runs.best import best_first
from core.runs.compare_runs import Standing, aims_of_all, differing_settings, outcomes, standing
from core.runs.files import read_json
from core.runs.listing import RunView
from core.runs.rows import ListedRuns, rows
from core.runs.run_notes import RunNotes, read_notes

SLOWER = "M52 158C110 150 130 110 190 92S330 74 420 70"
FASTER = "M52 152C84 140 100 84 146 60S300 34 420 30"
"""Two curves of no runs, in the picture of a page without any."""
MOST = 8
AXES = 7
PLACE = "compare"
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

    Ticked runs stay listed during a search. The trials of a sweep are one row until it is opened.
    """
    shown_elsewhere = _shown_elsewhere(views)
    own = _own(views)
    tags = sorted({tag for view in views for tag in marks[view.name].tags if tag != view.sweep})
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
    return _Listed(shown, marks, words, first, own).draw()


def _best_first(row: ListedRuns) -> list[RunView]:
    """The trials of a sweep, by its own objectives where its wing knows them."""
    found = (part.groups(paths.runs_dir()) for _, part in wing.parts("compare"))
    names = next((groups[row.sweep] for groups in found if row.sweep in groups), [])
    order = {name: place for place, name in enumerate(names)}
    return sorted(best_first(row.views), key=lambda view: order.get(view.name, len(order)))


def _tick(names: Sequence[str], views: Sequence[RunView]) -> None:
    """Tick these runs, and no others."""
    for view in views:
        state.keep(_key(view.name), view.name in names)


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


@dataclass(frozen=True)
class _Listed:
    """The runs to choose from. words: of the search. first: those ticked at first; own: those of
    this project, by name."""

    shown: Sequence[RunView]
    marks: Mapping[str, RunNotes]
    words: str
    first: Collection[str]
    own: Collection[str]

    def draw(self) -> list[str]:
        """Draw the rows that match the search; return the ticked ones' names."""
        listed = rows(self.shown, [name for name, notes in self.marks.items() if notes.pinned])
        whole = bool(self.words) or state.document() is None  # then no project is the other one
        near = [row for row in listed if whole or any(map(self._near, row.views))]
        far = [row for row in listed if row not in near]
        height = 560 if len(near) > 8 else "content"
        with st.container(key="compare_list", gap="xsmall", border=True, height=height):
            chosen = self._ticked(near)
        if far:
            with st.expander("Runs of other projects", key="compare_others"):
                chosen += self._ticked(far)
        if len(chosen) > MOST:
            st.warning(f"{len(chosen)} runs are ticked; only the first {MOST} are shown.")
        return chosen[:MOST]

    def _near(self, view: RunView) -> bool:
        """Whether a run is in view at once."""
        return view.name in self.own or view.name in self.first or self.marks[view.name].pinned

    def _ticked(self, listed: Sequence[ListedRuns]) -> list[str]:
        chosen: list[str] = []
        for row in listed:
            opened = bool(row.sweep) and _sweep(row, self.shown)
            for view in _best_first(row) if row.sweep else row.views:
                marks, ticked = self.marks[view.name], view.name in self.first
                kept = ticked or state.value(_key(view.name))
                found = runs.matches(self.words, view, marks)
                if kept or (found and (opened or self.words or not row.sweep)):
                    foreign = _foreign(view, self.own)
                    chosen += [view.name] if _row(view, marks, ticked, foreign) else []
        return chosen


def _sweep(row: ListedRuns, shown: Sequence[RunView]) -> bool:
    """Draw the row of a sweep; return whether its trials are listed."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        sweep_row.button(row, PLACE)
        st.space("stretch")
        st.caption(escape_markdown(runs.best_result(row.best)), width="content")
        st.button(
            "Tick best",
            type="tertiary",
            key=f"compare_best_{row.key}",
            help=f"Tick its best {min(MOST, len(row.views))} trials, and no other runs",
            on_click=lambda: _tick([v.name for v in _best_first(row)[:MOST]], shown),
        )
    return sweep_row.is_open(row, PLACE)


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
        tables.edit(view, marks)
    result = escape_markdown(runs.best_result(view), 60)
    word, colour, icon = runs.BADGES[view.state]
    state_badge = "" if view.state == "finished" else f":{colour}[{icon}] {word}"
    pin = ":material/keep: pinned" if marks.pinned else ""
    verdict = escape_markdown(verdicts.word(view), 80)
    tags = (tag for tag in marks.tags if tag != view.sweep)
    written = escape_markdown(" · ".join(filter(None, (*tags, marks.note))), 120)
    other = escape_markdown(foreign, 120)
    bold = f"**{result}**" if result else ""
    if caption := " · ".join(filter(None, (bold, state_badge, verdict, pin, written, other))):
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
