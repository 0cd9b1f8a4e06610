"""Train templates with `compile_step` auto and off: `python -m tests.bench.auto_templates [NAMES]`.

Five seeds, both at the same time, as runs in processes of their own with a thread each, so that
what else the machine does slows both, or `--one-by-one`; with so many epochs that one trains for
about `--seconds` (5; a run of less than 45 s never changes over). The time of a run with auto is to
be no more than 1.02 of that without, and its best metric the same within the spread of the
seeds. Names choose templates; without any, all are trained, in about an hour. Runs are kept in the
results file as soon as they are there, so that an interrupted bench goes on where it was.
"""
# ruff: noqa: T201

import argparse
import datetime
import json
import os
import platform
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch

from core.analyse import analyse_project
from core.engine.compile_cache import VARIABLE
from core.prepare.create import prepare
from core.project import Project
from core.worker.launch import start
from tests.core.small_runs import ended, until
from tests.gpu.engines import TEMPLATES, template

SEEDS = 5
LONGEST_S = 3600.0  # of a run
HOW = ("auto", "off")
BAR = 1.02  # of a run with auto, in times of the same run without
OUT = Path(__file__).with_suffix(".md")
TRIED = 2  # epochs that say how long one takes
Runs = dict[str, list[dict[str, Any]]]
"""Runs of each way, in the order of their seeds."""


def trained(project: Project, folder: Path, **settings: Any) -> dict[str, Any]:
    """Train a project with other settings; {"seconds", "metric", "value", "compiled"}."""
    return result(project.name, begun(project, folder, **settings))


def begun(project: Project, folder: Path, **settings: Any) -> Path:
    """Begin to train a project with other settings; the folder of the run."""
    run_dir = prepare(project, analyse_project(project), folder, settings)
    start(run_dir)
    return run_dir


def result(name: str, run_dir: Path) -> dict[str, Any]:
    """What a run came to, once it has ended."""
    view = until(run_dir, ended, LONGEST_S)
    if view.state != "finished" or view.best is None:
        raise SystemExit(f"{name}: {view.state}. {view.message}")
    best = {"metric": view.best["metric"], "value": view.best["value"]}
    return {"seconds": view.elapsed_s, **best, "compiled": view.compiled}


def epochs_of(name: str, seconds: float) -> int:
    """How many epochs of a template train for about so long, by what shorter runs take."""
    epochs, took = TRIED, 0.0
    while took < seconds / 4:  # the first epoch is the slowest, so a short run tells too much
        epochs = epochs * 4 if took else epochs
        with tempfile.TemporaryDirectory() as folder:
            run = trained(
                template(name), Path(folder), epochs=epochs, compile_step="off", patience=None
            )
        took = max(run["seconds"], 1e-3)
    return max(TRIED, round(epochs * seconds / took))


def pairs(
    name: str, runs: Runs, seeds: int, one_by_one: bool = False, **settings: Any
) -> Iterator[Runs]:
    """Train the pairs of runs that are missing, seed by seed; all that are there, after each.

    Which of both begins first changes with the seed. Each has a queue of its own, as they would
    wait for each other in one, and each pair a cache of its own, so that it compiles anew.
    """
    for seed in range(len(runs["off"]), seeds):
        order = HOW if seed % 2 else tuple(reversed(HOW))
        with tempfile.TemporaryDirectory() as folder:
            started, found = dict[str, Path](), dict[str, Any]()
            for how in order:
                more = {**settings, "seed": seed, "threads": 1, "compile_step": how}
                home = {"LAYERLOOM_HOME": f"{folder}/home-{how}", VARIABLE: f"{folder}/cache"}
                with patch.dict(os.environ, home):
                    started[how] = begun(template(name), Path(folder, how), **more)
                if one_by_one:
                    found[how] = result(name, started[how])
            found |= {how: result(name, started[how]) for how in HOW if how not in found}
        runs = {how: [*runs[how], found[how]] for how in HOW}
        yield runs


