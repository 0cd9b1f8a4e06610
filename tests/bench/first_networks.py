"""First networks at the first press of Train: `python -m tests.bench.first_networks`.

Twelve shapes (first_shapes.py) on every embedded data set, one thread: each is drawn in an empty
project, its data is chosen, and Train is pressed on Build, which trains with the settings that
suit it. Each is held against the figure
that the template of the data set reaches with its own settings and the same split. The figure is of
the best epoch, in points: per cent of right answers, or 100 R². Of tables, whose validation parts
are a few dozen samples, it is the mean over three seeds. What is in --results with the same
settings is not trained again: it can be stopped, and asked for in parts (--sets, --shapes). What
the templates reach goes to projects/results.json, which verdicts are held against; --templates
trains those alone.
"""
# ruff: noqa: T201

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from app.process import pool
from app.services import documents, run_start
from core.analyse import analyse_project
from core.prepare.create import prepare
from core.project import Project, read_text
from core.project.templates import load_template
from core.runs.listing import read_metrics
from core.runs.references import RESULTS as RECORDED
from core.runs.references import measured_on, recorded
from core.runs.verdict import verdict_of
from tests.bench.first_shapes import COLUMNS, SHAPES, TEMPLATES
from tests.core.small_runs import train_here

HOME = "LAYERLOOM_HOME"
OUT = Path(__file__).with_suffix(".md")
RESULTS = Path("first_networks.json")
WITHIN = 3.0
FIGURES = {"val_r2": 100.0, "val_ler": -100.0, "val_accuracy": 100.0}
"""Metrics by which networks are compared, the first that there is, and what makes points of them;
of errors in a sequence, points are what is left of 100."""
Result = dict[str, Any]


def project_of(data: Mapping[str, Any], graph: Mapping[str, Any], **training: Any) -> Project:
    """A project as a student draws it."""
    file = {"layerloom": 1, "name": "First network", "graph": graph, "data": dict(data)}
    return read_text(json.dumps({**file, "training": training, "layout": {}}))


@contextmanager
def own_home() -> Generator[None]:
    """Drafts go to a folder of their own meanwhile, and no process of the workbench stays."""
    before = os.environ.get(HOME)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[HOME] = folder
        try:
            yield
        finally:
            pool.close()
            os.environ.pop(HOME)
            os.environ.update({HOME: before} if before is not None else {})


@cache
def first_press(source: str, shape: str) -> Project | None:
    """What Train on Build trains: a shape drawn in an empty project, on a data set chosen for it.

    None where the shape makes no sense. Raises ValueError where Build refuses to train it.
    """
    graph = SHAPES[shape](source)
    if graph is None:
        return None
    template = load_template(TEMPLATES[source]).data
    document = documents.empty()
    document.change(data={k: template[k] for k in ("source", "validation") if k in template})
    document.put_graph(project_of({}, graph).graph)
    if problem := run_start.problem(document):
        raise ValueError(f"{shape} on {source}: {problem}")
    return document.project


def trained(project: Project, seeds: Sequence[int]) -> Result:
    """Train a project with each seed; its figure, the time it took, and what its run says."""
    report, found, started = analyse_project(project), list[dict[str, Any]](), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            run_dir = prepare(project, report, Path(folder), {"seed": seed, "threads": 1})
            view = train_here(run_dir)
            found.append({"figure": figure(run_dir), "state": view.state, "steps": view.step,
                          "metric": metric_of(run_dir), **verdict_fields(run_dir)})  # fmt: skip
    figures, least = [row["figure"] for row in found], min(found, key=lambda row: row["figure"])
    return {**least, "figure": statistics.mean(figures), "each": figures,
            "seconds": (time.monotonic() - started) / len(figures),
            "training": settings_of(project)}  # fmt: skip


def metric_of(run_dir: Path) -> str:
    """The metric that the figure of a run is of."""
    rows = [row for row in read_metrics(run_dir)[0] if row["kind"] == "epoch"]
    return next(name for name in FIGURES if name in rows[0])


def _in_metric(points: float, metric: str) -> float:
    return round((100 - points if metric == "val_ler" else points) / 100, 4)


def references(done: Mapping[str, Result]) -> dict[str, dict[str, Any]]:
    """What the templates reached, as verdicts read it: in the metric itself, not in points."""
    found: dict[str, dict[str, Any]] = {}
    for source, template in TEMPLATES.items():
        row = done[f"{source} | template"]
        value, least = (_in_metric(points, row["metric"])
                        for points in (row["figure"], min(row["each"])))  # fmt: skip
        found[source] = {"template": template, "metric": row["metric"], "value": value,
                         "least": least, "steps": row["steps"]}  # fmt: skip
    return found


def settings_of(project: Project) -> dict[str, Any]:
    """Training settings as they stand in a results file."""
    return json.loads(json.dumps(dict(project.training), default=dict))


def figure(run_dir: Path) -> float:
    """Points of the best epoch."""
    rows = [row for row in read_metrics(run_dir)[0] if row["kind"] == "epoch"]
    best = json.loads((run_dir / "final.json").read_text())["best"]
    name = metric_of(run_dir)
    epochs = [epoch for row in rows for epoch in row["epoch"]]
    values = [value for row in rows for value in row[name]]
    points = FIGURES[name] * values[epochs.index(best["epoch"])]
    return points + 100.0 if points < 0 and name == "val_ler" else points


