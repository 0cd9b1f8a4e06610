"""Badly set-up runs: `python -m tests.bench.verdicts [CASES]`.

Each is trained, its verdict held against what is known to be wrong with it, and every remedy it
offers trained as well. A remedy helps where the run ends at least a twentieth of the way from the
simple rule to perfect further up. The table goes to tests/bench/verdicts.md.
"""
# ruff: noqa: T201

import os
import sys
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import median

import torch

from core.analyse import analyse_project
from core.prepare.create import prepare
from core.project import Project
from core.runs.verdict import Verdict, judge
from core.runs.verdict_facts import Facts, read_facts
from core.settings.override import put
from core.worker.main import main as train
from tests.bench.verdict_cases import CASES, Case, write_shuffled
from tests.bench.verdict_more_cases import SEEN, write_tables

FIGURES = Path(__file__).with_name("verdicts.md")
HELPS, WORSE = 0.05, 0.01  # of skill
LAST = 3  # epochs whose median says where a run ended


@dataclass(frozen=True)
class Row:
    """A case, its verdict, and for each remedy what its run ended with: metric, skill gained."""

    case: Case
    verdict: Verdict
    metric: str
    rule: float
    ended: float
    remedied: tuple[tuple[str, float, float], ...]

    @property
    def right(self) -> bool:
        return self.verdict.kind in self.case.right

    @property
    def first_helps(self) -> bool:
        return bool(self.remedied) and self.remedied[0][2] >= HELPS


def ran(project: Project, runs: Path) -> Facts:
    """Train a project in this process; what its verdict is reached from."""
    folder = prepare(project, analyse_project(project), runs)
    train(folder)
    return read_facts(folder)


def ended(facts: Facts) -> float:
    """The metric that a run ended with, of its last epochs the median."""
    if facts.broken or not facts.count:
        return float("inf") if facts.less else float("-inf")
    return median(facts.column(facts.metric)[-LAST:])


def measured(case: Case, runs: Path) -> Row:
    """Train a case as it is, and with each remedy."""
    facts = ran(case.project, runs)
    verdict, before = judge(facts), ended(facts)
    remedied: list[tuple[str, float, float]] = []
    for remedy in verdict.remedies:
        after = ended(ran(put(case.project, dict(remedy.changes)), runs))
        remedied.append((remedy.title, after, facts.skill(after) - facts.skill(before)))
    return Row(case, verdict, facts.metric, facts.rule, before, tuple(remedied))


def table(rows: Sequence[Row]) -> str:
    """The figures as Markdown."""
    right, first = sum(row.right for row in rows), sum(row.first_helps for row in rows)
    offered = sum(len(row.remedied) for row in rows)
    helped = sum(gained >= HELPS for row in rows for *_, gained in row.remedied)
    worse = sum(gained < -WORSE for row in rows for *_, gained in row.remedied)
    head = (
        f"# Verdicts on badly set-up runs\n\n`python -m tests.bench.verdicts`, {date.today()}, "
        f"torch {torch.__version__}, one thread. The right verdict for **{right} of {len(rows)}**; "
        f"the first remedy helps in **{first}**; of {offered} remedies offered {helped} help, "
        f"{worse} make it worse by more than a point. A "
        "run ended with the median of its last three epochs; a remedy helps where that moves a "
        "twentieth of the way from the simple rule to perfect.\n\n"
        "| set up badly | verdict | right | metric | rule | ended with | remedies and what they "
        "ended with |\n|---|---|---|---|---|---|---|\n"
    )
    return head + "".join(map(line, rows))


def effect(gained: float) -> str:
    """What is added to a remedy that does not help."""
    if gained < -WORSE:
        return " (**worse**)"
    return "" if gained >= HELPS else " (no help)"


def line(row: Row) -> str:
    """A row of the table."""
    tried = "; ".join(
        f"{title}: {after:.3g}{effect(gained)}" for title, after, gained in row.remedied
    )
    cells = (row.case.name, row.verdict.title, "yes" if row.right else "**no**", row.metric,
             f"{row.rule:.3g}", f"{row.ended:.3g}", tried or "none")  # fmt: skip
    return f"| {' | '.join(cells)} |\n"


def main(only: Sequence[str] = (), out: Path | None = FIGURES) -> list[Row]:
    """Measure all cases, or those whose names are given, and write the table."""
    warnings.filterwarnings("ignore")
    chosen = [case for case in (*CASES, *SEEN) if not only or case.name in only]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LAYERLOOM_WORKSPACE"] = folder
        write_shuffled(Path(folder))
        write_tables(Path(folder))
        rows: list[Row] = []
        for case in chosen:
            rows.append(measured(case, Path(folder, "runs")))
            print(line(rows[-1]), end="", flush=True)
    if out is not None:
        out.write_text(table(rows), "utf-8")
    return rows


if __name__ == "__main__":
    main(sys.argv[1:], None if sys.argv[1:] else FIGURES)