def row(name: str, epochs: int, found: Runs) -> str:
    """A line of the table: time with auto in times of that without, metrics, changes."""
    ratios = [a["seconds"] / b["seconds"] for a, b in zip(found["auto"], found["off"], strict=True)]
    ratio = statistics.median(ratios)
    bar = "" if ratio <= BAR else f", MISSES its bar {BAR:.2f}"
    changed = [run["compiled"]["from_step"] for run in found["auto"] if run["compiled"]]
    seconds = statistics.median(run["seconds"] for run in found["off"])
    ratio_cell = f"{ratio:.3f} ({min(ratios):.2f} to {max(ratios):.2f}){bar}"
    cells = [name, str(epochs), f"{seconds:.1f}", ratio_cell]
    cells += [found["off"][0]["metric"], *(spread(found[how]) for how in HOW)]
    cells += [f"{len(changed)} of {len(ratios)}", "yes" if alike(found) else "no"]
    return f"| {' | '.join(cells)} |"


def spread(runs: Sequence[Mapping[str, Any]]) -> str:
    """Mean and standard deviation of the best metric."""
    values = [run["value"] for run in runs]
    return f"{statistics.mean(values):.4g} ± {statistics.stdev(values) if values[1:] else 0:.2g}"


def alike(found: Runs) -> bool:
    """Whether both means are within two standard errors of their difference, over the seeds."""
    values = [[run["value"] for run in found[how]] for how in HOW]
    apart = abs(statistics.mean(values[0]) - statistics.mean(values[1]))
    spreads = [statistics.variance(each) / len(each) if each[1:] else 0.0 for each in values]
    return apart <= 2 * sum(spreads) ** 0.5 + 1e-9


HEAD = (
    "| template | epochs | off, s | auto | metric | auto | off | changed over | same within noise |"
    f"\n{'|---' * 9}|"
)


def table(seconds: float, rows: Mapping[str, dict[str, Any]], one_by_one: bool = False) -> str:
    """The text of auto_templates.md."""
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    side = "one after the other" if one_by_one else "two at a time"
    lines = [row(name, found["epochs"], found) for name, found in sorted(rows.items())]
    return (
        f"# Templates, compile_step auto and off\n\nWritten on {day} by "
        "`python -m tests.bench.auto_templates`, which says how each is measured, with torch\n"
        f"{torch.__version__} and Python {platform.python_version()} on {os.cpu_count()} "
        f"processors: runs of about {seconds:g} s, {side}. The ratio\nis the median of the seeds, "
        "in brackets its spread; the metric is the best of a run, mean and standard deviation\n"
        "over the seeds. A run changes over to compiled steps only where what is left is long "
        f"enough for that to pay.\n{overall(rows)}\n\n" + "\n".join([HEAD, *lines]) + "\n"
    )


def overall(rows: Mapping[str, dict[str, Any]]) -> str:
    """A sentence about the pairs of all templates together."""
    each = [
        a["seconds"] / b["seconds"]
        for found in rows.values()
        for a, b in zip(found["auto"], found["off"], strict=True)
    ]
    return f"Median of all {len(each)} pairs: {statistics.median(each):.3f}."


def kept_in(file: Path, seconds: float) -> dict[str, dict[str, Any]]:
    """The rows of a results file; {} without one. Exits where its runs are of another length."""
    kept = json.loads(file.read_text()) if file.exists() else {"seconds": seconds, "rows": {}}
    if kept["seconds"] != seconds:
        raise SystemExit(f"{file} holds runs of {kept['seconds']:g} s: choose other --results.")
    return kept["rows"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Train what is missing, print rows as they come, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--seconds", type=float, default=5.0, help="of a run, about")
    parser.add_argument("--one-by-one", action="store_true", help="with a processor to compile on")
    parser.add_argument("--results", type=Path, default=Path("auto_templates.json"))
    parser.add_argument("--out", type=Path, help=f"write the table there, such as {OUT.name}")
    args = parser.parse_args(arguments)
    every = sorted(path.name.removesuffix(".loom.json") for path in TEMPLATES.glob("*.loom.json"))
    rows = kept_in(args.results, args.seconds)
    print(HEAD, flush=True)
    for name in args.names or every:
        found = rows.get(name) or {"epochs": epochs_of(name, args.seconds), "auto": [], "off": []}
        given = {"epochs": found["epochs"], "patience": None, "one_by_one": args.one_by_one}
        for runs in pairs(name, {how: found[how] for how in HOW}, args.seeds, **given):
            rows[name] = {"epochs": found["epochs"], **runs}
            kept = {"seconds": args.seconds, "rows": rows}
            args.results.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        print(row(name, found["epochs"], rows[name]), flush=True)
    if args.out:
        args.out.write_text(table(args.seconds, rows, args.one_by_one), encoding="utf-8")


if __name__ == "__main__":
    main()
