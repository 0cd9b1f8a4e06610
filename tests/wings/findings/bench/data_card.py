"""What the data card names of planted faults, what it says of sound data, what its mends are worth.

    python -m tests.wings.findings.bench.data_card [--part faults labels] [--kinds copies]
    python -m tests.wings.findings.bench.data_card --part others --python VENV/bin/python...

A planted fault counts as named where a finding of its kind has the right columns, and the right
rows where the fault is in cells. A sound set is calm where the card says nothing of it. For each
planted leak the network of "Make a network for this data" is trained with its suggested settings,
before and after the offered mend, and judged on its validation part and on rows it has never seen:
new rows of the same kind, in which nobody knows the leaking column yet (its cells are shuffled),
new patients, rows without copies, later rows. Accuracy, or 100 R² of numbers, in percent.
The part `others` runs other tools on the same tables, each in the first of the interpreters of
--python that has it (cleanlab[datalab]; deepchecks, which needs numpy<2, pandas<2.3,
scikit-learn<1.5 and category-encoders<2.7); its table is kept in other_tools.md.
"""
# ruff: noqa: T201

import argparse
import csv
import io
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from app.process import pool
from app.services.data_guess import guess_and_read, read_as, with_target
from core.data.facts.metadata import read_own
from core.data.sources.label_settings import targets_of
from core.engine.load_module import load_module
from core.export.subject import subject_of
from core.insight.one_sample.custom_input import own_inputs
from core.tasks.metrics import as_tuple
from core.wings.findings.card import DataCard, data_card
from core.wings.findings.finding import DataFinding
from tests.bench.first_networks import figure
from tests.wings.findings.bench.noisy_labels import noisy_labels, trained
from tests.wings.findings.bench.other_tools import others
from tests.wings.findings.planted import MAKERS, Planted, Rows, ordered, write
from tests.wings.findings.planted_series import MAKERS as IN_TIME
from tests.wings.findings.planted_series import InTime
from tests.wings.findings.sound import embedded, tables
from tests.wings.findings.texts import sound_texts_and_series

FIGURES = Path(__file__).with_name("data_card.md")
SEED, NEW_SEED = 7, 8  # of the planted tables, and of the rows that no network has seen
LEAKS = (
    "the class in other words", "one-hot siblings", "the number in another unit", "a calculation",
    "row numbers, sorted by class", "rows of one patient on both sides", "copies", "near copies",
    "time, split at random",
)  # fmt: skip
FEW_GROUPS = (
    "A split by group validates on 5 to 12 groups here, whose outcomes are drawn at random: the "
    "best epoch among so few is well above what new groups get, as the ± beside such a result says."
)
LATER = 1 / 6  # of a series: its last rows, which only the last column of the table sees


@contextmanager
def workspace() -> Iterator[Path]:
    """An empty folder that tables are read from."""
    names = ("LAYERLOOM_WORKSPACE", "LAYERLOOM_HOME")
    before = {name: os.environ.get(name) for name in names}
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= dict.fromkeys(names, folder)
        try:
            yield Path(folder)
        finally:
            pool.close()
            for name, value in before.items():
                os.environ.pop(name, None)
                os.environ |= {} if value is None else {name: value}


def dropped(table: Rows, folder: Path) -> dict[str, Any]:
    """The data settings that are suggested for a table when it is dropped."""
    write(table, folder / "table.csv")
    data, _, error = guess_and_read({"source": "CSV", "file": "table.csv"})
    assert error == "", error
    return data


def read(table: Rows, folder: Path, target: str = "") -> dict[str, Any]:
    """The same, of a series as a table of samples."""
    data = dropped(table, folder)
    if data["source"] == "SeriesCSV":
        data = read_as(data, "CSV")
    if target and targets_of(data, [*table]) != (target,):
        data = with_target(data, target)
    read_own(data)
    return data


def named(card: DataCard, planted: Planted) -> DataFinding | None:
    """The finding that names a planted fault."""
    for found in card.findings:
        rows = not planted.rows or found.rows == planted.rows
        if found.kind == planted.kind and {*found.columns} >= {*planted.columns} and rows:
            return found
    return None


