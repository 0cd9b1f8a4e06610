"""What other tools name of the same planted faults, and how many sound sets they doubt.

A fault counts as named where an issue that means its kind (`MEANS`) has the right columns, or rows:
all of the planted ones, and as many wrong ones at most. An issue without columns (Datalab has none)
names a fault of whole rows or of the data set alone. A sound set is doubted where a tool has an
issue of any kind that is about a fault (`MEANS` again); what it says besides is listed.
"""

import json
import subprocess
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.wings.findings.planted import MAKERS, Planted, write
from tests.wings.findings.sound import tables

AUDIT = Path(__file__).with_name("audit_table.py")
LONGEST_S = 3600
MEANS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "datalab": {
        "copies": ("near_duplicate",),
        "near_copies": ("near_duplicate",),
        "group": ("non_iid",),
        "time": ("non_iid",),
        "row_number": ("non_iid",),
        "outlier": ("outlier",),
        "sentinel": ("outlier",),
        "rare_class": ("class_imbalance",),
    },
    "deepchecks": {
        "leak": ("FeatureLabelCorrelation",),
        "one_hot": ("FeatureLabelCorrelation",),
        "formula": ("FeatureLabelCorrelation",),
        "row_number": ("FeatureLabelCorrelation", "IdentifierLabelCorrelation"),
        "copies": ("DataDuplicates", "TrainTestSamplesMix"),
        "near_copies": ("DataDuplicates", "TrainTestSamplesMix"),
        "group": ("IndexTrainTestLeakage",),
        "time": ("DateTrainTestLeakageOverlap",),
        "outlier": ("OutlierSampleDetection",),
        "sentinel": ("OutlierSampleDetection",),
        "words": ("MixedDataTypes",),
        "spelling": ("StringMismatch",),
    },
}
"""Which issues of a tool, in its own words, mean a kind of fault; it has none for other kinds."""
SEED = 7
BY_ROWS = ("copies", "near_copies", "time", "row_number", "group")
"""Kinds that a tool may name by their rows, or of the data set, without a column."""


def others(folder: Path, kinds: str, pythons: Sequence[str]) -> list[str]:
    """A row for each kind of fault, a column for each tool. pythons: interpreters to look in."""
    faults = {kind: MAKERS[kind](np.random.default_rng(SEED)) for kind in MAKERS if kinds in kind}
    planted = [each for cases in faults.values() for each in cases]
    sound = [(name, table) for name, table in tables()]
    jobs = [_job(folder, i, each.table, each.target) for i, each in enumerate(planted)]
    jobs += [
        _job(folder, len(planted) + i, table, [*table][-1]) for i, (_, table) in enumerate(sound)
    ]
    (folder / "jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
    each = {tool: _run(tool, pythons, folder / "jobs.json") for tool in MEANS}
    here = {tool: answers for tool, (answers, _) in each.items() if answers}
    lines = [f"| planted | tables | {' | '.join(here)} |", f"|---|---|{'---|' * len(here)}"]
    start = 0
    for kind, cases in faults.items():
        cells = [str(_named(tool, here[tool][start:], cases)) for tool in here]
        lines.append(f"| {kind} | {len(cases)} | {' | '.join(cells)} |")
        start += len(cases)
    return [*lines, "", *(line for tool in each for line in _told(tool, each[tool], len(planted)))]


def _job(folder: Path, number: int, table: Mapping[str, list[Any]], target: str) -> dict[str, Any]:
    file = folder / f"table{number}.csv"
    write(dict(table), file)
    words = any(isinstance(cell, str) for cell in table[target])
    classes = words or len({*table[target]}) == 2
    return {"file": str(file), "target": target, "classes": classes}


def _run(tool: str, pythons: Sequence[str], jobs: Path) -> tuple[list[dict[str, Any]], float]:
    """What a tool says of all tables, and how many seconds it takes; [] where no interpreter has
    it."""
    for python in pythons:
        started = time.monotonic()
        command = [python, str(AUDIT), tool, str(jobs)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=LONGEST_S
        )
        if done.returncode == 0:
            return json.loads(done.stdout), time.monotonic() - started
        if done.returncode != 3:
            raise RuntimeError(f"{tool} in {python}: {done.stderr[-500:]}")
    return [], 0.0


def _named(tool: str, answers: Sequence[Mapping[str, Any]], cases: Sequence[Planted]) -> int:
    pairs = zip(answers, cases, strict=False)
    return sum(
        any(names(tool, issue, planted) for issue in answer["issues"]) for answer, planted in pairs
    )


def names(tool: str, issue: Mapping[str, Any], planted: Planted) -> bool:
    """Whether an issue of a tool names a planted fault."""
    if issue["kind"] not in MEANS[tool].get(planted.kind, ()):
        return False
    rows, wanted = {*issue["rows"]}, {*planted.rows}
    if wanted:
        return wanted <= rows and len(rows) <= 2 * len(wanted)
    return {*issue["columns"]} >= {*planted.columns} or planted.kind in BY_ROWS


def _told(tool: str, told: tuple[list[dict[str, Any]], float], planted: int) -> list[str]:
    answers, taken = told
    if not answers:
        return [f"{tool}: no interpreter has it."]
    known = {kind for kinds in MEANS[tool].values() for kind in kinds}
    sound = answers[planted:]
    kinds = Counter(kind for answer in sound for kind in {i["kind"] for i in answer["issues"]})
    doubted = sum(any(issue["kind"] in known for issue in a["issues"]) for a in sound)
    failed = Counter(answer["error"] for answer in answers if answer["error"])
    said = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    broken = "; ".join(f"{count} times {error}" for error, count in failed.most_common(3))
    return [
        f"- {tool}: of {len(sound)} sound sets {doubted} are doubted ({said or 'nothing said'}). "
        f"{taken / len(answers):.1f} seconds a table."
        + (f" It failed on {failed.total()}: {broken}." if failed else "")
    ]
