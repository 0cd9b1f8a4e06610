"""A lab report of a run: what its folder says now, in parts. No number in it is typed. No torch."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.common.errors import LayerloomError, ProjectError
from core.insight import samples
from core.project import Project, open_project
from core.project.changes import shown as written
from core.project.title import title
from core.runs import curve_chart
from core.runs.duration import duration
from core.runs.files import BASELINE, read_json
from core.runs.listing import ALIVE, MALFORMED, RunView, view_run
from core.runs.run_notes import read_notes
from core.runs.verdict import Verdict, verdict_of
from core.runs.verdict_facts import read_facts
from core.settings.schema import TRAINING
from core.tasks.metric_labels import metric_words, shown
from core.wings.team import report_predictions
from core.wings.team.ink import Ground
from core.wings.team.project_drawing import whole
from core.wings.team.report_pieces import (
    PARTS,
    Piece,
    ReportPart,
    ReportPlot,
    ReportSentence,
    ReportTable,
)
from core.wings.team.report_snapshot import Snapshot, snapshot_of
from core.wings.team.side_by_side import TOTALS

ALWAYS = ("loss", "optimizer", "lr", "epochs", "batch_size", "seed", "device")
"""Settings of a training that a report names, whether they are the default or not."""
MOST_CURVES, MOST_BLOCKS = 4, 400
STATES = {
    "queued": "has not begun",
    "running": "is still training: these are its numbers so far",
    "paused": "is paused: these are its numbers so far",
    "finished": "has finished",
    "stopped": "was stopped before its last epoch",
    "failed": "failed",
    "crashed": "broke off",
    "hung": "does not respond",
    "lost": "is lost",
}
Doubted = Callable[[RunView, Verdict], Sequence[str]]
"""Gives what puts a verdict in doubt, in sentences."""
Analyse = Callable[[Project], Mapping[str, Any]]
"""Gives the report on a drawing as JSON values, as `report_json` does."""


@dataclass(frozen=True)
class LabReport:
    """A report. about: sentences on where its numbers are from. snapshot: the run as it was read.
    project: the text of the drawing that was trained, "" where it cannot be read."""

    title: str
    about: tuple[str, ...]
    parts: tuple[ReportPart, ...]
    snapshot: Snapshot
    project: str = ""
    live: bool = False


@dataclass(frozen=True)
class _Run:
    """What of a run is read once. drawn: None where its drawing cannot be read."""

    view: RunView
    spec: Mapping[str, Any]
    verdict: Verdict
    drawn: Project | None
    analyse: Analyse
    ground: Ground
    doubts: Sequence[str]


def report_of(
    run_dir: Path,
    analyse: Analyse,
    ground: Ground = "auto",
    doubted: Doubted = lambda view, verdict: (),
) -> LabReport:
    """The report of a run."""
    view = view_run(run_dir)
    try:
        project: Project | None = open_project(run_dir / "project.loom.json")
    except ProjectError:
        project = None
    spec, verdict = read_json(run_dir / "spec.json"), verdict_of(run_dir, view)
    doubts = () if view.state in ALIVE else doubted(view, verdict)
    run = _Run(view, spec, verdict, project, analyse, ground, doubts)
    parts = tuple(
        ReportPart(key, name, ask, tuple(_safe(_READERS[key], run)) if key in _READERS else ())
        for key, (name, ask) in PARTS.items()
    )
    name = title(project) if project else view.project_name or view.name
    text = (run_dir / "project.loom.json").read_text("utf-8") if project else ""
    live = view.state in ALIVE
    return LabReport(name, tuple(_about(run)), parts, snapshot_of(run_dir, view), text, live)


def _safe(read: "Callable[[_Run], Iterator[Piece]]", run: _Run) -> list[Piece]:
    """The pieces of a part, or a sentence where files of the run are damaged."""
    try:
        return list(read(run))
    except (*MALFORMED, LookupError, OSError):
        return [ReportSentence("The files of this run that it needs cannot be read.")]


def _about(run: _Run) -> Iterator[str]:
    view = run.view
    yield f"Run {view.name} {STATES[view.state]}."
    if view.message:
        yield f"{view.message} {view.hint}".strip()
    if view.brought:
        yield f"It came in {view.brought}; its numbers were not measured here."


def _network(run: _Run) -> Iterator[Piece]:
    if run.drawn is None:
        yield ReportSentence("The drawing of this run cannot be read.")
        return
    try:
        report = run.analyse(run.drawn)
    except LayerloomError as error:
        yield ReportSentence(f"Shapes and costs are unknown: {error}")
        return
    yield whole(run.drawn, report, run.ground)
    if not report["ok"]:
        first = report["errors"][0]["message"] if report["errors"] else "the drawing has an error."
        yield ReportSentence(f"Shapes and costs are unknown: {first}")
        return
    counts = ((name, f"{report[key]:,}") for name, key in TOTALS.items())
    yield ReportTable("Cost for one sample", (), tuple(counts))
    yield from _blocks(report)


def _blocks(report: Mapping[str, Any]) -> Iterator[Piece]:
    rows = [
        (path, node["block"], _shapes(node), *(_count(node[k]) for k in ("params", "mult_adds")))
        for path, node in report["nodes"].items()
    ]
    head = ("block", "kind", "output", "parameters", "multiply-adds")
    more = f"and {len(rows) - MOST_BLOCKS:,} more" if len(rows) > MOST_BLOCKS else ""
    yield ReportTable("Blocks", head, tuple(rows[:MOST_BLOCKS]), more)


def _shapes(node: Mapping[str, Any]) -> str:
    each = (", ".join(map(str, output["shape"])) for output in node["outputs"].values())
    return "; ".join(f"({sizes})" for sizes in each)


def _count(value: Any) -> str:
    return f"{value:,}" if value else "0"


def _setup(run: _Run) -> Iterator[Piece]:
    data: Mapping[str, Any] = run.spec.get("data") or {}
    if summary := data.get("summary"):
        yield ReportSentence(str(summary), strong=True)
    given = {name: value for name, value in data.items() if name != "summary"}
    if given:
        yield ReportTable("Data", (), tuple((name, _plain(v)) for name, v in given.items()))
    yield ReportTable("Training", (), tuple(_settings(run)))
    versions: Mapping[str, Any] = run.spec.get("versions") or {}
    made = ", ".join(f"{name} {version}" for name, version in versions.items())
    if made:
        yield ReportSentence(f"Made with {made}.")


def _settings(run: _Run) -> Iterator[tuple[str, str]]:
    """Those that are always named, and those that differ from their default."""
    training: Mapping[str, Any] = run.spec.get("training") or {}
    for setting in TRAINING:
        value = training.get(setting.name, setting.default)
        if setting.name not in training or value in ({}, None):
            continue
        if setting.name in ALWAYS or value != setting.default:
            value = run.view.device or value if setting.name == "device" else value
            yield setting.title or setting.name.replace("_", " ").capitalize(), _plain(value)


def _plain(value: Any) -> str:
    """A setting for people: a table of further settings as words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        table: Mapping[str, Any] = value
        pairs = (f"{k} {written(v)}" for k, v in table.items() if k != "name")
        return ", ".join(([str(table["name"])] if "name" in table else []) + list(pairs))
    return written(value)