def faults(folder: Path, kinds: str) -> list[str]:
    """A row for each kind of fault."""
    lines = [
        "| planted | tables | named | also said | seconds of a card |",
        "|---|---|---|---|---|",
    ]
    total = hits = 0
    for kind in (kind for kind in MAKERS if kinds in kind):
        cases, found, others = MAKERS[kind](np.random.default_rng(SEED)), list[str](), set[str]()
        started = time.monotonic()
        for planted in cases:
            card = data_card(read(planted.table, folder, planted.target))
            found += [planted.name] if named(card, planted) else []
            others |= {f.kind for f in card.findings if f.kind != planted.kind}
        taken = (time.monotonic() - started) / len(cases)
        missed = [p.name for p in cases if p.name not in found]
        said = f"{len(found)}" + (f", not {', '.join(missed)}" if missed else "")
        total, hits = total + len(cases), hits + len(found)
        lines.append(
            f"| {kind} | {len(cases)} | {said} | {', '.join(sorted(others))} | {taken:.1f} |"
        )
        print(lines[-1], file=sys.stderr)
    return [*lines, "", f"{hits} of {total} planted faults are named."]


def in_time(folder: Path, kinds: str) -> list[str]:
    """A row for each kind of fault of texts and series."""
    lines = ["| planted | files | named | also said |", "|---|---|---|---|"]
    total = hits = 0
    for kind in (kind for kind in IN_TIME if kinds in kind):
        cases, found, others = IN_TIME[kind](np.random.default_rng(SEED)), list[str](), set[str]()
        for case in cases:
            card, planted = data_card(settled(case, folder)), case.planted
            found += [planted.name] if named(card, planted) else []
            others |= {f.kind for f in card.findings if f.kind != planted.kind}
        missed = [c.planted.name for c in cases if c.planted.name not in found]
        said = f"{len(found)}" + (f", not {', '.join(missed)}" if missed else "")
        total, hits = total + len(cases), hits + len(found)
        lines.append(f"| {kind} | {len(cases)} | {said} | {', '.join(sorted(others))} |")
        print(lines[-1], file=sys.stderr)
    return [*lines, "", f"{hits} of {total} planted faults are named."]


def settled(case: InTime, folder: Path) -> dict[str, Any]:
    """The settings of a dropped file with those that the fault needs, read."""
    data = {**dropped(case.planted.table, folder), **case.settings}
    data = {key: value for key, value in data.items() if value is not None}
    read_own(data)
    return data


def sound(folder: Path, _kinds: str) -> list[str]:
    """What is said of sound sets."""
    cards = [(name, data_card(read(table, folder))) for name, table in tables()]
    cards += [(name, data_card(data)) for name, data in embedded()]
    cards += [(n, data_card(dropped(table, folder))) for n, table in sound_texts_and_series()]
    alarms = [(name, finding.sentence) for name, card in cards for finding in card.findings]
    doubted = len({name for name, _ in alarms})
    return [
        f"{len(cards)} sound sets, {doubted} with a finding.",
        *(["", *(f"- {name}: {sentence}" for name, sentence in alarms)] if alarms else []),
    ]


@dataclass(frozen=True)
class Learned:
    """What a network reached: on its validation part, and on rows that it has never seen."""

    validation: float
    unseen: float


def learned(data: Mapping[str, Any], unseen: Rows, target: str) -> Learned:
    """The default network of a data set, trained with its suggested settings."""
    with tempfile.TemporaryDirectory() as folder:
        run_dir = trained(data, Path(folder))
        return Learned(figure(run_dir), judged(run_dir, unseen, target))


