"""Import small modules as books write them and say what came of each, as a table.

    python -m tests.wings.importing.bench.textbook_modules [--only NAME ...] [--out FILE]

Weights are perturbed, samples are of several scales and signs; results are compared to the bit.
"""
# ruff: noqa: T201

import argparse
import importlib
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from core.analyse import analyse
from core.wings.importing import ImportRefused, import_module
from core.wings.importing.pipeline import build_on_meta
from core.wings.importing.verify.equivalence import NAMES, verdicts
from tests.wings.importing.bench.textbook.pages import PAGES, Page

OUT = Path(__file__).with_suffix(".md")
PARTS = ("chains", "pictures", "sequences", "attention", "generative")
WORDS = {True: "equal", False: "DIFFERS", None: "-"}
Row = dict[str, Any]


def pages() -> dict[str, Page]:
    """All modules of the table by name."""
    for part in PARTS:
        importlib.import_module(f"tests.wings.importing.bench.textbook.{part}")
    return PAGES


def row(page: Page) -> Row:
    """Import one module, and compare the drawing with it. Another fault is a row, too."""
    torch.manual_seed(0)
    module, run = page.make().eval(), page.run
    try:
        found = import_module(module, page.shapes, page.name, page.dtypes, run)
    except ImportRefused as error:
        return {"refused": str(error)}
    report = analyse(found.project.graph, found.project.name)
    if report.source is None:
        return {"refused": f"FAULT {report.errors[0].message}"}
    judged = verdicts(module, build_on_meta(report), found.keys, page.shapes, page.dtypes, run=run)
    remarks = [*found.computed, *found.decisions, *found.specialised]
    return {
        "verdicts": {v.name: v.equal for v in judged},
        "notes": {v.name: v.note for v in judged if v.equal is False},
        "said": remarks,
        "lines": len(report.source.splitlines()),
    }


def fault(page: Page, found: Row) -> str:
    """Say in what a row is not what it has to be, "" where it is.

    Equal in all that can be tried, or refused for the reason that the page has.
    """
    if "refused" in found:
        right = page.refused and page.refused in found["refused"]
        return "" if right else f"refused: {found['refused']}"
    if page.refused:
        return "imported, though it has to be refused"
    notes = dict(found["notes"])
    if page.step and page.step in notes.get(NAMES[3], ""):
        del notes[NAMES[3]]
    if page.unrolled and (found["said"] or "ours fails" in notes.get(NAMES[2], "")):
        notes.pop(NAMES[2], "")
    tried = found["verdicts"][NAMES[0]] and found["verdicts"][NAMES[1]]
    return "; ".join(notes.values()) or ("" if tried else "the sample was not compared")


def cells(page: Page, found: Row) -> list[str]:
    """The cells of a row."""
    head = [page.name, page.book, page.habit.removesuffix(".")]
    if "refused" in found:
        return [*head, *["-"] * (len(NAMES) + 1), f"refused: {found['refused']}"]
    words = [WORDS[found["verdicts"][name]] for name in NAMES]
    remarks = [*(f"{name}: {note}" for name, note in found["notes"].items()), *found["said"][:1]]
    return [*head, str(found["lines"]), *words, "; ".join(remarks)]


def table(rows: Sequence[tuple[Page, Row]]) -> str:
    """The whole page."""
    drawn = [found for _, found in rows if "refused" not in found]
    equal = [sum(found["verdicts"][name] is True for found in drawn) for name in NAMES]
    tried = [sum(found["verdicts"][name] is not None for found in drawn) for name in NAMES]
    counts = ", ".join(
        f"{name} {count} of {all_}" for name, count, all_ in zip(NAMES, equal, tried, strict=True)
    )
    header = ("module", "book", "habit", "lines", *NAMES, "notes")
    lines = [" | ".join(cells(*one)).replace("\n", " ") for one in rows]
    return "\n".join([
        "# Modules as books write them, imported", "",
        "Written by `python -m tests.wings.importing.bench.textbook_modules --out "
        "tests/wings/importing/bench/textbook_modules.md` "
        f"(torch {torch.__version__.partition('+')[0]}).", "",
        f"- {len(rows)} modules: {len(drawn)} drawn, {len(rows) - len(drawn)} refused.",
        f"- Equal bit for bit of those that can be tried: {counts}.", "",
        f"| {' | '.join(header)} |", f"| {' | '.join('---' for _ in header)} |",
        *(f"| {line} |" for line in lines), "",
    ])  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the rows and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", help="names of modules")
    parser.add_argument("--out", type=Path, help=f"write the table there, such as {OUT.name}")
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    rows = [(p, row(p)) for n, p in pages().items() if not args.only or n in args.only]
    text = table(rows)
    print(text)
    if args.out:
        args.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