def _training(run: _Run) -> Iterator[Piece]:
    view, facts = run.view, read_facts(run.view.dir, run.view)
    if not facts.count:
        yield ReportSentence("No epoch is complete.")
        return
    yield ReportSentence(
        f"{view.epoch:,} of {view.epochs:,} epochs, {view.step:,} steps, "
        f"{duration(view.elapsed_s)}{f' on {view.device}' if view.device else ''}."
    )
    numbers = list(range(1, facts.count + 1))
    for name in _curves(facts.epochs, facts.metric):
        pair = {key: facts.epochs[key] for key in (f"train_{name}", f"val_{name}")
                if key in facts.epochs}  # fmt: skip
        words = f"{metric_words(name, view.aims)} by epoch"
        yield ReportPlot(curve_chart.draw(numbers, pair, run.ground, view.aims), words, beside=True)


def _curves(epochs: Mapping[str, Any], judged: str) -> list[str]:
    """Metrics to draw: the loss, what the run is judged by, then others of both parts."""
    names = [name[4:] for name in epochs if name.startswith("val_")]
    first = [name for name in ("loss", judged[4:]) if name in names]
    both = [name for name in names if f"train_{name}" in epochs]
    return list(dict.fromkeys([*first, *both]))[:MOST_CURVES]


def _result(run: _Run) -> Iterator[Piece]:
    verdict, view = run.verdict, run.view
    if verdict.kind != "none":
        yield ReportSentence(verdict.title, strong=True)
    yield ReportSentence(verdict.reason)
    yield from map(ReportSentence, run.doubts)
    yield from _metrics(view)
    yield from _baseline(view)
    if note := read_notes(view.dir).note:
        yield ReportSentence(f"Note on the run: {note}")


def _metrics(view: RunView) -> Iterator[Piece]:
    best = view.best or {}
    metrics: Mapping[str, Any] = best.get("metrics") or view.metrics
    rows = [
        (_sentence(metric_words(name, view.aims)), shown(name, value))
        for name, value in metrics.items()
        if name.startswith(("train_", "val_")) and isinstance(value, int | float)
    ]
    if rows:
        when = f"after epoch {best['epoch']}" if best.get("epoch") else f"after step {view.step:,}"
        yield ReportTable(f"Metrics {when}", (), tuple(rows))
    if view.test:
        tested = [
            (_sentence(metric_words(name, view.aims)), shown(name, value))
            for name, value in view.test["metrics"].items()
        ]
        often = view.test.get("times", 1)
        note = "" if often == 1 else f"The test part was used {often} times."
        yield ReportTable("On the part that was kept apart", (), tuple(tested), note)


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _baseline(view: RunView) -> Iterator[Piece]:
    rule = read_json(view.dir / BASELINE)
    metric, value = str(rule.get("metric", "")), rule.get("value")
    if not metric or not isinstance(value, int | float):
        return
    rules = [(str(rule.get("rule", "a simple rule")), value), *rule.get("others", ())]
    reached = ((view.best or {}).get("metrics") or view.metrics).get(metric)
    rows = [("this network", shown(metric, reached, digits=3))] if reached is not None else []
    rows += [(str(name), shown(metric, number, digits=3)) for name, number in rules]
    yield ReportTable(f"Beside simple rules: {metric_words(metric, view.aims)}", (), tuple(rows))


def _predictions(run: _Run) -> Iterator[Piece]:
    there = samples.epochs(run.view.dir)
    best = (run.view.best or {}).get("epoch")
    epoch = best if best in there else (there[-1] if there else 0)
    found = samples.read_samples(run.view.dir, epoch) if there else None
    if found is None:
        yield ReportSentence("The run has written no predictions.")
        return
    yield ReportSentence(f"After epoch {epoch}{', the best' if epoch == best else ''}.")
    yield from report_predictions.pieces(found)


_READERS: Mapping[str, Callable[[_Run], Iterator[Piece]]] = {
    "network": _network,
    "setup": _setup,
    "training": _training,
    "result": _result,
    "predictions": _predictions,
}
