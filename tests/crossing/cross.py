"""The tables of `make crossing`: `python -m tests.crossing.cross [TABLE] [PROJECT...]`.

doors: one network and one set of samples have one answer at every door, or a sentence says why not.
settings: so has each schedule, optimiser, sampler and loss, where something trains again.
defaults: what starts something ends well on every project, or one sentence refuses.

Rows are kept in crossing.json, so that a table can be crossed a few projects at a time.
"""
# ruff: noqa: T201

import argparse
import json
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from core.analyse import analyse_project
from core.common.errors import LayerloomError, RunError
from core.prepare.create import prepare
from core.project import Project
from tests.core.small_runs import train_here
from tests.crossing.defaults import COMMANDS
from tests.crossing.doors import DOORS, Door
from tests.crossing.own_project import trusted
from tests.crossing.projects import PROJECTS
from tests.crossing.settings import SETTINGS, SETTINGS_DOORS
from tests.crossing.trained_run import Metric, Outputs, Refused, Stated, TrainedRun

WORDS = ("equal", "ended", "stated", "refused", "different", "crashed")
FAULTS = WORDS[-2:]
NOT_YET = ["-", ""]
OUT = Path(__file__).parents[1] / "bench/crossing.md"
KEPT = OUT.with_suffix(".json")
Rows = dict[str, dict[str, dict[str, list[str]]]]
"""By table, project and column: the word, and why."""
BEFORE = """\
First crossed in the morning of 29 November, before mending: 20 projects by 14 doors, \
262 equal, 12 refused, 3 different (a network that draws random numbers: script, ONNX, server), 3 \
crashed (the table asked for more samples than there were). Of the further projects and doors, on \
the state of 29 November, before mending: the plain script of a standardised folder of pictures \
ended with a NameError, and two processes differed from one without a sentence where a network \
draws random numbers, and where sums that are rounded in other places decide a step of Adam. Of \
the settings: the script for several processes, started as one, differed from the run with each \
of 8 optimisers on a network with dropout, because it drew the numbers of several.

stated: a sentence says beforehand what differs and why. refused: a sentence instead of an answer. \
-: not crossed yet.
"""


@dataclass(frozen=True)
class Crossed:
    """word: equal, stated, refused, different or crashed; why: of all but the first.

    stated: a sentence says before it starts what differs.
    """

    word: str
    why: str = ""


def trained(
    name: str, workspace: Path, projects: Mapping[str, Callable[[Path], Project]] = PROJECTS
) -> TrainedRun:
    """A project, trained in this process. Raises LayerloomError where it cannot be."""
    made = projects[name](workspace)
    run_dir = prepare(made, analyse_project(made), workspace / "runs")
    view = train_here(run_dir)
    if view.state != "finished":
        raise RunError(run_dir.name, view.message or view.state, view.hint)
    return TrainedRun(made, run_dir, workspace)


def crossed(run: TrainedRun, door: Door) -> Crossed:
    """Whether a door gives the answers of the run."""
    try:
        found = door.answers(run)
        expected = door.expected(run)
    except Stated as stated:
        return Crossed("stated", str(stated))
    except (Refused, LayerloomError) as error:
        return Crossed("refused", str(error))
    except Exception as error:
        traceback.print_exc()
        return Crossed("crashed", f"{type(error).__name__}: {error}".splitlines()[0])
    apart = _apart(expected, found.outputs, door.tolerance)
    if found.metric is not None and not apart:
        apart = _off(run, found.metric, door.tolerance)
    return Crossed("different", apart) if apart else Crossed("equal")


def _apart(expected: Outputs, found: Outputs, tolerance: float) -> str:
    """How outputs differ; "" where they are equal."""
    shapes = [[tuple(t.shape) for t in each] for each in (expected, found)]
    if shapes[0] != shapes[1]:
        return f"shapes {shapes[1]} where the run has {shapes[0]}"
    pairs = zip(expected, found, strict=True)
    for mine, theirs in ((a, b) for a, b in pairs if a.numel()):
        far = (mine.double() - theirs.double()).abs().nan_to_num().max().item()
        largest = max(mine.double().abs().nan_to_num().max().item(), 1.0)
        if far > tolerance * largest or not torch.equal(mine.isnan(), theirs.isnan()):
            return f"by {far:.2g}"
    return ""


def _off(run: TrainedRun, metric: Metric, tolerance: float) -> str:
    """How the metric differs; "" where it is equal."""
    if abs(metric.value - run.best) <= metric.off + tolerance * max(abs(run.best), 1.0):
        return ""
    return f"{run.best_metric} {metric.value:.6g} where the run has {run.best:.6g}"


def started(run: TrainedRun, start: Callable[[TrainedRun], None]) -> Crossed:
    """Whether what starts something ends well."""
    try:
        start(run)
    except (Refused, LayerloomError) as error:
        return Crossed("refused", str(error))
    except Exception as error:
        traceback.print_exc()
        return Crossed("crashed", f"{type(error).__name__}: {error}".splitlines()[0])
    return Crossed("ended")