def judged(run_dir: Path, unseen: Rows, target: str) -> float:
    """Accuracy or R² of the best weights on rows of a file, in percent."""
    subject = subject_of(run_dir)
    assert subject.opened is not None
    dataset, module = subject.opened.dataset, load_module(run_dir, "best")
    answers = unseen[target]
    inputs = [own_inputs(dataset, {"line": line}) for line in _lines(unseen, target)]
    with torch.no_grad():
        (output, *_) = as_tuple(module(*map(torch.cat, zip(*inputs, strict=True))))
    if names := dataset.info.classes:
        right = [
            names[i] == str(a) for i, a in zip(output.argmax(1).tolist(), answers, strict=True)
        ]
        return 100 * float(np.mean(right))
    truth = np.array(answers, float)
    value = output.reshape(-1).numpy() * float(dataset.target_std) + float(dataset.target_mean)
    return 100 * float(1 - ((value - truth) ** 2).mean() / truth.var())


def _lines(table: Rows, target: str) -> list[str]:
    rest = {name: cells for name, cells in table.items() if name != target}
    found: list[str] = []
    for row in zip(*rest.values(), strict=True):
        file = io.StringIO()
        csv.writer(file).writerow(row)
        found.append(file.getvalue().strip())
    return found


def never_seen(kind: str, number: int, planted: Planted) -> tuple[Rows, Rows]:
    """The rows that a network may learn from, and those that it has never seen."""
    rng, table = np.random.default_rng(NEW_SEED), planted.table
    count = len(table[planted.target])
    if kind == "time, split at random":
        order = np.argsort(table[planted.columns[0]], kind="stable")
        edge = round(count * (1 - LATER))
        return ordered(table, sorted(order[:edge])), ordered(table, order[edge:])
    new = MAKERS[kind](rng)[number].table
    if kind == "copies":
        return table, ordered(new, range(240))
    if kind in ("rows of one patient on both sides", "near copies"):
        return table, new
    return table, {
        name: list(rng.permutation(cells)) if name in planted.columns else cells
        for name, cells in new.items()
    }


def mends(folder: Path, kinds: str) -> list[str]:
    """A row for each planted leak."""
    lines = [
        "| planted | mend | validation before | never seen, before | validation after "
        "| never seen, after |",
        "|---|---|---|---|---|---|",
    ]
    for kind in (kind for kind in LEAKS if kinds in kind):
        for number, planted in enumerate(MAKERS[kind](np.random.default_rng(SEED))):
            lines.append(_mend(folder, kind, number, planted))
            print(lines[-1], file=sys.stderr)
    return [*lines, "", FEW_GROUPS]


def _mend(folder: Path, kind: str, number: int, planted: Planted) -> str:
    table, unseen = never_seen(kind, number, planted)
    data = read(table, folder, planted.target)
    finding, results = named(data_card(data), planted), [learned(data, unseen, planted.target)]
    mend = finding.mend if finding else None
    if mend:
        read_own(mend.data)
        results.append(learned(mend.data, unseen, planted.target))
    cells = [f"{figure:.1f}" for each in results for figure in (each.validation, each.unseen)]
    title = mend.title if mend else "none"
    return f"| {planted.name} | {' | '.join([title, *cells, *[''] * (4 - len(cells))])} |"


PARTS = {
    "faults": ("Planted faults", faults),
    "in_time": ("Planted in texts and series", in_time),
    "sound": ("Sound data", sound),
    "mends": ("What a mend is worth", mends),
    "labels": ("Labels that are likely wrong", noisy_labels),
}


OTHERS = "others"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the parts and keep the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", nargs="+", choices=[*PARTS, OTHERS], default=[*PARTS])
    parser.add_argument("--python", nargs="+", default=[], help="interpreters with other tools")
    parser.add_argument("--kinds", default="", help="only faults whose names hold this")
    parser.add_argument("--out", type=Path, default=FIGURES)
    args = parser.parse_args(arguments)
    text = [
        "# The data card",
        "",
        "Measured by `python -m tests.wings.findings.bench.data_card`, which says how.",
    ]
    with workspace() as folder:
        for part in args.part:
            if part == OTHERS:
                told = others(folder, args.kinds, args.python)
                text += ["", "## Other tools on the same tables", "", *told]
                continue
            title, measure = PARTS[part]
            text += ["", f"## {title}", "", *measure(folder, args.kinds)]
    args.out.write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