def verdict_fields(run_dir: Path) -> dict[str, str]:
    """The verdict of a run with its reason, and the template that it says reaches more."""
    verdict = verdict_of(run_dir)
    return {"verdict": f"{verdict.title}: {verdict.reason}", "held_to": verdict.template}


def rows(
    sets: Sequence[str], shapes: Sequence[str], results: Path, seeds: Sequence[int]
) -> dict[str, Result]:
    """Train what is not in the results yet, and write each at once."""
    done: dict[str, Result] = json.loads(results.read_text()) if results.exists() else {}
    for source in sets:
        for shape in shapes:
            key = f"{source} | {shape}"
            given = load_template(TEMPLATES[source]) if shape == "template" else None
            project = given or first_press(source, shape)
            if project is None or settings_of(project) == done.get(key, {}).get("training"):
                continue
            done[key] = trained(project, seeds if source in COLUMNS else seeds[:1])
            results.write_text(json.dumps(done, indent=1))
            print(f"{key:40} {done[key]['figure']:6.1f}  {done[key]['seconds']:5.1f} s", flush=True)
    return done


def main(words: Sequence[str] | None = None) -> None:
    """Train what is asked for and write the table of all that was."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--sets", nargs="*", default=list(TEMPLATES), choices=list(TEMPLATES))
    parser.add_argument("--shapes", nargs="*", default=list(SHAPES), choices=list(SHAPES))
    parser.add_argument("--seeds", nargs="*", type=int, default=[0, 1, 2])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--references", type=Path, default=RECORDED)
    parser.add_argument("--templates", action="store_true", help="the templates alone, no table")
    given = parser.parse_args(words)
    with own_home():
        _measure(given, [] if given.templates else given.shapes)


def _measure(given: argparse.Namespace, shapes: Sequence[str]) -> None:
    done = rows(given.sets, ["template"], given.results, given.seeds)
    if {f"{source} | template" for source in TEMPLATES} <= done.keys():
        given.references.write_text(json.dumps(references(done), indent=1) + "\n", "utf-8")
        recorded.cache_clear()
        measured_on.cache_clear()
    done = rows(given.sets, shapes, given.results, given.seeds)
    if shapes:
        given.out.write_text(table(done), encoding="utf-8")


def table(done: Mapping[str, Result]) -> str:
    """The results as Markdown: a row for each combination, and how many reach their template."""
    lines, reached, explained, count = list[str](), 0, 0, 0
    for source, shape in ((source, shape) for source in TEMPLATES for shape in _SHAPES):
        row = done.get(f"{source} | {shape}")
        if row is None:
            continue
        aim = done[f"{source} | template"]["figure"]
        if shape == "template":
            lines.append(f"| **{source}** | *{TEMPLATES[source]}* | {aim:.1f} | | | "
                         f"{row['seconds']:.1f} | {_settings(row)} | |")  # fmt: skip
            continue
        good = row["figure"] >= aim - WITHIN
        count, reached = count + 1, reached + good
        explained += not good and bool(row["held_to"])
        lines.append(_line(source, shape, row, aim, good))
    head = HEAD.format(reached=reached, count=count, explained=explained, day=date.today())
    return head + "\n".join(lines) + "\n"


def _line(source: str, shape: str, row: Result, aim: float, good: bool) -> str:
    settings = _settings(row) + _earlier(source, shape, row)
    return (
        f"| {source} | {shape} | {row['figure']:.1f} | {row['figure'] - aim:+.1f} | "
        f"{'yes' if good else 'no'} | {row['seconds']:.1f} | {settings} | "
        f"{'' if good else row['verdict']} |"
    )


def _earlier(source: str, shape: str, row: Result) -> str:
    """A mark on a row that was trained before the rules changed what is suggested for it."""
    project = first_press(source, shape)
    return "" if project and settings_of(project) == row["training"] else " (earlier rules)"


def _settings(row: Result) -> str:
    training = row["training"]
    schedule = (training.get("scheduler") or {}).get("name", "constant")
    return (
        f"{training.get('epochs', 10)} x {training.get('batch_size', 64)}, "
        f"{training.get('lr', 0.001):g} {schedule}"
    )


_SHAPES = ("template", *SHAPES)
HEAD = """# First networks at the first press of Train

`python -m tests.bench.first_networks`, {day}, one thread. Each is drawn in an empty project, its
data is chosen, and Train is pressed on Build. Points: per cent of right answers (of
rows of digits: 100 less the label error rate; of diabetes and waves: 100 R²), of the best epoch; of
tables the mean of three seeds. Reached: within 3 points of the template of the data set, or above
it. Settings: epochs x batch, the highest learning rate and its schedule; earlier rules: what was
suggested when this row was trained, and is not any more. Verdict: what the run itself says, of
three seeds that of the least. The machine was busy with other work.

**{reached} of {count} reach their template; {explained} more say in their verdict what the template
reaches, and what it has that they have not.**

| data | network | points | difference | reached | seconds | settings | verdict |
|---|---|---|---|---|---|---|---|
"""


if __name__ == "__main__":
    main()