@dataclass(frozen=True)
class Table:
    """title: what rows and columns are. cross: a run with a column."""

    title: str
    projects: Mapping[str, Callable[[Path], Project]]
    columns: Sequence[str]
    cross: Callable[[TrainedRun, str], Crossed]


TABLES: Mapping[str, Table] = {
    "doors": Table(
        "Projects × doors", PROJECTS, tuple(DOORS), lambda run, name: crossed(run, DOORS[name])
    ),
    "settings": Table(
        "Settings × what trains again",
        SETTINGS,
        SETTINGS_DOORS,
        lambda run, name: crossed(run, DOORS[name]),
    ),
    "defaults": Table(
        "Projects × what starts something, with its defaults",
        PROJECTS,
        tuple(COMMANDS),
        lambda run, name: started(run, COMMANDS[name]),
    ),
}


def row(table: Table, name: str, columns: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """A project at columns of a table, each as it is crossed."""
    with trusted() as workspace:
        try:
            run = trained(name, workspace, table.projects)
        except LayerloomError as error:
            yield from ((column, ["refused", str(error)]) for column in columns)
            return
        for column in columns:
            one = table.cross(run, column)
            print(f"  {column}: {one.word} {one.why}", flush=True)
            yield column, [one.word, one.why]


def text_of(rows: Rows) -> str:
    """The tables as Markdown, and why each cell is what it is."""
    parts = [f"# Crossed\n\n`make crossing`. {BEFORE}"]
    for key, found in rows.items():
        table = TABLES[key]
        columns = [name for name in table.columns if any(name in each for each in found.values())]
        words = [cell[0] for each in found.values() for cell in each.values()]
        counts = ", ".join(f"{words.count(w)} {w}" for w in WORDS if w in words or w in FAULTS)
        head = f"| | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}\n"
        lines = "".join(
            f"| {name} | {' | '.join(each.get(column, NOT_YET)[0] for column in columns)} |\n"
            for name, each in found.items()
        )
        title = f"## {table.title}: {len(found)} × {len(columns)}\n\n{counts}.\n\n"
        parts.append(f"{title}{head}{lines}\n{''.join(_reasons(found, columns))}")
    return "\n".join(parts)


def _reasons(found: Mapping[str, Mapping[str, list[str]]], columns: Iterable[str]) -> list[str]:
    """Each sentence once, with the column and the projects it was said of."""
    said = dict[tuple[str, str, str], list[str]]()
    for column in columns:
        for name, each in found.items():
            word, why = each.get(column, NOT_YET)
            if why:
                said.setdefault((column, word, why), []).append(name)
    return [
        f"- {c}, {word} ({'; '.join(names)}): {why}\n" for (c, word, why), names in said.items()
    ]


def kept() -> Rows:
    """The rows so far."""
    return json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}


def keep(key: str, name: str, found: Mapping[str, list[str]]) -> None:
    """Add cells of a project, beside what others may have crossed meanwhile."""
    rows, table = kept(), TABLES[key]
    cells = rows.setdefault(key, {})
    known = {**cells.get(name, {}), **found}
    cells[name] = {column: known[column] for column in table.columns if column in known}
    rows[key] = {each: cells[each] for each in table.projects if each in cells}
    rows = {each: rows[each] for each in TABLES if each in rows}
    KEPT.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", "utf-8")
    OUT.write_text(text_of(rows), "utf-8")


def cross(key: str, names: Sequence[str], columns: Sequence[str]) -> None:
    """Cross some projects with some columns, each cell kept as it is done."""
    for name in names:
        print(name, flush=True)
        for column, cell in row(TABLES[key], name, columns):
            keep(key, name, {column: cell})


def main(words: Sequence[str] | None = None) -> int:
    """Cross and write; 1 where a cell differs or crashes."""
    asked = argparse.ArgumentParser(prog="python -m tests.crossing.cross", description=__doc__)
    asked.add_argument("names", nargs="*", help="a table and projects; none: all")
    asked.add_argument("--only", action="append", help="a column")
    asked.add_argument("--but", action="append", default=[], help="a column to leave out")
    given = asked.parse_args(words)
    names = list(given.names)
    keys = [names.pop(0)] if names and names[0] in TABLES else ["doors"] if names else [*TABLES]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for variable in ("TMPDIR", "TORCHINDUCTOR_CACHE_DIR", "LAYERLOOM_HOME"):
            patch.setenv(variable, folder)
        for key in keys:
            columns = [c for c in given.only or TABLES[key].columns if c not in given.but]
            cross(key, names or list(TABLES[key].projects), columns)
    print(text_of(kept()))
    return int(_faulty(kept()))


def _faulty(rows: Rows) -> bool:
    cells: list[Any] = [cell for t in rows.values() for r in t.values() for cell in r.values()]
    return any(word in FAULTS for word, _ in cells)


if __name__ == "__main__":
    sys.exit(main())
